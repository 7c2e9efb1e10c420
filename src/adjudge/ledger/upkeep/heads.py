"""Signed heads: what a ledger held at a moment, in a line that can be kept anywhere and checked without it.

A head names how many rows there were, the hash of the last one, the root of the Merkle tree over all of
them, and a proof that this tree extends that of the head before it. Ed25519 signs all of it. Whoever has
the heads and the public key sees whether each one extends the one before; whoever has the ledger too sees
whether it still holds what was signed.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, StringConstraints, ValidationError

from adjudge._files import open_plain
from adjudge.contracts import BadJson, Sha256, StrictModel, Timestamp, load_json, problem_of
from adjudge.errors import LedgerError, MissingExtra, UsageError
from adjudge.ledger.upkeep.merkle import Leaves, is_consistent

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

HEAD_BYTES = 1 << 16
"""The longest line of a witness, and the largest file of a key."""
Signature = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{128}$")]


class SignedHead(StrictModel):
    """One head. Bytes are hexadecimal."""

    rows: int = Field(ge=0, lt=1 << 63)
    """How many rows the ledger had."""
    chain: Sha256
    """The hash of the last of them."""
    root: Sha256
    """Of the Merkle tree over their hashes."""
    extends: int = Field(ge=0, lt=1 << 63)
    """How many rows the head before this one had; 0 for the first."""
    proof: list[Sha256]
    """That this tree begins with that one."""
    signed_at: Timestamp
    key: Sha256
    """The public key."""
    signature: Signature

    def signed_text(self) -> bytes:
        """What the signature covers: everything else, in one spelling."""
        facts = self.model_dump(mode="json", exclude={"signature"})
        return json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()


def new_key(file: Path) -> str:
    """Make a key in a new file that only its owner can read; returns the public key."""
    ed25519, serialization = _library()
    key = ed25519.Ed25519PrivateKey.generate()
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    try:
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise UsageError(
            f"the key cannot be written: {error.strerror}", file=file, remedy="Name a file that is not there."
        ) from error
    with os.fdopen(opened, "wb") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    return public_text(key)


def read_key(file: Path) -> Ed25519PrivateKey:
    """The key in a file. One that others could read is refused: it may not be secret any more."""
    ed25519, serialization = _library()
    try:
        with os.fdopen(open_plain(file), "rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            text = opened.read(HEAD_BYTES)
    except OSError as error:
        raise UsageError(
            f"the signing key cannot be read: {error.strerror}",
            file=file,
            remedy="adjudge ledger key FILE makes one.",
        ) from error
    if stat.S_IMODE(mode) & 0o077:
        raise UsageError(
            "others can read this signing key",
            file=file,
            found=f"mode {stat.S_IMODE(mode):o}",
            allowed="600",
            remedy=f"chmod 600 {file}",
        )
    try:
        key = serialization.load_pem_private_key(text, password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise UsageError(
            "this is no Ed25519 key in PEM", file=file, remedy="adjudge ledger key FILE makes one."
        )
    found: Ed25519PrivateKey = key
    return found


def public_text(key: Ed25519PrivateKey) -> str:
    """The public key, as heads name it."""
    return key.public_key().public_bytes_raw().hex()


def sign_head(
    leaves: Leaves, chain: bytes, key: Ed25519PrivateKey, *, before: SignedHead | None = None
) -> SignedHead:
    """The head of a ledger with these leaves; `before` is the one it extends."""
    extends = 0 if before is None else before.rows
    unsigned = SignedHead(
        rows=len(leaves),
        chain=chain.hex(),
        root=leaves.root().hex(),
        extends=extends,
        proof=[step.hex() for step in leaves.consistency(extends, len(leaves))],
        signed_at=datetime.now(UTC),
        key=public_text(key),
        signature="0" * 128,
    )
    return unsigned.model_copy(update={"signature": key.sign(unsigned.signed_text()).hex()})


def check_heads(heads: Sequence[SignedHead], public_key: str | None = None) -> Iterator[str]:
    """What is wrong with a list of heads, in its order; nothing if each is signed and extends the one before.

    Without `public_key` it is the first head's: then only that nobody else signed the later ones is shown.
    """
    expected = public_key or (heads[0].key if heads else None)
    before: SignedHead | None = None
    for number, head in enumerate(heads, start=1):
        name = f"head {number} ({head.rows} rows, {head.signed_at.isoformat()})"
        if head.key != expected:
            yield f"{name} was signed with another key: {head.key}"
        elif not is_signed(head.signed_text(), head.key, head.signature):
            yield f"{name} is not what was signed"
        elif (before.rows if before else 0) != head.extends:
            yield f"{name} extends one of {head.extends} rows, which does not stand before it"
        elif before is not None and not _extends(before, head):
            yield f"{name} does not extend the one before it: earlier rows were changed"
        before = head


def is_signed(text: bytes, key: str, signature: str) -> bool:
    """Did the owner of this public key sign these bytes? Key and signature are hexadecimal."""
    from cryptography.exceptions import InvalidSignature

    ed25519, _ = _library()
    public: Ed25519PublicKey = ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
    try:
        public.verify(bytes.fromhex(signature), text)
    except InvalidSignature:
        return False
    return True


def _extends(before: SignedHead, head: SignedHead) -> bool:
    proof = [bytes.fromhex(step) for step in head.proof]
    return is_consistent(before.rows, bytes.fromhex(before.root), head.rows, bytes.fromhex(head.root), proof)


def read_heads(lines: Iterable[bytes], source: str) -> list[SignedHead]:
    """The heads of a file, one JSON object per line; LedgerError for what is none."""
    heads = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{source}:{number}"
        try:
            load_json(line, max_bytes=HEAD_BYTES)
            heads.append(SignedHead.model_validate_json(line))
        except BadJson as error:
            raise LedgerError(f"this is no signed head: {error}", file=where) from None
        except ValidationError as error:
            raise LedgerError(problem_of(error, file=where, model=SignedHead)) from None
    return heads


def _library() -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise MissingExtra("witness", needed_for="a signed head") from None
    return ed25519, serialization
