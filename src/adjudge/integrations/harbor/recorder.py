"""Write imported trials to the ledger, each once.

What is there already is left alone, with two exceptions, each of which adds an evaluation and leaves the
older one in the history: a trial that had no result when it was first recorded and has one now, and a
regrade of a trial of the same experiment. Whether an evaluation came from this very result is told by the
digest of Harbor's `result.json`.

Harbor does not number attempts. A new trial is the next attempt of its task, agent and model in its
experiment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from adjudge.contracts import TrialRecord
from adjudge.integrations.harbor.record import RESULT, harbor_trial_id
from adjudge.ledger import Ledger, TrialEntry, TrialFilter, TrialState, Written
from adjudge.scoring import Outcome, outcome_of

REMEMBERED = 50_000
"""Digests of blobs; what is forgotten is handed over once more, which does no harm."""


@dataclass
class ImportSummary:
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


@dataclass
class Recorder:
    """Records trials of one experiment and counts what it did in `summary`."""

    ledger: Ledger
    experiment: str
    summary: ImportSummary = field(default_factory=ImportSummary)
    _attempts: dict[tuple[str, str, str | None], int] | None = None
    _handed_over: set[str] = field(default_factory=set)
    """Digests of blobs that are in the ledger, or in the batch being written."""

    def record(self, entries: Sequence[TrialEntry], *, source_jobs: Mapping[str, str] | None = None) -> None:
        """Write what is new of a batch. `source_jobs` are the jobs that this one grades again, by folder."""
        states = self.ledger.states(entry.record.trial_id for entry in entries)
        fresh: list[TrialEntry] = []
        for entry in entries:
            trial_id = entry.record.trial_id
            if source_jobs and (source := _source_id(entry.record, source_jobs)) is not None:
                state = self.ledger.states([source]).get(source)
                trial_id = source if state is not None else trial_id
            else:
                state = states.get(trial_id)
            if state is None:
                fresh.append(self._numbered(entry))
            elif (again := self._again(entry, state)) is not None:
                fresh.append(again)
            else:
                self.summary.already += 1
        self._write(fresh)

    def _write(self, fresh: Sequence[TrialEntry]) -> None:
        try:
            answers = self.ledger.record([self._without_known_blobs(entry) for entry in fresh])
        except BaseException:
            self._handed_over.clear()  # nothing of the batch was written
            raise
        for entry, answer in zip(fresh, answers, strict=True):
            if answer.written not in (Written.TRIAL, Written.EVALUATION):
                for data in entry.blobs.values():  # others of the batch may have relied on these
                    self.ledger.add_blob(data)
            if answer.written is Written.CONFLICT:
                self.summary.conflicts.append(answer.conflict or answer.trial_id)
            elif answer.written is Written.NOTHING:
                self.summary.already += 1
            else:
                self._count(entry.record, answer.written)

    def _without_known_blobs(self, entry: TrialEntry) -> TrialEntry:
        """The entry less the bytes that this import has handed over already: most trials share a few."""
        new = {digest: data for digest, data in entry.blobs.items() if digest not in self._handed_over}
        if len(self._handed_over) > REMEMBERED:
            self._handed_over.clear()
        self._handed_over.update(new)
        output = entry.output_blob
        if output is None and entry.record.output.sha256 in entry.blobs:
            output = entry.record.output.sha256
        return TrialEntry(entry.record, blobs=new, output_blob=output, replaces=entry.replaces)

    def _numbered(self, entry: TrialEntry) -> TrialEntry:
        record = entry.record
        if self._attempts is None:
            self._attempts = _attempts(self.ledger, self.experiment)
        key = (record.task_id, record.agent.name, record.agent.model)
        attempt = self._attempts[key] = self._attempts.get(key, 0) + 1
        if attempt == record.attempt:
            return entry
        record = record.model_copy(update={"attempt": attempt})
        return TrialEntry(record, blobs=entry.blobs, output_blob=entry.output_blob)

    def _again(self, entry: TrialEntry, state: TrialState) -> TrialEntry | None:
        """Another evaluation of a trial that is there; None where this result was recorded before."""
        record = entry.record
        regrade = "regrade_of" in record.metadata["harbor"]
        if RESULT not in record.run.artifacts or (not regrade and state.outcome != Outcome.MACHINERY_FAILED):
            return None
        history = self.ledger.history(state.trial_id)
        digest = record.run.artifacts[RESULT]
        if any(before.run.artifacts.get(RESULT) == digest for before in history):
            return None
        update = {
            "evaluation": record.evaluation,
            "run": record.run,
            "scored_at": record.scored_at,
            "task_digest": None,
            "adjudge_version": record.adjudge_version,
        }
        adopted = history[0].model_copy(update=update)
        return TrialEntry(adopted, blobs=entry.blobs, replaces=state.evaluation_id)

    def _count(self, record: TrialRecord, written: Written) -> None:
        self.summary.trials += written is Written.TRIAL
        self.summary.evaluations += written is Written.EVALUATION
        self.summary.rewards += record.evaluation.reward
        self.summary.outcomes[outcome_of(record.evaluation).value] += 1
        self.summary.tags.update({tag.category for tag in record.evaluation.error_taxonomy or ()})


def _source_id(record: TrialRecord, source_jobs: Mapping[str, str]) -> str | None:
    """The id of the trial that a regrade grades again; None where the job does not say which it is."""
    source = record.metadata["harbor"].get("regrade_of")
    if not isinstance(source, dict):
        return None
    folder, _, name = str(source.get("path", "")).rstrip("/").rpartition("/")
    job = source_jobs.get(folder)
    return None if job is None else harbor_trial_id(record.experiment, job, name)


def _attempts(ledger: Ledger, experiment: str) -> dict[tuple[str, str, str | None], int]:
    """The highest attempt so far of each task, agent and model."""
    columns = ledger.columns(TrialFilter(experiment=(experiment,)))
    models = (*columns.model.categories, None)  # the code of "none" is -1
    highest: dict[tuple[str, str, str | None], int] = {}
    rows = zip(columns.task.codes, columns.agent.codes, columns.model.codes, columns.attempt, strict=True)
    for task, agent, model, attempt in rows:
        key = (columns.task.categories[task], columns.agent.categories[agent], models[model])
        highest[key] = max(highest.get(key, 0), int(attempt))
    return highest
