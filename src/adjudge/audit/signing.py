"""Sign a certificate with the key that signs a ledger's heads, and check one that somebody hands over.

The signature covers the certificate's digest: everything in it but the commands that reproduce its findings,
since those name a folder of the machine, and the signature itself.
"""

from __future__ import annotations

from pathlib import Path

from adjudge.audit.certificate import Certificate, CertificateSignature


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
    return None
