"""Walk the whole chain and name the first row that was changed, removed, added or reordered.

The rows of all chained tables are read in the order of `seq`, a few thousand at a time, and every hash is
computed again; so are the references that decide which evaluation is current. Memory stays constant.

What this finds: any change to any row that did not also recompute every later hash and the head. What it
cannot find: somebody who rewrote the whole tail, head and all. Against that, keep a head elsewhere (`adjudge
ledger info` prints it) and pass it back: `expect` must still be on the chain.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator
from math import isfinite
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Column, Table, select

from adjudge.errors import LedgerError, UsageError
from adjudge.ledger.store.chain import GENESIS, Mark, row_hash
from adjudge.ledger.store.schema import CHAINED, head, marks
from adjudge.ledger.upkeep.merkle import Leaves
from adjudge.ledger.upkeep.schema_check import check_schema

if TYPE_CHECKING:
    from adjudge.ledger.store.database import Database

_CHUNK = 2000


class Verification(Struct, frozen=True):
    """What a walk found: how many rows, the hash it ended at, and every problem; none means untouched.

    Only the first problem of the chain is named: after it, no later row can be judged.
    """

    rows: int
    head: str
    problems: tuple[str, ...]
    blobs: int = 0

    @property
    def intact(self) -> bool:
        """Is the ledger as it was written?"""
        return not self.problems


def parse_head(text: str) -> tuple[int, bytes]:
    """A head as `adjudge ledger info` prints it: ROW:HASH."""
    row, _, digest = text.partition(":")
    try:
        number, value = int(row), bytes.fromhex(digest)
    except ValueError:
        number, value = 0, b""
    if number < 1 or len(value) != 32:
        raise UsageError(
            "this is no head of a ledger", found=text, allowed="ROW:HASH, as adjudge ledger info prints"
        )
    return number, value


def verify_chain(database: Database, expect: tuple[int, bytes] | None = None) -> Verification:
    """Walk the chain as it stands now, and look at the schema. An empty ledger is intact."""
    found = _walk(database, expect)
    return replace(found, problems=(*found.problems, *check_schema(database)))


def _walk(database: Database, expect: tuple[int, bytes] | None) -> Verification:
    with database.reading() as connection:
        ends = connection.execute(select(head.c.id, head.c.seq, head.c.hash).limit(2)).all()
    if len(ends) != 1:
        what = "the chain has two heads" if ends else "the head of the chain is missing"
        return Verification(0, GENESIS.hex(), (what,))
    end = ends[0]
    if end.id != 1 or type(end.seq) is not int or type(end.hash) is not bytes:
        return Verification(0, GENESIS.hex(), ("the head of the chain was changed",))
    last, before = 0, GENESIS
    met: bytes | None = None
    made = _Marks(database, end.seq)
    for table, row in _rows(database, up_to=end.seq):
        seq = row["seq"]
        if problem := _misplaced(table, seq, last):
            return Verification(last, before.hex(), (problem,))
        value = _hash_of(before, table, row, made.of(seq))
        if value is None or value != row["hash"]:
            return Verification(last, before.hex(), (_changed(table, row),))
        last, before = seq, value
        if expect is not None and seq == expect[0]:
            met = value
    problems = []
    if (last, before) != (end.seq, end.hash):
        problems.append(
            f"the chain ends at row {last}, but its head says row {end.seq}: "
            f"{_span(last + 1, end.seq) if last < end.seq else 'the head was changed'}"
        )
    if not problems and (extra := _beyond(database)):
        problems.append(extra)
    if expect is not None and met != expect[1]:
        problems.append(
            f"row {expect[0]} does not have the hash you kept: everything up to it was rewritten or cut off"
        )
    return Verification(last, before.hex(), tuple(problems))


def read_leaves(database: Database, at: Collection[int] = ()) -> tuple[Leaves, dict[int, bytes]]:
    """The Merkle leaves of all rows up to the head, and the hashes of the rows asked for and of the last one.

    LedgerError if a row is missing: a tree over the rest would be one that never was.
    """
    with database.reading() as connection:
        last = int(connection.execute(select(head.c.seq)).scalar_one())
    leaves, hashes = Leaves(), {0: GENESIS}
    for seq, value in heapq.merge(*(_hashes(database, table, last) for table in CHAINED)):
        if seq != len(leaves) + 1:
            raise LedgerError(
                _span(len(leaves) + 1, seq - 1) if seq > len(leaves) else f"row {seq} stands twice",
                file=database.location.shown,
            )
        leaves.append(value)
        if seq == last or seq in at:
            hashes[seq] = value
    if len(leaves) != last:
        raise LedgerError(_span(len(leaves) + 1, last), file=database.location.shown)
    return leaves, hashes


def _hashes(database: Database, table: Table, up_to: int) -> Iterator[tuple[int, bytes]]:
    after = 0
    seq, value = table.c.seq, table.c.hash
    while True:
        with database.reading() as connection:
            statement = select(seq, value).where(seq > after, seq <= up_to).order_by(seq).limit(_CHUNK)
            rows = connection.execute(statement).all()
        if not rows:
            return
        for number, raw in rows:
            if type(raw) is not bytes:
                raise LedgerError(f"row {number} ({table.name}) was changed", file=database.location.shown)
            yield number, raw
        after = rows[-1][0]


def _rows(database: Database, *, up_to: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every chained row up to a number, in order."""
    streams = [_named(table.name, _stream(database, table, table.c.seq, up_to)) for table in CHAINED]
    return heapq.merge(*streams, key=lambda item: item[1]["seq"])


