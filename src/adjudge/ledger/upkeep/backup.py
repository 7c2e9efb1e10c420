"""Copy a ledger into a new one, of either database: a backup, and the way from SQLite to PostgreSQL or back.

Rows are copied as they are, hashes and all, up to the head at the start, so writers need not stop and the
copy verifies on its own. A SQLite copy appears under its name only when it is complete; a PostgreSQL one is
one transaction. A blob that is gone or damaged is named and left out: it must not keep the rest from safety.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from sqlalchemy import select, text, update

from adjudge.errors import LedgerError
from adjudge.ledger.open import blob_place, create_tables, schema_version
from adjudge.ledger.store.blobs import BlobFiles, fetch
from adjudge.ledger.store.database import Database
from adjudge.ledger.store.location import Location, default_blobs, locate
from adjudge.ledger.store.schema import CHAINED, blobs, head, marks
from adjudge.ledger.store.sql import insert_rows
from adjudge.ledger.upkeep.verify import Verification, verify_chain

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from adjudge.ledger.ledger import Ledger

_CHUNK = 1000


def copy_ledger(source: Ledger, destination: str | Path, blobs: str | Path | None = None) -> Verification:
    """Copy `source` to a path or URL where nothing is yet; returns the verification of the copy."""
    target = locate(destination)
    asked = blob_place(str(blobs or ""))
    files = BlobFiles(asked or default_blobs(target))
    if target.path is None:
        return _copy_into(source, target, files, asked)
    if target.path.exists():
        raise LedgerError(
            "a backup overwrites nothing", file=target.shown, remedy="Give a path that is free."
        )
    draft = target.path.with_name(f"{target.path.name}.partial")
    _remove(draft)
    try:
        found = _copy_into(source, locate(draft), files, asked)
        draft.rename(target.path)
    finally:
        _remove(draft)
    return found


def _copy_into(source: Ledger, target: Location, files: BlobFiles, remember: str | None) -> Verification:
    database = Database(target)
    try:
        if schema_version(database) is None:
            create_tables(database, remember)
        with database.writing() as connection:
            if connection.execute(select(head.c.seq).with_for_update()).scalar_one() != 0:
                raise LedgerError(
                    "a backup overwrites nothing, and this ledger is not empty",
                    file=target.shown,
                    remedy="Give an empty database.",
                )
            last_blob = _copy_rows(source, connection)
            lost = _copy_blobs(source, connection, files, last_blob)
        _settle(database)
        found = verify_chain(database)
        return replace(found, problems=(*found.problems, *lost))
    finally:
        database.close()


def _copy_rows(source: Ledger, connection: Connection) -> int:
    """Copy the chain as it stands; returns the number of the last blob it can refer to."""
    with source.database.reading() as reading:
        end = reading.execute(select(head.c.seq, head.c.hash)).one()
        last_blob = (
            reading.execute(select(blobs.c.number).order_by(blobs.c.number.desc()).limit(1)).scalar() or 0
        )
    for table in CHAINED:
        for rows in _chunks(source.database, table, table.c.seq, end.seq):
            insert_rows(connection, table, rows)
    after: tuple[Any, ...] = ("", 0, 0)
    while rows := _some_marks(source.database, after, end.seq):
        insert_rows(connection, marks, rows)
        after = (rows[-1]["kind"], rows[-1]["value"], rows[-1]["evaluation"])
    connection.execute(update(head).where(head.c.id == 1).values(seq=end.seq, hash=bytes(end.hash)))
    return int(last_blob)


def _copy_blobs(source: Ledger, connection: Connection, files: BlobFiles, last: int) -> list[str]:
    """Copy the blobs that are whole; returns what is wrong with the others.

    A damaged row is left out of the index as well, so that recording the same bytes again brings it back.
    """
    lost: list[str] = []
    for rows in _chunks(source.database, blobs, blobs.c.number, last):
        kept = []
        for row in rows:
            digest, size, data = row["digest"].hex(), row["size"], row["data"]
            try:
                packed, _ = fetch(source.files, digest, size, data)
            except LedgerError as error:
                lost.append(str(error))
                if data is not None:
                    continue
            else:
                if data is None:
                    files.write(digest, size, packed)
            kept.append(row)
        if kept:
            insert_rows(connection, blobs, kept)
    if connection.dialect.name == "postgresql":  # its counter does not see numbers that were given
        connection.execute(
            text("SELECT setval(pg_get_serial_sequence('blobs', 'number'), :n)"), {"n": last + 1}
        )
    return lost


def _chunks(database: Database, table: Any, order: Any, up_to: int) -> Any:
    after = 0
    while True:
        with database.reading() as connection:
            statement = select(table).where(order > after, order <= up_to).order_by(order).limit(_CHUNK)
            rows = [dict(row) for row in connection.execute(statement).mappings()]
        if not rows:
            return
        yield rows
        after = rows[-1][order.name]


def _some_marks(database: Database, after: tuple[Any, ...], up_to: int) -> list[dict[str, Any]]:
    from sqlalchemy import tuple_

    key = tuple_(marks.c.kind, marks.c.value, marks.c.evaluation)
    statement = (
        select(marks)
        .where(key > tuple_(*after), marks.c.origin <= up_to)
        .order_by(marks.c.kind, marks.c.value, marks.c.evaluation)
        .limit(_CHUNK)
    )
    with database.reading() as connection:
        return [dict(row) for row in connection.execute(statement).mappings()]


def _settle(database: Database) -> None:
    """Bring everything into the one file, so that it can be renamed."""
    if database.dialect == "sqlite":
        database.pragma("wal_checkpoint(TRUNCATE)")


def _remove(draft: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        draft.with_name(draft.name + suffix).unlink(missing_ok=True)
