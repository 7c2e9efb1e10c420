"""Bytes by their SHA-256: compressed, written once, verified on every read.

Up to `INLINE_BYTES` compressed, a blob is a row of the ledger's own database: it is there when the record
is there, and thousands per second cost next to nothing. Larger ones are files at the blob location, a
folder or any fsspec URL, named by digest only. A file is complete, flushed to disk and in place before the
transaction that mentions it begins; a kill in between leaves an unused file, never a record without its
bytes. One that is there with another size than it should have was damaged, and is replaced when its bytes
come by again.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge._files import open_plain
from adjudge._secrets import without_secrets
from adjudge.errors import LedgerError, UsageError
from adjudge.ledger.store.location import BLOBS_VARIABLE, storable

if TYPE_CHECKING:
    from sqlalchemy import Connection

INLINE_BYTES = 8192
_PART = 1 << 20
_FEW_BYTES = 32
_FRAME_OF_FEW = b"\x28\xb5\x2f\xfd\x20"
"""How a zstd frame begins whose next byte says how long the content is (RFC 8878, 3.1.1)."""
_LAST_RAW_BLOCK = 1
_local = threading.local()
_DIGEST = re.compile(r"[0-9a-f]{64}")
_AGAIN = "record the same output again (adjudge run or ingest"


class BlobFiles:
    """The place for large blobs: a local folder, or a file system that fsspec knows; None is no place."""

    def __init__(self, where: str | None) -> None:
        # fsspec would write a local file in place, and neither whole at once nor flushed
        if where is not None and where.startswith("file://"):
            where = storable(where).removeprefix("file://")  # a folder needs no account, and would show it
        self.where = where

    @property
    def shown(self) -> str | None:
        """Where it is, safe to print."""
        return None if self.where is None else without_secrets(self.where)

    def write(self, digest: str, size: int, packed: bytes) -> None:
        """Put a blob there, unless it is there and whole. It is either complete or absent, at any moment."""
        if self.where is None:
            raise LedgerError(
                "this ledger has no place for large blobs",
                remedy=f"Name one with --blobs FOLDER|URL or {BLOBS_VARIABLE}.",
            )
        try:
            there = self._size(digest)
            if there == len(packed) or (there is not None and self._is_whole(digest, size)):
                return
            if self._is_remote:
                self._write_remote(digest, packed)
            else:
                self._write_local(Path(self.path(digest)), packed)
        except OSError as error:
            raise LedgerError(
                f"a blob cannot be written: {error.strerror or without_secrets(str(error))}",
                file=self.shown,
                field=digest,
                remedy="What was recorded is safe; make room or get access, then run the same command again.",
            ) from error

    def read(self, digest: str, size: int) -> bytes:
        """The compressed bytes of a blob of this size; LedgerError if they are gone.

        Of a file that is larger than it can be, only so much is read that it shows. A pipe or a device in its
        place is not waited for.
        """
        most = size + (size >> 6) + 1024
        try:
            if self.where is None:
                raise FileNotFoundError(2, "no blob location is set")
            if self._is_remote:
                system, root = self._remote()
                return bytes(system.cat_file(f"{root}/{_name(digest)}", 0, most))
            return _read_plain(self.path(digest), most)
        except OSError as error:
            raise LedgerError(
                f"a blob cannot be read: {error.strerror or without_secrets(str(error))}",
                file=None if self.where is None else without_secrets(self.path(digest)),
                field=digest,
                remedy=f"If blobs are elsewhere, say where: {BLOBS_VARIABLE}=FOLDER|URL. Else put the file "
                f"back from a backup, or {_AGAIN}, into any ledger with these --blobs).",
            ) from error

    def path(self, digest: str) -> str:
        """Where a blob's file is or would be."""
        return f"{self.where}/{_name(digest)}"

    @property
    def _is_remote(self) -> bool:
        return "://" in str(self.where)

    def _size(self, digest: str) -> int | None:
        """How large the file is; None if there is none, or if a file system does not say."""
        try:
            if self._is_remote:
                system, root = self._remote()
                size: int | None = system.size(f"{root}/{_name(digest)}")
                return size
            return Path(self.path(digest)).stat().st_size
        except FileNotFoundError:
            return None

    def _is_whole(self, digest: str, size: int) -> bool:
        """Is a file of another size sound nevertheless? Another zstd may have packed the same bytes."""
        try:
            fetch(self, digest, size, None)
        except LedgerError:
            return False
        return True

    def _write_local(self, target: Path, packed: bytes) -> None:
        changed = [target.parent] if target.parent.is_dir() else [target.parent, target.parent.parent]
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
        for folder in changed:
            _flush(folder)

    def _write_remote(self, digest: str, packed: bytes) -> None:
        system, root = self._remote()
        target = f"{root}/{_name(digest)}"
        system.makedirs(target.rpartition("/")[0], exist_ok=True)
        system.pipe_file(target, packed)  # object stores show a file only when it is complete

    def _remote(self) -> tuple[Any, str]:
        import fsspec  # type: ignore[import-untyped]  # it ships no types

        try:
            system, root = fsspec.core.url_to_fs(str(self.where))
        except (ImportError, ValueError) as error:
            said = without_secrets(str(error))
            raise UsageError(f"this blob location cannot be used: {said}", found=self.shown) from error
        return system, str(root).rstrip("/")


def digest_of(data: bytes) -> str:
    """The name of a blob."""
    return hashlib.sha256(data).hexdigest()