def _named(name: str, rows: Iterator[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for row in rows:
        yield name, row


def _stream(database: Database, table: Table, order: Any, up_to: int) -> Iterator[dict[str, Any]]:
    """The rows of a table by an integer column, a chunk at a time; equal values must fit into one chunk."""
    after = 0
    columns = [column.name for column in table.columns]
    place = columns.index(order.name)
    while True:
        with database.reading() as connection:
            statement = select(table).where(order > after, order <= up_to).order_by(order).limit(_CHUNK)
            rows = connection.execute(statement).all()
        if len(rows) == _CHUNK and rows[-1][place] != rows[0][place]:
            # the last value may go on in the next chunk: leave it for then
            rows = [row for row in rows if row[place] != rows[-1][place]]
        if not rows:
            return
        for row in rows:
            yield dict(zip(columns, row, strict=True))
        after = rows[-1][place]


class _Marks:
    """The marks in the order of the rows that made them, handed out row by row."""

    def __init__(self, database: Database, up_to: int) -> None:
        self._rest = _stream(database, marks, marks.c.origin, up_to)
        self._next = next(self._rest, None)

    def of(self, seq: int) -> list[Mark]:
        """The marks made by this row, and any before it that no row has claimed: those break its hash."""
        made: list[Mark] = []
        while self._next is not None and self._next["origin"] <= seq:
            made.append((self._next["kind"], self._next["value"], self._next["evaluation"]))
            self._next = next(self._rest, None)
        return made


def _hash_of(before: bytes, table: str, row: dict[str, Any], made: list[Mark]) -> bytes | None:
    """The hash that a row should have; None if it holds, or a mark of it, what adjudge never writes.

    SQLite keeps any kind of value in any column, and a hash covers bytes as the text that spells them.
    """
    kinds = zip(row.values(), _KINDS[table], strict=True)
    if not all(type(value) in allowed for value, allowed in kinds):
        return None
    if any(type(value) is float and not isfinite(value) for value in row.values()):
        return None
    if any(tuple(map(type, mark)) != (str, int, int) for mark in made):
        return None
    return row_hash(before, table, row, made)


def _kinds(column: Column[Any]) -> tuple[type, ...]:
    kind = column.type.python_type
    return (kind, type(None)) if column.nullable else (kind,)


_KINDS = {table.name: tuple(map(_kinds, table.columns)) for table in CHAINED}


def _misplaced(table: str, seq: int, last: int) -> str | None:
    if seq == last + 1:
        return None
    if seq <= last:
        return f"row {seq} ({table}) stands twice: it was added or moved"
    return _span(last + 1, seq - 1)


def _span(first: int, last: int) -> str:
    return f"row {first} was removed" if first == last else f"rows {first} to {last} were removed"


def _changed(table: str, row: dict[str, Any]) -> str:
    what = row.get("trial_id") or row.get("text")
    named = f" ({table}, {what})" if what else f" ({table})"
    return f"row {row['seq']}{named} was changed, or it or the row before it was moved"


def _beyond(database: Database) -> str | None:
    """Something that no walk up to the head meets: rows after it, marks that belong to no row.

    Each statement asks for the head itself and so sees it as the rows were then, however many writers there
    are; a lock would need more rights than reading.
    """
    now = select(head.c.seq).scalar_subquery()
    with database.reading() as connection:
        for table in CHAINED:
            outside = (table.c.seq > now) | (table.c.seq < 1)
            found = connection.execute(
                select(table.c.seq).where(outside).order_by(table.c.seq).limit(1)
            ).scalar()
            if found is not None:
                return f"row {found} ({table.name}) stands outside the chain: it was added"
        stray = select(marks.c.origin).where((marks.c.origin > now) | (marks.c.origin < 1)).limit(1)
        found = connection.execute(stray).scalar()
        return None if found is None else f"a mark was added that belongs to no row ({found})"
