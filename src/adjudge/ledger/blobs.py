"""Bytes by their SHA-256: compressed, written once, verified on every read.

Up to `INLINE_BYTES` compressed, a blob is a row of the ledger's own database: it is there when the record
is there, and thousands a second cost nothing. Larger ones are files at the blob location, a folder or any
fsspec URL, named by digest only. A file is complete, flushed to disk and in place before the transaction
that mentions it commits; a kill in between leaves an unused file, never a record without its bytes.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.errors import LedgerError, UsageError
from adjudge.ledger.documents import digest_of
from adjudge.ledger.location import BLOBS_VARIABLE

if TYPE_CHECKING:
    from sqlalchemy import Connection

INLINE_BYTES = 8192
_local = threading.local()
_DIGEST = re.compile(r"[0-9a-f]{64}")


class BlobFiles:
    """The place for large blobs: a local folder, or a file system that fsspec knows; None is no place."""

    def __init__(self, where: str | None) -> None:
        self.where = where

    def write(self, digest: str, packed: bytes) -> None:
        """Put a blob there, unless it is there already. It is either complete or absent, at any moment."""
        if self.where is None:
            raise LedgerError(
                "this ledger has no place for large blobs",
                remedy=f"Name one with --blobs FOLDER|URL or {BLOBS_VARIABLE}.",
            )
        try:
            if "://" in self.where:
                self._write_remote(digest, packed)
            else:
                self._write_local(digest, packed)
        except OSError as error:
            raise LedgerError(
                f"a blob cannot be written: {error.strerror or error}",
                file=self.where,
                field=digest,
                remedy="What was recorded is safe; make room or get access, then run the same command again.",
            ) from error

    def read(self, digest: str) -> bytes:
        """The compressed bytes; LedgerError where they are gone."""
        try:
            if self.where is None:
                raise FileNotFoundError(2, "no blob location is set")
            if "://" in self.where:
                system, root = self._remote()
                return bytes(system.cat_file(f"{root}/{_name(digest)}"))
            return (Path(self.where) / _name(digest)).read_bytes()
        except OSError as error:
            raise LedgerError(
                f"a blob cannot be read: {error.strerror or error}",
                file=self.where,
                field=digest,
                remedy=f"Say where it was stored: {BLOBS_VARIABLE}=FOLDER|URL; or restore it from a backup.",
            ) from error

    def _write_local(self, digest: str, packed: bytes) -> None:
        target = Path(str(self.where)) / _name(digest)
        if target.exists():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}")
        try:
            with draft.open("wb") as file:
                file.write(packed)
                file.flush()
                os.fsync(file.fileno())
            draft.rename(target)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _write_remote(self, digest: str, packed: bytes) -> None:
        system, root = self._remote()
        target = f"{root}/{_name(digest)}"
        if not system.exists(target):
            system.makedirs(target.rpartition("/")[0], exist_ok=True)
            system.pipe_file(target, packed)  # object stores show a file only when it is complete

    def _remote(self) -> tuple[Any, str]:
        import fsspec  # type: ignore[import-untyped]  # it ships no types

        try:
            system, root = fsspec.core.url_to_fs(str(self.where))
        except (ImportError, ValueError) as error:
            raise UsageError(f"this blob location cannot be used: {error}", found=self.where) from error
        return system, str(root).rstrip("/")


def pack(blobs: Mapping[str, bytes]) -> dict[str, tuple[int, bytes]]:
    """Compress blobs: digest -> (size, compressed). A digest that is not that of its bytes is refused."""
    compressor = _compressor()
    packed = {}
    for digest, data in blobs.items():
        if digest_of(data) != digest:
            raise UsageError(
                "a blob is not what its digest says",
                found=digest,
                allowed=f"{digest_of(data)} for these bytes",
            )
        packed[digest] = (len(data), compressor.compress(data))
    return packed


def _compressor() -> Any:
    """One a thread: making one costs more than compressing an answer, and it must not be shared."""
    import zstandard

    if not hasattr(_local, "compressor"):
        _local.compressor = zstandard.ZstdCompressor(level=3)
    return _local.compressor


def unpack(digest: str, packed: bytes, size: int) -> bytes:
    """The bytes of a blob; LedgerError, naming it, where they are not the ones that were stored."""
    import zstandard

    try:
        # the size is given so that damaged or hostile bytes cannot unfold into more
        with zstandard.ZstdDecompressor().stream_reader(packed) as reader:
            data = reader.read(size + 1)
    except zstandard.ZstdError:
        data = b""
    if len(data) != size or digest_of(data) != digest:
        raise LedgerError(
            "a blob is corrupt: its bytes are not the ones that were stored",
            field=digest,
            remedy="Restore it from a backup; adjudge ledger verify --blobs lists every corrupt blob.",
        )
    return data


def insert_blobs(connection: Connection, files: BlobFiles, packed: Mapping[str, tuple[int, bytes]]) -> None:
    """Store blobs that are not there yet: large ones as files first, then all of them in the index."""
    if not packed:
        return
    from adjudge.ledger.schema import blobs
    from adjudge.ledger.sql import insert_rows

    rows = []
    for digest, (size, data) in packed.items():
        inline = len(data) <= INLINE_BYTES
        if not inline:
            files.write(digest, data)
        rows.append({"digest": bytes.fromhex(digest), "size": size, "data": data if inline else None})
    insert_rows(connection, blobs, rows, unless_there=True)


def read_blobs(connection: Connection, files: BlobFiles, digests: Iterable[bytes]) -> dict[bytes, bytes]:
    """The bytes of each digest, verified. One that the ledger has never seen is left out."""
    from sqlalchemy import select

    from adjudge.ledger.schema import blobs
    from adjudge.ledger.sql import chunks

    found = {}
    for some in chunks(set(digests)):
        rows = connection.execute(
            select(blobs.c.digest, blobs.c.size, blobs.c.data).where(blobs.c.digest.in_(some))
        )
        for raw, size, data in rows:
            digest = bytes(raw).hex()
            found[bytes(raw)] = unpack(digest, files.read(digest) if data is None else bytes(data), size)
    return found


def check_digest(digest: str) -> bytes:
    """A digest as the index holds it; UsageError for anything that is not one."""
    if not _DIGEST.fullmatch(digest):
        raise UsageError(
            "this is not a blob's digest", found=digest, allowed="64 lower-case hexadecimal digits"
        )
    return bytes.fromhex(digest)


def _name(digest: str) -> str:
    return f"{digest[:2]}/{digest[2:]}.zst"
