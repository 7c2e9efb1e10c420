"""Score stored outputs again with today's verifiers, add the evaluations, and say what changed.

Nothing is overwritten: the older evaluation stays readable in the trial's history. A trial whose task has
not changed since its newest evaluation is left alone, unless it is asked for `again`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from adjudge.contracts import ErrorSource, EvaluationResult, Task, TrialRecord
from adjudge.errors import LedgerError
from adjudge.ledger import Disconnected, TrialFilter, Written
from adjudge.runs.entries import another_entry, machinery_failure
from adjudge.runs.progress import Tally
from adjudge.runs.stored_output import restore_output
from adjudge.runs.work import Executor, Job
from adjudge.scoring import MECHANICAL_CATEGORIES, Outcome, breakdown_rows, outcome_of

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

_CHUNK = 200


@dataclass(frozen=True)
class FieldChange:
    """A field whose score moved; None where one side has no such field."""

    field: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Change:
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
    """Why there is no plain score after, in the words of the record; None where there is one."""

    @property
    def flipped(self) -> bool:
        """Did the reward or the outcome change?"""
        return self.before != self.after or self.outcome_before is not self.outcome_after


@dataclass
class Rescored:
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

    def jobs() -> Iterator[Job]:
        records = ledger.iterate(wanted, streams=False)
        while not should_stop() and (chunk := list(islice(records, _CHUNK))):
            states = ledger.states(record.trial_id for record in chunk)
            for record in chunk:
                task = tasks.get(record.task_id)
                if task is None:
                    done.no_task[record.task_id] += 1
                elif task.digest == record.task_digest and not again:
                    done.unchanged_task += 1
                else:
                    try:
                        output = restore_output(ledger, record, task)
                    except Disconnected:  # says nothing about the output
                        raise
                    except LedgerError as error:
                        done.not_kept[record.trial_id] = str(error)
                    else:
                        key = (record, states[record.trial_id].evaluation_id)
                        yield Job(key, task, output)
                        continue
                tally.already += 1
            on_change()

    for batch in executor(jobs(), should_stop):
        entries = []
        pairs: list[tuple[TrialRecord, EvaluationResult]] = []
        for finished in batch:
            before, evaluation_id = finished.job.key
            scored = finished.scored
            if scored is None:
                tally.machinery[finished.failure or ""] += 1
                scored = machinery_failure(finished.job.task, finished.job.output, finished.failure or "")
            entries.append(another_entry(before, finished.job.task, scored, evaluation_id))
            pairs.append((before, scored.result))
        for (before, result), answer in zip(pairs, ledger.record(entries), strict=True):
            if answer.written is Written.NOTHING:  # another re-score was faster
                tally.already += 1
                continue
            tally.scored += 1
            tally.rescored += 1
            tally.reward_sum += result.reward
            tally.outcomes[outcome_of(result).value] += 1
            done.changes.append(_change(before, result))
        on_change()
    tally.interrupted = should_stop()
    return done


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
