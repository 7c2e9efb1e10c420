"""A `TrialFilter` as SQL: one function per field, in one table.

Which index leads to the matching rows is the planner's to choose (`store/planner.py`); here it is only said
which ones could.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from sqlalchemy import ColumnElement, and_, exists, false, or_, select

from adjudge.contracts import Judgment
from adjudge.ledger.filters import DISAGREEMENT_THRESHOLD, TrialFilter
from adjudge.ledger.store.names import NO_NAME, Names
from adjudge.ledger.store.planner import Candidate
from adjudge.ledger.store.schema import (
    MARK_ANNOTATION,
    MARK_DISAGREEMENT,
    MARK_REVIEWER,
    MARK_TAG,
    annotation_table,
    attachments,
    evaluations,
    marks,
    names,
)
from adjudge.ledger.store.sql import is_current, is_current_annotation, is_current_one_by_one

if TYPE_CHECKING:
    from sqlalchemy import Connection

_JUDGEMENT = "judgement"
"""The kind of attachment that a judge's word on a trial is."""
_INDEXED = ("experiment", "agent", "model", "task", "outcome")
"""Columns with an index `evaluation_COLUMN`."""


class Selection(Struct, frozen=True):
    """The conditions of a filter on `evaluations`, and what could lead to them."""

    conditions: tuple[ColumnElement[bool], ...]
    candidates: tuple[Candidate, ...]
    mark: tuple[str, int] | None
    """A kind and value of mark that every match has; walking those is then the best way."""

    def where(self) -> ColumnElement[bool]:
        """All conditions, and that the evaluation is current: for reading all that match."""
        return and_(*self.conditions, is_current())

    def step_by_step(self, as_of: int | None) -> ColumnElement[bool]:
        """The same for a page, which stops when it is full; `as_of` looks back to when that row was last."""
        return and_(*self.conditions, is_current_one_by_one(as_of=as_of))


class _Draft(Struct):
    """A selection in the making, and what it is made from."""

    connection: Connection
    known: Names
    wanted: TrialFilter
    conditions: list[ColumnElement[bool]] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    marks: list[tuple[str, int]] = field(default_factory=list)

    def numbers(self, values: tuple[str, ...]) -> list[int]:
        """Of names; one that the ledger has never seen has none, and an empty one stands for "none"."""
        found = self.known.find(self.connection, [value for value in values if value])
        return [*found.values(), *([NO_NAME] if "" in values else [])]


def select_by(connection: Connection, known: Names, wanted: TrialFilter) -> Selection:
    """Turn a filter into conditions. A name that the ledger has never seen matches nothing."""
    draft = _Draft(connection, known, wanted)
    for name, add in CONDITIONS.items():
        value = getattr(wanted, name)
        if value is not None and value != ():
            add(draft, value)
    if wanted.min_reward is not None or wanted.max_reward is not None:
        draft.candidates.append(Candidate("evaluation_reward", and_(*_reward_bounds(wanted))))
    return Selection(
        tuple(draft.conditions), tuple(draft.candidates), draft.marks[0] if draft.marks else None
    )


def _named(column: str, draft: _Draft, values: tuple[str, ...]) -> None:
    place = evaluations.c[column]
    numbers = draft.numbers(values)
    options: list[ColumnElement[bool]] = [place.in_(numbers)] if numbers else []
    if column == "task":
        options += [_begins_with(place, value[:-1]) for value in values if value.endswith("*")]
    if column in _INDEXED and len(numbers) == 1 and len(options) == 1:
        exact = place == numbers[0]
        draft.conditions.append(exact)
        draft.candidates.append(Candidate(f"evaluation_{column}", exact))
    else:
        draft.conditions.append(or_(*options) if options else false())


def _not_task(draft: _Draft, values: tuple[str, ...]) -> None:
    place = evaluations.c.task
    draft.conditions.append(place.not_in(draft.numbers(values)))
    draft.conditions += [~_begins_with(place, value[:-1]) for value in values if value.endswith("*")]


