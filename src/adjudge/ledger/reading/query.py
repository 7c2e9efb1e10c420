"""Read trials back: one by id, a page of a filtered list, all of them in a stream, or how many there are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from sqlalchemy import and_, bindparam, func, or_, select

from adjudge.contracts import TrialRecord
from adjudge.errors import UsageError
from adjudge.ledger.filters import Sort, TrialFilter
from adjudge.ledger.reading.load import COLUMNS, assemble
from adjudge.ledger.reading.selection import select_by
from adjudge.ledger.store.blobs import BlobFiles
from adjudge.ledger.store.names import Names
from adjudge.ledger.store.planner import in_page_order, is_rare, lead, scan, without_index
from adjudge.ledger.store.schema import evaluations, head, marks, trials
from adjudge.ledger.store.sql import chunks

if TYPE_CHECKING:
    from sqlalchemy import Connection


_HEAD_ROW = select(head.c.seq)
_RECORDS = select(*COLUMNS).select_from(evaluations.join(trials, trials.c.seq == evaluations.c.trial))
_NUMBERED = _RECORDS.where(evaluations.c.seq.in_(bindparam("numbers", expanding=True)))
_HISTORY = _RECORDS.where(evaluations.c.trial == bindparam("wanted")).order_by(evaluations.c.seq.desc())
_NEWEST = _HISTORY.limit(1)


class Page(Struct, frozen=True):
    """Some trials, and where the next ones begin; `next` is None on the last page."""

    records: tuple[TrialRecord, ...]
    next: str | None


class LedgerReader(Struct, frozen=True):
    """What every read needs at hand."""

    connection: Connection
    files: BlobFiles
    names: Names
    streams: bool
    """Fetch verifier streams that are blobs; without them they read as empty."""
    lost: dict[bytes, str] = field(default_factory=dict)
    """Streams that could not be fetched: digest -> why."""

    def records(self, rows: Sequence[Any]) -> Iterator[TrialRecord]:
        """The records of rows that have `COLUMNS`, in their order."""
        return assemble(self.connection, self.files, rows, streams=self.streams, lost=self.lost)


def page(
    reader: LedgerReader,
    wanted: TrialFilter,
    *,
    sort: Sort,
    limit: int,
    after: str | None,
    as_of: int | None = None,
    without: Collection[int] = (),
) -> Page:
    """The next `limit` trials after a cursor. No match, or a limit of 0: an empty last page.

    Trials of the rows `without` are passed over, as if the ledger did not have them.
    """
    rows: Sequence[Any] = ()
    if limit > 0:
        rows = _rows(reader, wanted, sort=sort, limit=limit + 1, after=after, as_of=as_of, without=without)
    more = len(rows) > limit
    rows = rows[:limit]
    records = tuple(reader.records(rows))
    return Page(records, _cursor(sort, rows[-1]) if more else None)


def last_row(connection: Connection) -> int:
    """The number of the newest row; a query bounded by it sees the ledger as it is now."""
    return int(connection.execute(_HEAD_ROW).scalar_one())


def matches(reader: LedgerReader, trial: int, wanted: TrialFilter) -> bool:
    """Is the trial of this row one of those that a filter chooses?"""
    chosen = select_by(reader.connection, reader.names, wanted)
    statement = select(evaluations.c.seq).where(evaluations.c.trial == trial, chosen.where())
    return reader.connection.execute(statement).first() is not None


def count(reader: LedgerReader, wanted: TrialFilter) -> int:
    """How many trials match."""
    chosen = select_by(reader.connection, reader.names, wanted)
    statement = select(func.count()).select_from(evaluations).where(chosen.where())
    return int(reader.connection.execute(scan(reader.connection, statement, chosen.candidates)).scalar_one())


def _rows(reader: LedgerReader, wanted: TrialFilter, **which: Any) -> Sequence[Any]:
    """The rows of a page: which ones first, from indexes alone, and then their documents."""
    numbers = [row.seq for row in _choose(reader, wanted, **which)]
    found: dict[int, Any] = {}
    for some in chunks(numbers):
        rows = reader.connection.execute(_NUMBERED, {"numbers": some})
        found.update((row.seq, row) for row in rows)
    return [found[number] for number in numbers]


def _choose(
    reader: LedgerReader,
    wanted: TrialFilter,
    *,
    sort: Sort,
    limit: int,
    after: str | None,
    as_of: int | None,
    without: Collection[int],
) -> Sequence[Any]:
    e = evaluations.c
    chosen = select_by(reader.connection, reader.names, wanted)
    statement: Any = select(e.seq).where(chosen.step_by_step(as_of)).limit(limit)
    if as_of is not None:
        statement = statement.where(e.seq <= as_of)
    if without:
        statement = statement.where(e.trial.not_in(without))
    by_reward = sort in {Sort.LOWEST, Sort.HIGHEST}
    source: Any = evaluations
    order = e.seq
    if chosen.mark is not None and (not by_reward or is_rare(reader.connection, chosen.mark)):
        kind, value = chosen.mark
        source = marks.join(evaluations, marks.c.evaluation == e.seq)
        statement = statement.where(marks.c.kind == kind, marks.c.value == value)
        statement = without_index(statement)
        if not by_reward:
            in_page_order(reader.connection)
        order = marks.c.evaluation
    else:
        statement = lead(reader.connection, statement, chosen.candidates, by_reward=by_reward)
    if after is not None:
        statement = statement.where(_beyond(sort, after, order))
    return reader.connection.execute(_ordered(statement.select_from(source), sort, order)).all()


def _ordered(statement: Any, sort: Sort, order: Any) -> Any:
    reward = evaluations.c.reward
    if sort is Sort.NEWEST:
        return statement.order_by(order.desc())
    if sort is Sort.OLDEST:
        return statement.order_by(order)
    # the two keys run the same way, so that one walk through an index gives the order
    if sort is Sort.LOWEST:
        return statement.order_by(reward, order)
    return statement.order_by(reward.desc(), order.desc())


def _cursor(sort: Sort, row: Any) -> str:
    return f"{row.reward!r}:{row.seq}" if sort in {Sort.LOWEST, Sort.HIGHEST} else str(row.seq)


def _beyond(sort: Sort, after: str, order: Any) -> Any:
    reward, _, seq = after.rpartition(":")
    try:
        number, value = int(seq), float(reward) if reward else None
    except ValueError:
        number, value = -1, None
    if not 0 <= number < 1 << 63 or (value is not None and not isfinite(value)):
        raise UsageError("this is no cursor", field="after", found=after)
    if (value is None) == (sort in {Sort.LOWEST, Sort.HIGHEST}):
        raise UsageError("this cursor belongs to another order", field="after", found=after)
    if sort is Sort.NEWEST:
        return order < number
    if sort is Sort.OLDEST:
        return order > number
    key = evaluations.c.reward
    if sort is Sort.LOWEST:
        return and_(key >= value, or_(key > value, order > number))
    return and_(key <= value, or_(key < value, order < number))


def of_trials(reader: LedgerReader, numbers: Sequence[int]) -> dict[int, list[TrialRecord]]:
    """These trials (by row) with each of their evaluations, the current one first."""
    e = evaluations.c
    statement = _RECORDS.order_by(e.trial, e.seq.desc())
    found: dict[int, list[TrialRecord]] = {}
    for some in chunks(numbers):
        rows = reader.connection.execute(statement.where(e.trial.in_(some))).all()
        for row, record in zip(rows, reader.records(rows), strict=True):
            found.setdefault(row.trial, []).append(record)
    return found


def of_trial(reader: LedgerReader, trial: int, *, newest: bool = False) -> Iterator[TrialRecord]:
    """A trial with each of its evaluations, the current one first; `newest` reads that one alone."""
    rows = reader.connection.execute(_NEWEST if newest else _HISTORY, {"wanted": trial}).all()
    return reader.records(rows)