def pack(blobs: Mapping[str, bytes]) -> dict[str, tuple[int, bytes]]:
    """Compress blobs: digest -> (size, compressed). A digest that is not that of its bytes is refused."""
    packed = {}
    for digest, data in blobs.items():
        if digest_of(data) != digest:
            raise UsageError(
                "a blob is not what its digest says",
                found=digest,
                allowed=f"{digest_of(data)} for these bytes",
            )
        packed[digest] = (len(data), _compressed(data))
    return packed


def pack_new(data: bytes, packed: dict[str, tuple[int, bytes]]) -> str:
    """Compress a blob that has no name yet, and add it to those that are; returns its digest."""
    digest = hashlib.sha256(data).hexdigest()
    packed[digest] = len(data), _compressed(data)
    return digest


def _compressed(data: bytes) -> bytes:
    """A zstd frame. One of so few bytes holds them as they are, which zstd takes longer to find out."""
    size = len(data)
    if size <= _FEW_BYTES:
        return b"%b%c%b%b" % (_FRAME_OF_FEW, size, (size << 3 | _LAST_RAW_BLOCK).to_bytes(3, "little"), data)
    packed: bytes = _compressor().compress(data)
    return packed


def _compressor() -> Any:
    """One a thread: making one costs more than compressing an answer, and it must not be shared."""
    try:
        return _local.compressor
    except AttributeError:
        import zstandard

        _local.compressor = zstandard.ZstdCompressor(level=3)
        return _local.compressor


def fetch(files: BlobFiles, digest: str, size: int, data: bytes | None) -> tuple[bytes, bytes]:
    """A blob, compressed and not, from the database (`data`) or else from its file.

    LedgerError, naming it and the way to mend it, if it is gone or is not what was stored.
    """
    packed = files.read(digest, size) if data is None else data
    found = _unpack(packed, size)
    if len(found) == size and digest_of(found) == digest:
        return packed, found
    raise LedgerError(
        "a blob is corrupt: its bytes are not the ones that were stored",
        file=without_secrets(files.path(digest)) if data is None else None,
        field=digest,
        remedy=f"Put the file back from a backup, or remove it and {_AGAIN}, into any ledger with these "
        "--blobs)."
        if data is None
        else "It is a row of the database: go back to a backup of the ledger, or make one now, which leaves "
        f"it out (adjudge ledger backup DEST), and there {_AGAIN}, as another experiment).",
    )


def _unpack(packed: bytes, size: int) -> bytes:
    """The bytes, or nothing of what cannot be unpacked."""
    import zstandard

    try:
        # the size is given so that damaged or hostile bytes cannot unfold into more
        parts, left = [], size + 1
        with zstandard.ZstdDecompressor().stream_reader(packed) as reader:
            while left > 0 and (part := reader.read(min(left, _PART))):
                parts.append(part)
                left -= len(part)
        return b"".join(parts)
    except zstandard.ZstdError:
        return b""


def write_files(files: BlobFiles, packed: Mapping[str, tuple[int, bytes]]) -> None:
    """Put those blobs in place that are too large for the database: flushing them needs no lock on it."""
    for digest, (size, data) in packed.items():
        if len(data) > INLINE_BYTES:
            files.write(digest, size, data)


def insert_blobs(connection: Connection, packed: Mapping[str, tuple[int, bytes]]) -> None:
    """Add blobs to the index if they are not there yet. The files of large ones are there already.

    In the order of their digests, so that each page of a large index is come by once.
    """
    if not packed:
        return
    from adjudge.ledger.store.schema import blobs
    from adjudge.ledger.store.sql import insert_rows

    rows = [
        {
            "digest": bytes.fromhex(digest),
            "size": size,
            "data": data if len(data) <= INLINE_BYTES else None,
        }
        for digest, (size, data) in sorted(packed.items())
    ]
    insert_rows(connection, blobs, rows, unless_there=True)


def read_blobs(connection: Connection, files: BlobFiles, digests: Iterable[bytes]) -> dict[bytes, bytes]:
    """The bytes of each digest, verified. One that the ledger has never seen is left out."""
    from sqlalchemy import select

    from adjudge.ledger.store.schema import blobs
    from adjudge.ledger.store.sql import chunks

    found = {}
    for some in chunks(set(digests)):
        rows = connection.execute(
            select(blobs.c.digest, blobs.c.size, blobs.c.data).where(blobs.c.digest.in_(some))
        )
        for raw, size, data in rows:
            found[bytes(raw)] = fetch(files, bytes(raw).hex(), size, data)[1]
    return found


def check_digest(digest: str) -> bytes:
    """A digest as the index holds it; UsageError for anything that is not one."""
    if not _DIGEST.fullmatch(digest):
        raise UsageError(
            "this is not a blob's digest", found=digest, allowed="64 lower-case hexadecimal digits"
        )
    return bytes.fromhex(digest)


def _flush(folder: Path) -> None:
    """Make what was added to a folder survive a power cut."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _read_plain(path: str, most: int) -> bytes:
    """The first bytes of a file. Who keeps blobs may have put a link there, but nothing that blocks."""
    opened = open_plain(path)
    with os.fdopen(opened, "rb") as file:
        return file.read(max(0, min(most, os.fstat(opened).st_size)))


def _name(digest: str) -> str:
    return f"{digest[:2]}/{digest[2:]}.zst"
