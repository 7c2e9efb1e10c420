"""A `TrialFilter` as SQL, and the one index that a page of it should walk.

A page must cost as much in a million trials as in a thousand. Every filter has an index in the order of
`seq`; the question is only which one to walk. Neither database's statistics keep up with a ledger that is
being written to, so the choice is made here: each candidate is counted up to `RARE` rows and the rarest is
walked; where even that one is common, its matches lie close together and a walk in page order ends soon.
The one case left that reads far is a combination that is rare though each of its parts is common.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, exists, false, func, or_, select

from adjudge.contracts import Judgment
from adjudge.ledger.disagreement import DISAGREEMENT_THRESHOLD
from adjudge.ledger.filters import TrialFilter
from adjudge.ledger.names import NO_NAME, Names
from adjudge.ledger.schema import (
    MARK_ANNOTATION,
    MARK_DISAGREEMENT,
    MARK_REVIEWER,
    MARK_TAG,
    annotation_table,
    evaluations,
    marks,
    names,
)
from adjudge.ledger.sql import is_current, is_current_annotation, is_current_one_by_one

if TYPE_CHECKING:
    from sqlalchemy import Connection

RARE = 1000
_NAMED = {
    "experiment": "experiment",
    "agent": "agent",
    "model": "model",
    "task": "task",
    "task_digest": "task_digest",
    "outcome": "outcome",
}
_INDEXED = ("experiment", "agent", "model", "task", "outcome")


@dataclass(frozen=True)
class Candidate:
    """An index that could lead: its name, and the condition that enters it."""

    index: str
    condition: ColumnElement[bool]


@dataclass(frozen=True)
class Selection:
    """The conditions of a filter on `evaluations`, and what could lead to them."""

    conditions: tuple[ColumnElement[bool], ...]
    candidates: tuple[Candidate, ...]
    mark: tuple[str, int] | None
    """A kind and value of mark that every match has; walking those is then the best way."""
    single_experiment: bool

    def where(self) -> ColumnElement[bool]:
        """All conditions, and that the evaluation is current: for reading all that match."""
        return and_(*self.conditions, is_current())

    def step_by_step(self, as_of: int | None) -> ColumnElement[bool]:
        """The same for a page, which stops when it is full; `as_of` looks back to when that row was last."""
        return and_(*self.conditions, is_current_one_by_one(as_of=as_of))


def select_by(connection: Connection, known: Names, wanted: TrialFilter) -> Selection:
    """Turn a filter into conditions. A name that the ledger has never seen matches nothing."""
    e = evaluations.c
    conditions: list[ColumnElement[bool]] = []
    candidates: list[Candidate] = []
    for field, column in _NAMED.items():
        values: tuple[str, ...] = getattr(wanted, field)
        if not values:
            continue
        numbers = _numbers(connection, known, values)
        options: list[ColumnElement[bool]] = [e[column].in_(numbers)] if numbers else []
        options += [_prefixed(e[column], value[:-1]) for value in values if _is_prefix(field, value)]
        condition = or_(*options) if options else false()
        conditions.append(condition)
        if column in _INDEXED and len(numbers) == 1 and len(options) == 1:
            exact = e[column] == numbers[0]
            conditions[-1] = exact
            candidates.append(Candidate(f"evaluation_{column}", exact))
    reward = [
        bound
        for bound in (
            None if wanted.min_reward is None else e.reward >= wanted.min_reward,
            None if wanted.max_reward is None else e.reward <= wanted.max_reward,
        )
        if bound is not None
    ]
    if reward:
        conditions += reward
        candidates.append(Candidate("evaluation_reward", and_(*reward)))
    for flag in ("output_parseable", "schema_valid", "verifier_completed"):
        value = getattr(wanted, flag)
        if value is not None:
            conditions.append(e[flag] == int(value))
    if wanted.scored_after is not None:
        conditions.append(e.scored_at >= wanted.scored_after.timestamp())
    if wanted.scored_before is not None:
        conditions.append(e.scored_at < wanted.scored_before.timestamp())
    mark = _mark_conditions(connection, known, wanted, conditions)
    single = any(candidate.index == "evaluation_experiment" for candidate in candidates)
    return Selection(tuple(conditions), tuple(candidates), mark, single)


def _mark_conditions(
    connection: Connection, known: Names, wanted: TrialFilter, conditions: list[ColumnElement[bool]]
) -> tuple[str, int] | None:
    """Add the conditions on tags and annotations; returns the mark to walk, where there is one."""
    leads: list[tuple[str, int]] = []
    for kind, values in ((MARK_TAG, wanted.tag), (MARK_REVIEWER, wanted.reviewer)):
        if not values:
            continue
        numbers = _numbers(connection, known, values)
        conditions.append(_marked(kind, numbers) if numbers else false())
        if len(numbers) == 1:
            leads.append((kind, numbers[0]))
    e = evaluations.c
    if wanted.annotated is not None:
        conditions.append(
            _marked(MARK_ANNOTATION, [NO_NAME])
            if wanted.annotated
            else ~exists(select(1).where(annotation_table.c.trial == e.trial))
        )
        if wanted.annotated:
            leads.append((MARK_ANNOTATION, NO_NAME))
    if wanted.disagreement is not None:
        a = annotation_table.c
        found = exists(
            select(1).where(
                a.trial == e.trial,
                is_current_annotation(),
                or_(
                    and_(a.judgment == Judgment.PASS.value, e.reward < wanted.threshold),
                    and_(a.judgment == Judgment.FAIL.value, e.reward >= wanted.threshold),
                ),
            )
        )
        conditions.append(found if wanted.disagreement else ~found)
        if wanted.disagreement:
            usual = wanted.threshold == DISAGREEMENT_THRESHOLD
            leads.insert(0, (MARK_DISAGREEMENT if usual else MARK_ANNOTATION, NO_NAME))
    return leads[0] if leads else None


def lead(connection: Connection, statement: Any, chosen: Selection, *, by_reward: bool) -> Any:
    """Make the database walk the best index: the rarest condition's, else one in the order of the page."""
    counted = [(_count(connection, candidate), candidate) for candidate in chosen.candidates]
    rare = min(counted, key=lambda pair: pair[0], default=None)
    if rare is not None and rare[0] < RARE:
        return statement.with_hint(evaluations, f"INDEXED BY {rare[1].index}", "sqlite")
    in_page_order(connection)
    if by_reward:
        hint = f"INDEXED BY evaluation{'_experiment' if chosen.single_experiment else ''}_reward"
    else:
        ordered = [c for _, c in counted if c.index != "evaluation_reward"]
        hint = f"INDEXED BY {ordered[0].index}" if ordered else "NOT INDEXED"
    return statement.with_hint(evaluations, hint, "sqlite")


