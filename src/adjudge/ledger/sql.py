"""The few statements that the two databases spell differently, and the two conditions that are everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, FromClause, Table, exists, select

from adjudge.ledger.database import MAX_VARIABLES
from adjudge.ledger.schema import annotation_table, evaluations, head

T = TypeVar("T")


def chunks(items: Iterable[T], size: int = MAX_VARIABLES) -> Iterator[list[T]]:
    """Lists of at most `size`; nothing at all for nothing."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def insert_or_ignore(connection: Connection, table: Table) -> Any:
    """INSERT … ON CONFLICT DO NOTHING."""
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(table).on_conflict_do_nothing()
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table).on_conflict_do_nothing()


def lock_head(connection: Connection) -> tuple[int, bytes]:
    """Where the chain ends. Takes the write lock in PostgreSQL; in SQLite the transaction has it already."""
    row = connection.execute(select(head.c.seq, head.c.hash).where(head.c.id == 1).with_for_update()).one()
    return row.seq, bytes(row.hash)


def is_current(table: FromClause = evaluations, *, as_of: int | None = None) -> ColumnElement[bool]:
    """No other evaluation replaces this one (or none had when row `as_of` was the last)."""
    return _unreplaced(evaluations, table, as_of)


def is_current_annotation(table: FromClause = annotation_table) -> ColumnElement[bool]:
    """The reviewer has not changed their mind since."""
    return _unreplaced(annotation_table, table, None)


def _unreplaced(source: Table, table: FromClause, as_of: int | None) -> ColumnElement[bool]:
    newer = source.alias("newer")
    condition = newer.c.replaces == table.c.seq
    if as_of is not None:
        condition = condition & (newer.c.seq <= as_of)
    return ~exists(select(1).select_from(newer).where(condition))
