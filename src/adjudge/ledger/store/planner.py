"""What is switched and hinted in SQL, so that a page costs as much in a million trials as in a thousand.

Every filter has an index in the order of `seq`; the question is only which one to walk. Neither database's
statistics keep up with a ledger that is being written to, so the choice is made here: each candidate is
counted up to `RARE` rows and the rarest is walked; if even that one is common, its matches lie close together
and a walk in page order ends soon. The one case left that reads far is a combination that is rare though each
of its parts is common.

SQLite is told by `INDEXED BY`; PostgreSQL has no hints, so the ways it must not go are switched off.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler

from adjudge.ledger.store.schema import evaluations, marks

if TYPE_CHECKING:
    from sqlalchemy import Connection

RARE = 1000
_REWARD = "evaluation_reward"
_EXPERIMENT = "evaluation_experiment"
_OFF = (
    "enable_sort",
    "enable_incremental_sort",
    "enable_bitmapscan",
    "enable_seqscan",
    "enable_hashjoin",
    "jit",
)


class Candidate(Struct, frozen=True):
    """An index that could lead: its name, and the condition that enters it."""

    index: str
    condition: ColumnElement[bool]


class HintedCompiler(SQLiteCompiler):
    """SQLite's compiler, which by itself leaves out the hints given here."""

    def get_from_hint_text(self, table: Any, text: str | None) -> str | None:
        """The hint as it was given."""
        return text


def lead(connection: Connection, statement: Any, candidates: Sequence[Candidate], *, by_reward: bool) -> Any:
    """Make the database walk the best index: the rarest condition's, else one in the order of the page."""
    counted = [(_count(connection, candidate), candidate) for candidate in candidates]
    rare = min(counted, key=lambda pair: pair[0], default=None)
    if rare is not None and rare[0] < RARE:
        return _walking(statement, rare[1].index)
    in_page_order(connection)
    names = [candidate.index for candidate in candidates]
    if by_reward:
        return _walking(statement, f"{_EXPERIMENT}_reward" if _EXPERIMENT in names else _REWARD)
    ordered = [name for name in names if name != _REWARD]
    return _walking(statement, ordered[0]) if ordered else without_index(statement)


def scan(connection: Connection, statement: Any, candidates: Sequence[Candidate]) -> Any:
    """Let SQLite read all that match from the index that has every plain column, unless few can match."""
    few = any(_count(connection, candidate) < RARE for candidate in candidates)
    return statement if few else _walking(statement, "evaluation_columns")


def in_page_order(connection: Connection) -> None:
    """Keep PostgreSQL, for this transaction, from collecting and sorting all that match to show fifty.

    Ways that are switched off look dear to it, so it would also compile the walk, which takes far longer than
    walking: that is switched off as well.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(*(func.set_config(name, "off", True) for name in _OFF)))


def is_rare(connection: Connection, mark: tuple[str, int]) -> bool:
    """Do so few evaluations have this mark that sorting them all is cheaper than walking another order?"""
    some = (
        select(marks.c.origin).where(marks.c.kind == mark[0], marks.c.value == mark[1]).limit(RARE).subquery()
    )
    return connection.execute(select(func.count()).select_from(some)).scalar_one() < RARE


def without_index(statement: Any) -> Any:
    """Let SQLite find evaluations by their number only."""
    return statement.with_hint(evaluations, "NOT INDEXED", "sqlite")


def _walking(statement: Any, index: str) -> Any:
    return statement.with_hint(evaluations, f"INDEXED BY {index}", "sqlite")


def _count(connection: Connection, candidate: Candidate) -> int:
    """How many evaluations fulfil a condition, counted up to `RARE`."""
    some = select(evaluations.c.seq).where(candidate.condition).limit(RARE)
    counted = select(func.count()).select_from(_walking(some, candidate.index).subquery())
    return connection.execute(counted).scalar_one()
