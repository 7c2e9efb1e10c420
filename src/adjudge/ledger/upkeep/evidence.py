"""Is every blob still there that a chained row mentions, and every one that is there as it was stored?

A blob is not in the chain itself: its name is its hash, and the name stands in a chained row. So the rows
are walked for names: outputs, the files of output folders, verifier streams, artifacts, the evidence of
audits, and what attachments keep. An evaluation that was recorded without the bytes of its artifacts says so
by a mark.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from adjudge.errors import LedgerError
from adjudge.ledger.store.blobs import BlobFiles, fetch, read_blobs
from adjudge.ledger.store.schema import (
    MARK_BARE,
    attachments,
    blobs,
    certificates,
    evaluations,
    marks,
    trials,
)
from adjudge.ledger.store.sql import chunks

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

    from adjudge.ledger.store.database import Database

_ROWS = 500
_FOLDER = "inode/directory"

_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What JSON that adjudge did not write may lead to, or a value of another kind in a column."""
Mention = tuple[str, str]
"""A digest, and what it is of."""


def verify_blobs(database: Database, files: BlobFiles) -> Iterator[str | None]:
    """Read every blob and check its bytes: None for a sound one, else what is wrong with it.

    Then what the chained rows mention and is not there: a sentence each.
    """
    yield from _stored(database, files)
    for table, names, mentions in (
        (trials, ("seq", "trial_id", "output_blob", "document"), _in_trials),
        (evaluations, ("seq", "stdout", "stderr", "document"), _in_evaluations),
        (certificates, ("seq", "document"), _in_certificates),
        (attachments, ("seq", "kind", "document"), _in_attachments),
    ):
        for rows in _chunks(database, table, names):
            with database.reading() as connection:
                try:
                    yield from list(_missing(connection, mentions(connection, files, rows)))
                except _UNREADABLE:  # somewhere among them: one by one, that the others are looked at too
                    for row in rows:
                        try:
                            yield from list(_missing(connection, mentions(connection, files, [row])))
                        except _UNREADABLE:
                            yield f"row {row.seq} ({table.name}) was changed: what it mentions cannot be read"


def _stored(database: Database, files: BlobFiles) -> Iterator[str | None]:
    after = 0
    while True:
        with database.reading() as connection:
            rows = connection.execute(
                select(blobs).where(blobs.c.number > after).order_by(blobs.c.number).limit(200)
            ).all()
        if not rows:
            return
        for number, raw, size, data in rows:
            after = number
            if (type(raw), type(size)) != (bytes, int) or not isinstance(data, bytes | None):
                yield f"blob {number} was changed: it has no digest, size or data that adjudge wrote"
                continue
            try:
                fetch(files, raw.hex(), size, data)
            except LedgerError as error:
                yield str(error)
            else:
                yield None


def _chunks(database: Database, table: Table, names: tuple[str, ...]) -> Iterator[list[Any]]:
    after = 0
    columns = [table.c[name] for name in names]
    while True:
        with database.reading() as connection:
            statement = select(*columns).where(table.c.seq > after).order_by(table.c.seq).limit(_ROWS)
            rows = list(connection.execute(statement))
        if not rows:
            return
        after = rows[-1].seq
        yield rows


def _missing(connection: Connection, mentioned: Iterable[Mention]) -> Iterator[str]:
    named: dict[str, str] = {}
    for digest, what in mentioned:
        named.setdefault(digest, what)
    there: set[str] = set()
    for some in chunks(bytes.fromhex(digest) for digest in named):
        rows = connection.execute(select(blobs.c.digest).where(blobs.c.digest.in_(some)))
        there.update(bytes(raw).hex() for (raw,) in rows)
    for digest, what in named.items():
        if digest not in there:
            yield f"{digest}: {what} is gone: the blob was removed from the ledger"


def _in_trials(connection: Connection, files: BlobFiles, rows: list[Any]) -> Iterator[Mention]:
    for row in rows:
        if row.output_blob is not None:
            what = f"the output of trial {row.trial_id}"
            yield bytes(row.output_blob).hex(), what
            if json.loads(row.document)["output"]["media_type"] == _FOLDER:
                yield from _folder(connection, files, bytes(row.output_blob), what)


def _in_evaluations(connection: Connection, _: BlobFiles, rows: list[Any]) -> Iterator[Mention]:
    bare = _bare(connection, [row.seq for row in rows])
    for row in rows:
        for name in ("stdout", "stderr"):
            if (raw := getattr(row, name)) is not None:
                yield bytes(raw).hex(), f"{name} of evaluation {row.seq}"
        if row.seq not in bare:
            for name, digest in json.loads(row.document)["run"]["artifacts"].items():
                yield digest, f"the artifact {name!r} of evaluation {row.seq}"


def _in_certificates(_: Connection, __: BlobFiles, rows: list[Any]) -> Iterator[Mention]:
    for row in rows:
        for digest in _evidence(json.loads(row.document)):
            yield digest, f"the evidence of certificate {row.seq}"


def _in_attachments(_: Connection, __: BlobFiles, rows: list[Any]) -> Iterator[Mention]:
    for row in rows:
        for name, digest in json.loads(row.document)["blobs"].items():
            yield digest, f"{name!r} of attachment {row.seq} ({row.kind})"


def _folder(connection: Connection, files: BlobFiles, digest: bytes, what: str) -> Iterator[Mention]:
    """The files of an output that is a folder, by its index; a damaged index was named already."""
    try:
        index = read_blobs(connection, files, [digest]).get(digest)
    except LedgerError:
        return
    for row in json.loads(index)["workspace"] if index is not None else ():
        if "sha256" in row:
            yield row["sha256"], f"a file of {what}"


def _bare(connection: Connection, numbers: list[int]) -> set[int]:
    found: set[int] = set()
    for some in chunks(numbers):
        m = marks.c
        rows = connection.execute(select(m.evaluation).where(m.kind == MARK_BARE, m.evaluation.in_(some)))
        found.update(number for (number,) in rows)
    return found


def _evidence(document: Any) -> Iterator[str]:
    """Digests that stand under a key `evidence`, anywhere in a certificate."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key == "evidence" and isinstance(value, str) and len(value) == 64 and _is_hex(value):
                yield value
            else:
                yield from _evidence(value)
    elif isinstance(document, list):
        for value in document:
            yield from _evidence(value)


def _is_hex(text: str) -> bool:
    return all(letter in "0123456789abcdef" for letter in text)
