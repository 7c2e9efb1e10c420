"""A trial on its way through a run, and what becomes of it.

One noun from the plan to the ledger: a `Trial` is planned, handed to a worker, and comes back as a
`ScoredTrial` or as a `FailedTrial`; one that a deterministic verifier has answered before is a `ReusedTrial`
at once. Only then is there something to record, and `prepared_of` is the one place that says what.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from adjudge.contracts import (
    VERIFIER_FAILURE,
    Agent,
    Cost,
    EvaluationResult,
    Task,
    TrialIdentity,
    TrialRecord,
    ValidityCheck,
    VerifierRun,
    mechanical,
)
from adjudge.errors import show
from adjudge.gates import AgentOutput, OutputFile, check_output
from adjudge.ledger import PreparedEntry, RepeatedEvaluation, TrialEntry, prepare
from adjudge.runs.stored_output import store_output
from adjudge.scoring import Scored, make_record, record_again


class Trial(NamedTuple):
    """One output to score, and whose it is."""

    trial_id: str
    identity: TrialIdentity
    task: Task
    output: AgentOutput
    where: str
    """Where it was named, for people."""
    has_own_id: bool = False
    """Was it given an id other than the one that follows from its identity?"""
    cost: Cost | None = None
    metadata: Mapping[str, Any] = {}
    before: TrialRecord | None = None
    """What the ledger holds of it, if it is scored again from there."""
    replaces: str | None = None
    """The evaluation that this one will replace; None for a trial that the ledger does not have."""
    trace: Path | None = None
    """What the agent did, to be attached once the trial is recorded."""

    @property
    def size(self) -> int:
        """How many bytes it holds."""
        return (self.output.info.size_bytes or 0) if self.output.files else 0


class ScoredTrial(Struct, frozen=True):
    """A trial whose verifier answered, now or, if it is deterministic, earlier."""

    trial: Trial
    scored: Scored


class FailedTrial(Struct, frozen=True):
    """A trial that the machinery failed on: nothing is known of its output's worth."""

    trial: Trial
    why: str


FinishedTrial = ScoredTrial | FailedTrial
"""What a worker hands back."""


class EarlierAnswer(Struct):
    """What a deterministic verifier said of an output, as it stands under every other trial with it."""

    result: EvaluationResult
    run: VerifierRun
    repeated: RepeatedEvaluation | None = None
    """Made for the first trial that repeats it."""


class ReusedTrial(NamedTuple):
    """A trial that was not verified, because the same verifier has answered for the same output."""

    trial: Trial
    answer: EarlierAnswer


RecordableTrial = FinishedTrial | ReusedTrial


def prepared_of(finished: RecordableTrial) -> tuple[PreparedEntry, EvaluationResult]:
    """What to record for a finished trial, ready to be written, and its result."""
    if not isinstance(finished, ReusedTrial):
        entry = entry_of(finished)
        return prepare(entry), entry.record.evaluation
    trial, answer = finished
    output = trial.output
    if answer.repeated is None:
        scored = Scored(answer.result, answer.run, output.info, output.files, {})
        answer.repeated = RepeatedEvaluation(entry_of(ScoredTrial(trial, scored)))
    prepared = answer.repeated.prepare(
        trial.identity,
        output.info,
        trial_id=trial.trial_id,
        cost=trial.cost,
        metadata=trial.metadata,
        replaces=trial.replaces,
    )
    return prepared, answer.result


def entry_of(finished: FinishedTrial) -> TrialEntry:
    """What to record for a trial that was verified: its first evaluation, or another one."""
    trial = finished.trial
    scored = finished.scored if isinstance(finished, ScoredTrial) else machinery_failure(finished)
    blobs = {scored.run.artifacts[name]: data for name, data in scored.artifacts.items()}
    if trial.before is not None:
        again = record_again(
            trial.before, evaluation=scored.result, run=scored.run, task_digest=trial.task.digest
        )
        return TrialEntry(again, blobs=blobs, replaces=trial.replaces)
    whose = trial.identity
    record = make_record(
        experiment=whose.experiment,
        task_id=whose.task_id,
        task_digest=trial.task.digest,
        agent=Agent(name=whose.agent, model=whose.model),
        attempt=whose.attempt,
        output=scored.output,
        evaluation=scored.result,
        run=scored.run,
        trial_id=trial.trial_id,
        cost=trial.cost,
        metadata=trial.metadata,
    )
    kept = store_output(scored.output, scored.files)
    return TrialEntry(record, blobs={**kept.blobs, **blobs}, output_blob=kept.entry, replaces=trial.replaces)


def machinery_failure(failed: FailedTrial) -> Scored:
    """What stands on the record if the machinery failed: 0.0 by the specification, and marked so that nobody
    takes it for a wrong answer."""
    output = failed.trial.output
    if output.problem is not None:  # that it could not be read is itself the failure
        return _failure(failed, {}, parseable=True, shaped=True, said=())
    gates = check_output(failed.trial.task, output)
    return _failure(
        failed, output.files, parseable=gates.output_parseable, shaped=gates.schema_valid, said=gates.errors
    )


def bare_entry(failed: FailedTrial) -> TrialEntry:
    """The same without looking at the output again or keeping it: for what cannot even be recorded."""
    scored = _failure(failed, {}, parseable=True, shaped=True, said=())
    return entry_of(ScoredTrial(failed.trial, scored))


def _failure(
    failed: FailedTrial,
    files: Mapping[str, OutputFile],
    *,
    parseable: bool,
    shaped: bool,
    said: Sequence[str],
) -> Scored:
    result = EvaluationResult(
        reward=0.0,
        validity=ValidityCheck(
            output_parseable=parseable,
            schema_valid=shaped,
            verifier_completed=False,
            errors=[*said, failed.why],
        ),
        error_taxonomy=[mechanical(VERIFIER_FAILURE, failed.why)],
    )
    return Scored(result, VerifierRun(backend="failed"), failed.trial.output.info, files, {})


def unexpected(error: Exception) -> str:
    """An error that nobody foresaw, in a line: what it is, what it says, and where it came from."""
    steps = traceback.extract_tb(error.__traceback__, limit=-1)
    where = f", at {Path(steps[-1].filename).name}:{steps[-1].lineno}" if steps else ""
    return f"an unexpected error: {type(error).__name__}: {show(str(error))}{where}"
