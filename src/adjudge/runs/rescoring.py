"""Score stored outputs again with today's verifiers, add the evaluations, and say what changed.

Nothing is overwritten: the older evaluation stays readable in the trial's history. A trial whose task has
not changed since its newest evaluation is left alone, unless it is asked for `again`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct, field

from adjudge.contracts import ErrorSource, EvaluationResult, Task, TrialRecord
from adjudge.errors import LedgerError
from adjudge.ledger import Disconnected, TrialFilter, Written
from adjudge.runs.conduct import conduct
from adjudge.runs.plan import Plan
from adjudge.runs.stored_output import restore_output
from adjudge.runs.tally import Tally
from adjudge.runs.trial import Trial
from adjudge.runs.workers import Executor
from adjudge.scoring import MECHANICAL_CATEGORIES, Outcome, breakdown_rows, outcome_of

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

_CHUNK = 200


class FieldChange(Struct, frozen=True):
    """A field whose score moved; None if one side has no such field."""

    field: str
    before: float | None
    after: float | None


class Change(Struct, frozen=True):
    """A trial before and after."""

    trial_id: str
    task_id: str
    agent: str
    model: str | None
    before: float
    after: float
    outcome_before: Outcome
    outcome_after: Outcome
    fields: tuple[FieldChange, ...]
    """What moved, furthest first."""
    problem: str | None = None
    """Why there is no plain score after, in the words of the record; None if there is one."""

    @property
    def flipped(self) -> bool:
        """Did the reward or the outcome change?"""
        return self.before != self.after or self.outcome_before is not self.outcome_after


class Rescored(Struct):
    """What a re-score did and what it could not do."""

    changes: list[Change] = field(default_factory=list)
    unchanged_task: int = 0
    """Trials left alone, because their task is as it was."""
    no_task: Counter[str] = field(default_factory=Counter)
    """Tasks that today's tasks root does not have, and how many trials stand on them."""
    not_kept: dict[str, str] = field(default_factory=dict)
    """Trials whose output cannot be brought back, and why."""


def changed_fields(before: EvaluationResult, after: EvaluationResult) -> tuple[FieldChange, ...]:
    """The fields of two breakdowns that differ, furthest first. No breakdown has no fields."""
    old, new = _scores(before), _scores(after)
    changes = [
        FieldChange(name, old.get(name), new.get(name))
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    ]
    return tuple(sorted(changes, key=lambda c: (-abs((c.after or 0.0) - (c.before or 0.0)), c.field)))


def _scores(result: EvaluationResult) -> dict[str, float | None]:
    return {row.field: row.normalised for row in breakdown_rows(result.breakdown or {})}


class RescorePlan(Plan):
    """What a number of trials of the ledger come to."""

    unchanged_task: int = 0
    no_task: Counter[str] = field(default_factory=Counter)
    not_kept: dict[str, str] = field(default_factory=dict)


def rescore(
    ledger: Ledger,
    wanted: TrialFilter,
    tasks: Mapping[str, Task],
    executor: Executor,
    *,
    tally: Tally,
    again: bool = False,
    should_stop: Callable[[], bool] = lambda: False,
    on_change: Callable[[], None] = lambda: None,
) -> Rescored:
    """Score every matching trial again. An output that was not kept costs that trial only."""
    done = Rescored()
    plans = plan_rescore(ledger, wanted, tasks, again=again)
    for step in conduct(ledger, plans, executor, should_stop=should_stop):
        tally.count(step)
        if isinstance(step, RescorePlan):
            done.unchanged_task += step.unchanged_task
            done.no_task += step.no_task
            done.not_kept |= step.not_kept
        else:
            done.changes += [
                _change(one.finished.trial.before, one.result)
                for one in step
                if one.finished.trial.before is not None and one.answer.written is Written.EVALUATION
            ]
        on_change()
    tally.interrupted = should_stop()
    ledger.sign_if_asked()
    return done


def plan_rescore(
    ledger: Ledger, wanted: TrialFilter, tasks: Mapping[str, Task], *, again: bool
) -> Iterator[RescorePlan]:
    """What is to be scored of the matching trials, some hundred at a time. Reads the ledger only."""
    records = ledger.iterate(wanted, streams=False)
    while chunk := list(islice(records, _CHUNK)):
        plan = RescorePlan()
        states = ledger.states(record.trial_id for record in chunk)
        for record in chunk:
            task = tasks.get(record.task_id)
            if task is None:
                plan.no_task[record.task_id] += 1
            elif task.digest == record.task_digest and not again:
                plan.unchanged_task += 1
            else:
                try:
                    output = restore_output(ledger, record, task)
                except Disconnected:  # says nothing about the output
                    raise
                except LedgerError as error:
                    plan.not_kept[record.trial_id] = str(error)
                else:
                    plan.to_score.append(
                        Trial(
                            record.trial_id,
                            record.identity,
                            task,
                            output,
                            where=record.trial_id,
                            before=record,
                            replaces=states[record.trial_id].evaluation_id,
                        )
                    )
        plan.already = len(chunk) - len(plan.to_score)
        yield plan


def _change(before: TrialRecord, after: EvaluationResult) -> Change:
    return Change(
        trial_id=before.trial_id,
        task_id=before.task_id,
        agent=before.agent.name,
        model=before.agent.model,
        before=before.evaluation.reward,
        after=after.reward,
        outcome_before=outcome_of(before.evaluation),
        outcome_after=outcome_of(after),
        fields=changed_fields(before.evaluation, after),
        problem=_problem(after),
    )


def _problem(result: EvaluationResult) -> str | None:
    if outcome_of(result) in (Outcome.SCORED, Outcome.WRONG):
        return None
    own = (tag for tag in result.error_taxonomy or () if tag.source is ErrorSource.MECHANICAL)
    said = [tag.description for tag in own if tag.category in MECHANICAL_CATEGORIES and tag.description]
    return next(iter([*said, *result.validity.errors]), None)
