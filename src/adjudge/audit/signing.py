"""Sign a certificate with the key that signs a ledger's heads, and check one that somebody hands over.

The signature covers the certificate's digest: everything in it but the commands that reproduce its findings,
since those name a folder of the machine, and the signature itself. People paste such commands into a shell:
one that does anything but run a finding's own probe is taken for a forgery.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from adjudge.audit.certificate import Certificate, CertificateSignature, Finding

_OPTIONS = frozenset(
    {
        *("--reproduce", "--sandbox", "--rootfs", "--image", "--packages", "--prepare"),
        *("--from-ledger", "--ledger", "--output-path"),
    }
)
"""What says where a probe runs. None of them writes anything."""


def sign_certificate(certificate: Certificate, key_file: Path) -> Certificate:
    """The same, signed. UsageError if the key cannot be used; MissingExtra without the library for it."""
    from adjudge.ledger import public_text, read_key

    key = read_key(key_file)
    signed = key.sign(bytes.fromhex(certificate.digest)).hex()
    return certificate.model_copy(
        update={"signature": CertificateSignature(key=public_text(key), signature=signed)}
    )


def check_signature(certificate: Certificate, public_key: str | None = None) -> str | None:
    """What is wrong with a certificate's signature; None if nothing is.

    Without `public_key`, all that is shown is that nobody changed it after whoever signed it.
    """
    from adjudge.ledger import is_signed

    signature = certificate.signature
    if signature is None:
        return "it is not signed"
    if public_key is not None and signature.key != public_key.lower():
        return f"it was signed with another key: {signature.key}"
    if not is_signed(bytes.fromhex(certificate.digest), signature.key, signature.signature):
        return "it is not what was signed"
    if not all(_reproduces(finding) for finding in certificate.findings):
        return "a command in it does something else than run its probe again"
    return None


def _reproduces(finding: Finding) -> bool:
    """Is the command beside a finding one that an audit writes: its probe, in some folder and sandbox?"""
    if finding.reproduce is None:
        return True
    try:
        words = shlex.split(finding.reproduce)
    except ValueError:
        return False
    if shlex.join(words) != finding.reproduce or words[:2] != ["adjudge", "audit"]:
        return False
    options = [word for word in words[3:] if word.startswith("-")]
    return words[3:5] == ["--reproduce", finding.probe] and set(options) <= _OPTIONS