def _begins_with(column: ColumnElement[int], prefix: str) -> ColumnElement[bool]:
    """The names that begin with `prefix`: a range, because names compare by code point in both databases."""
    inside = select(names.c.seq).where(names.c.text >= prefix)
    if prefix:
        inside = inside.where(names.c.text < prefix + "\U0010ffff")
    return column.in_(inside)


def _least(draft: _Draft, reward: float) -> None:
    draft.conditions.append(evaluations.c.reward >= reward)


def _most(draft: _Draft, reward: float) -> None:
    draft.conditions.append(evaluations.c.reward <= reward)


def _reward_bounds(wanted: TrialFilter) -> list[ColumnElement[bool]]:
    reward = evaluations.c.reward
    low = [] if wanted.min_reward is None else [reward >= wanted.min_reward]
    return low if wanted.max_reward is None else [*low, reward <= wanted.max_reward]


def _flag(column: str, draft: _Draft, value: bool) -> None:
    draft.conditions.append(evaluations.c[column] == int(value))


def _after(draft: _Draft, moment: datetime) -> None:
    draft.conditions.append(evaluations.c.scored_at >= moment.timestamp())


def _before(draft: _Draft, moment: datetime) -> None:
    draft.conditions.append(evaluations.c.scored_at < moment.timestamp())


def _by_mark(kind: str, draft: _Draft, values: tuple[str, ...]) -> None:
    numbers = draft.numbers(values)
    draft.conditions.append(_marked(kind, numbers) if numbers else false())
    if len(numbers) == 1:
        draft.marks.append((kind, numbers[0]))


def _annotated(draft: _Draft, value: bool) -> None:
    if value:
        draft.conditions.append(_marked(MARK_ANNOTATION, [NO_NAME]))
        draft.marks.append((MARK_ANNOTATION, NO_NAME))
    else:
        said = select(1).where(annotation_table.c.trial == evaluations.c.trial)
        draft.conditions.append(~exists(said))


def _judged(draft: _Draft, value: bool) -> None:
    a = attachments.c
    made = exists(select(1).where(a.kind == _JUDGEMENT, a.trial == evaluations.c.trial))
    draft.conditions.append(made if value else ~made)


def _disagreement(draft: _Draft, value: bool) -> None:
    a, e, threshold = annotation_table.c, evaluations.c, draft.wanted.threshold
    found = exists(
        select(1).where(
            a.trial == e.trial,
            is_current_annotation(),
            or_(
                and_(a.judgment == Judgment.PASS.value, e.reward < threshold),
                and_(a.judgment == Judgment.FAIL.value, e.reward >= threshold),
            ),
        )
    )
    draft.conditions.append(found if value else ~found)
    if value:
        usual = threshold == DISAGREEMENT_THRESHOLD
        draft.marks.append((MARK_DISAGREEMENT if usual else MARK_ANNOTATION, NO_NAME))


def _marked(kind: str, numbers: list[int]) -> ColumnElement[bool]:
    m = marks.alias("made").c  # an alias, because the statement may walk `marks` itself
    return exists(select(1).where(m.kind == kind, m.value.in_(numbers), m.evaluation == evaluations.c.seq))


CONDITIONS: dict[str, Callable[[_Draft, Any], None]] = {
    **{name: partial(_named, name) for name in (*_INDEXED, "task_digest")},
    "not_task": _not_task,
    "min_reward": _least,
    "max_reward": _most,
    **{name: partial(_flag, name) for name in ("output_parseable", "schema_valid", "verifier_completed")},
    "scored_after": _after,
    "scored_before": _before,
    "disagreement": _disagreement,  # of several marks the first leads: the rarest kind comes first
    "tag": partial(_by_mark, MARK_TAG),
    "reviewer": partial(_by_mark, MARK_REVIEWER),
    "annotated": _annotated,
    "judged": _judged,
}
"""What each field of `TrialFilter` asks; `threshold` alone asks nothing and belongs to `disagreement`."""