def scan(connection: Connection, statement: Any, chosen: Selection) -> Any:
    """Let SQLite read all that match from the index that has every plain column, unless few can match."""
    few = any(_count(connection, candidate) < RARE for candidate in chosen.candidates)
    return statement if few else statement.with_hint(evaluations, "INDEXED BY evaluation_columns", "sqlite")


def in_page_order(connection: Connection) -> None:
    """Keep PostgreSQL, for this transaction, from collecting and sorting all that match to show fifty.

    Ways that are switched off look dear to it, so it would also compile the walk, which takes far longer than
    walking: that is switched off as well.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(*(func.set_config(name, "off", True) for name in _OFF)))


_OFF = (
    "enable_sort",
    "enable_incremental_sort",
    "enable_bitmapscan",
    "enable_seqscan",
    "enable_hashjoin",
    "jit",
)


def is_rare(connection: Connection, mark: tuple[str, int]) -> bool:
    """Do so few evaluations have this mark that sorting them all is cheaper than walking another order?"""
    some = (
        select(marks.c.origin).where(marks.c.kind == mark[0], marks.c.value == mark[1]).limit(RARE).subquery()
    )
    return connection.execute(select(func.count()).select_from(some)).scalar_one() < RARE


def _count(connection: Connection, candidate: Candidate) -> int:
    some = (
        select(evaluations.c.seq)
        .where(candidate.condition)
        .limit(RARE)
        .with_hint(evaluations, f"INDEXED BY {candidate.index}", "sqlite")
        .subquery()
    )
    return connection.execute(select(func.count()).select_from(some)).scalar_one()


def _numbers(connection: Connection, known: Names, values: tuple[str, ...]) -> list[int]:
    found = known.find(connection, [value for value in values if value])
    return [*found.values(), *([NO_NAME] if "" in values else [])]


def _is_prefix(field: str, value: str) -> bool:
    return field == "task" and value.endswith("*")


def _prefixed(column: ColumnElement[int], prefix: str) -> ColumnElement[bool]:
    """The names that begin with `prefix`: a range, because names compare by code point in both databases."""
    inside = select(names.c.seq).where(names.c.text >= prefix)
    if prefix:
        inside = inside.where(names.c.text < prefix + "\U0010ffff")
    return column.in_(inside)


def _marked(kind: str, numbers: list[int]) -> ColumnElement[bool]:
    m = marks.alias("made").c  # an alias, because the statement may walk `marks` itself
    return exists(select(1).where(m.kind == kind, m.value.in_(numbers), m.evaluation == evaluations.c.seq))
