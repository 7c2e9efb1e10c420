"""Write imported trials to the ledger, each once.

What is there already is left alone, with two exceptions, each of which adds an evaluation and leaves the
older one in the history: a trial that had no result when it was first recorded and has one now, and a
regrade of a trial of the same experiment. Whether an evaluation came from this very result is told by the
digest of Harbor's `result.json`.

Harbor does not number attempts. A new trial is the next attempt of its task, agent and model in its
experiment.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from adjudge.integrations.harbor.causes import PREFIX, REGRADE
from adjudge.integrations.harbor.record import RESULT, harbor_trial_id
from adjudge.ledger import PreparedEntry, TrialEntry, TrialFilter, TrialState, Written, prepare
from adjudge.scoring import Outcome, record_again

if TYPE_CHECKING:
    from adjudge.ledger import Ledger  # see `importer`

Reread = Callable[[], TrialEntry]
"""Gives the entry that was prepared, for the few trials of which more has to be known."""


class ImportSummary(Struct):
    """What an import did."""

    jobs: int = 0
    trials: int = 0
    evaluations: int = 0
    already: int = 0
    conflicts: list[str] = field(default_factory=list)
    rewards: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    @property
    def seen(self) -> int:
        """How many trial folders were looked at."""
        return self.trials + self.evaluations + self.already + len(self.conflicts)


class ImportRecorder(Struct):
    """Records trials of one experiment and counts what it did in `summary`."""

    ledger: Ledger
    experiment: str
    summary: ImportSummary = field(default_factory=ImportSummary)
    _attempts: dict[tuple[str | None, ...], int] | None = None

    def record(
        self,
        batch: Sequence[tuple[PreparedEntry, Reread]],
        *,
        source_jobs: Mapping[str, str] | None = None,
    ) -> None:
        """Write what is new of a batch. `source_jobs` are the jobs that this one grades again, by folder."""
        states = self.ledger.states(made.trial_id for made, _ in batch)
        fresh: list[PreparedEntry] = []
        for made, reread in batch:
            state = states.get(made.trial_id)
            if source_jobs and (source := _source_id(reread(), source_jobs)) is not None:
                state = self.ledger.states([source]).get(source, state)
            if state is None:
                fresh.append(self._numbered(made))
            elif (again := self._again(made, state, reread)) is not None:
                fresh.append(again)
            else:
                self.summary.already += 1
        self._write(fresh)

    def _write(self, fresh: Sequence[PreparedEntry]) -> None:
        for made, answer in zip(fresh, self.ledger.record_prepared(fresh), strict=True):
            if answer.written is Written.CONFLICT:
                self.summary.conflicts.append(answer.conflict or answer.trial_id)
            elif answer.written is Written.NOTHING:
                self.summary.already += 1
            else:
                self.summary.trials += answer.written is Written.TRIAL
                self.summary.evaluations += answer.written is Written.EVALUATION
                self.summary.rewards += made.reward
                self.summary.outcomes[made.outcome] += 1
                self.summary.tags.update(set(made.categories))

    def _numbered(self, made: PreparedEntry) -> PreparedEntry:
        if self._attempts is None:
            self._attempts = _attempts(self.ledger, self.experiment)
        key = (made.named["task"], made.named["agent"], made.named["model"])
        attempt = self._attempts[key] = self._attempts.get(key, 0) + 1
        if attempt == made.columns["attempt"]:
            return made
        trial = json.dumps(json.loads(made.trial) | {"attempt": attempt}, ensure_ascii=False)
        return made._replace(trial=trial, columns={**made.columns, "attempt": attempt})

    def _again(self, made: PreparedEntry, state: TrialState, reread: Reread) -> PreparedEntry | None:
        """Another evaluation of a trial that is there; None if this result was recorded before."""
        if PREFIX + REGRADE not in made.categories and state.outcome != Outcome.MACHINERY_FAILED:
            return None
        entry = reread()
        record = entry.record
        history = self.ledger.history(state.trial_id)
        digest = record.run.artifacts.get(RESULT)
        if digest is None or any(before.run.artifacts.get(RESULT) == digest for before in history):
            return None
        adopted = record_again(
            history[0],
            evaluation=record.evaluation,
            run=record.run,
            task_digest=None,
            scored_at=record.scored_at,
        )
        return prepare(TrialEntry(adopted, blobs=entry.blobs, replaces=state.evaluation_id))


def _source_id(entry: TrialEntry, source_jobs: Mapping[str, str]) -> str | None:
    """The id of the trial that a regrade grades again; None if the job does not say which it is."""
    record = entry.record
    source = record.metadata["harbor"].get("regrade_of")
    if not isinstance(source, dict):
        return None
    folder, _, name = str(source.get("path", "")).rstrip("/").rpartition("/")
    job = source_jobs.get(folder)
    return None if job is None else harbor_trial_id(record.experiment, job, name)


def _attempts(ledger: Ledger, experiment: str) -> dict[tuple[str | None, ...], int]:
    """The highest attempt so far of each task, agent and model."""
    columns = ledger.columns(TrialFilter(experiment=(experiment,)))
    models = (*columns.model.categories, None)  # the code of "none" is -1
    highest: dict[tuple[str | None, ...], int] = {}
    rows = zip(columns.task.codes, columns.agent.codes, columns.model.codes, columns.attempt, strict=True)
    for task, agent, model, attempt in rows:
        key = (columns.task.categories[task], columns.agent.categories[agent], models[model])
        highest[key] = max(highest.get(key, 0), int(attempt))
    return highest
