"""A SQLite file as a document: its tables are lists of records, which can be changed and written again.

The file is opened in memory, and only if it is small and plain: a few tables, no bytes in its cells. What is
written has the same tables with other rows. Rows that the table's own rules refuse (a key that stands twice)
go into a table of the same columns without rules, as an agent could make it.
"""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from typing import Any

from adjudge.audit.documents.leaves import leaves

MAGIC = b"SQLite format 3\x00"
_MAX_BYTES = 1 << 20
_MAX_TABLES = 5
_MAX_ROWS = 500
_STEPS = 5_000_000
_RAW = re.compile(r"@@([^@]+)@@")

Tables = dict[str, list[dict[str, Any]]]


def read_database(data: bytes) -> Tables | None:
    """Its tables with their rows; None if it is damaged, large, or holds what no text could."""
    if len(data) > _MAX_BYTES:
        return None
    try:
        with closing(_opened(data)) as db:
            names = [name for (name,) in db.execute(_TABLES).fetchmany(_MAX_TABLES + 1)]
            found = {name: _rows(db, name) for name in names[:_MAX_TABLES]}
    except sqlite3.Error:
        return None
    cells = [cell for rows in found.values() for row in rows for cell in row.values()]
    fit = len(names) <= _MAX_TABLES and all(len(rows) <= _MAX_ROWS for rows in found.values())
    return found if fit and leaves(found) and not any(isinstance(cell, bytes) for cell in cells) else None


def write_database(data: bytes, value: Any) -> bytes:
    """The database with the rows of `value`; a table that `value` does not have is dropped."""
    tables = value if isinstance(value, dict) else {}
    with closing(_opened(data)) as db:
        for (name,) in db.execute(_TABLES).fetchall():
            columns = [column for _, column, *_ in db.execute(f"pragma table_info({_quoted(name)})")]
            given = tables.get(name)
            if not isinstance(given, list):
                db.execute(f"drop table {_quoted(name)}")
                continue
            rows = [row for row in given if isinstance(row, dict)]
            try:
                db.execute("savepoint filling")
                db.execute(f"delete from {_quoted(name)}")  # noqa: S608 - names are quoted
                _fill(db, name, columns, rows)
            except sqlite3.IntegrityError:
                db.execute("rollback to filling")
                db.execute(f"drop table {_quoted(name)}")
                db.execute(f"create table {_quoted(name)} ({', '.join(map(_quoted, columns))})")
                _fill(db, name, columns, rows)
            db.execute("release filling")
        return db.serialize()


_TABLES = "select name from sqlite_master where type = 'table' and name not like 'sqlite~_%' escape '~'"


def _opened(data: bytes) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.deserialize(data)
    db.execute("pragma trusted_schema = off")
    steps = iter(range(_STEPS // 1000))
    db.set_progress_handler(lambda: 0 if next(steps, None) is not None else 1, 1000)
    return db


def _rows(db: sqlite3.Connection, name: str) -> list[dict[str, Any]]:
    cursor = db.execute(f"select * from {_quoted(name)} limit {_MAX_ROWS + 1}")  # noqa: S608 - names are quoted
    columns = [column for column, *_ in cursor.description]
    return [dict(zip(columns, row, strict=True)) for row in cursor]


def _fill(db: sqlite3.Connection, name: str, columns: list[str], rows: list[dict[str, Any]]) -> None:
    for row in rows:
        known = [column for column in columns if column in row]
        if known:
            places = ", ".join("?" * len(known))
            into = f"{_quoted(name)} ({', '.join(map(_quoted, known))})"
            db.execute(f"insert into {into} values ({places})", [_cell(row[column]) for column in known])  # noqa: S608 - names are quoted


def _cell(value: Any) -> Any:
    """As a database holds it: lists as text, numbers in odd spellings as what they are."""
    if isinstance(value, str) and (raw := _RAW.fullmatch(value)):
        return float(raw[1])
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return float(value) if abs(value) < 10**300 else str(value)
    return value if isinstance(value, str | int | float) or value is None else json.dumps(value)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
