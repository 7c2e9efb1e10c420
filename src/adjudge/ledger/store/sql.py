"""The few statements that the two databases spell differently, and the two conditions that are everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Table, exists, select

from adjudge.ledger.store.database import MAX_VARIABLES
from adjudge.ledger.store.schema import annotation_table, evaluations, head

T = TypeVar("T")

_HEAD = select(head.c.seq, head.c.hash).where(head.c.id == 1).with_for_update()


def chunks(items: Iterable[T], size: int = MAX_VARIABLES) -> Iterator[list[T]]:
    """Lists of at most `size`; nothing at all for nothing."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def insert_rows(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]], *, unless_there: bool = False
) -> None:
    """Insert rows through the driver: their values need no conversion, and this is where time goes.

    All rows name the same columns, at least two; others are left to the database. `unless_there` passes over
    rows whose key is taken.
    """
    columns = [column.name for column in table.columns if column.name in rows[0]]
    if connection.dialect.name == "sqlite":
        verb, place, end = f"INSERT OR {'IGNORE' if unless_there else 'FAIL'}", "?", ""
    else:
        verb, place, end = "INSERT", "%s", " ON CONFLICT DO NOTHING" if unless_there else ""
    places = ", ".join([place] * len(columns))
    statement = f"{verb} INTO {table.name} ({', '.join(columns)}) VALUES ({places}){end}"
    connection.exec_driver_sql(statement, list(map(itemgetter(*columns), rows)))


def trials_by_id(connection: Connection, columns: str, ids: Iterable[str]) -> Iterator[Sequence[Any]]:
    """These columns of the trials that have one of these ids, each once; unknown ids are left out.

    Through the driver: a run asks for each of its ids, mostly in vain, and SQLAlchemy takes longer to make a
    list of hundreds of parameters than the database takes to find nothing.
    """
    place = "?" if connection.dialect.name == "sqlite" else "%s"
    for some in chunks(dict.fromkeys(ids)):
        places = ", ".join([place] * len(some))
        statement = f"SELECT {columns} FROM trials WHERE trial_id IN ({places})"  # noqa: S608 - our own words
        yield from connection.exec_driver_sql(statement, tuple(some))


def lock_head(connection: Connection) -> tuple[int, bytes]:
    """Where the chain ends. Takes the write lock in PostgreSQL; in SQLite the transaction has it already."""
    row = connection.execute(_HEAD).one()
    return row.seq, bytes(row.hash)


@lru_cache(maxsize=4)  # building a statement costs more than running it
def is_current(*, as_of: int | None = None) -> ColumnElement[bool]:
    """No other evaluation replaces this one (or none had when row `as_of` was the last)."""
    return ~exists(_newer(evaluations, as_of))


@lru_cache(maxsize=4)
def is_current_one_by_one(*, as_of: int | None = None) -> ColumnElement[bool]:
    """The same, asked row by row through the index: for a page, which PostgreSQL would hash a table for."""
    newer: ColumnElement[bool] = _newer(evaluations, as_of).limit(1).scalar_subquery().is_(None)
    return newer


@lru_cache(maxsize=4)  # building a statement costs more than running it
def is_current_annotation() -> ColumnElement[bool]:
    """The reviewer has not changed their mind since."""
    return ~exists(_newer(annotation_table, None))


def _newer(table: Table, as_of: int | None) -> Any:
    newer = table.alias("newer")
    found = select(newer.c.seq).where(newer.c.replaces == table.c.seq).correlate(table)
    return found if as_of is None else found.where(newer.c.seq <= as_of)
