"""From a score to what the ledger records: a first evaluation, a reused one, another one, or a failure."""

from __future__ import annotations

from datetime import UTC, datetime

from adjudge._version import __version__
from adjudge.contracts import (
    Agent,
    ErrorSource,
    EvaluationResult,
    Task,
    TrialRecord,
    ValidityCheck,
    VerifierRun,
    mechanical,
)
from adjudge.gates import AgentOutput, check_output
from adjudge.ledger import TrialEntry
from adjudge.runs.manifest import PlannedTrial
from adjudge.runs.stored_output import store_output
from adjudge.scoring import VERIFIER_FAILURE, Scored, is_machinery_failure


def machinery_failure(task: Task, output: AgentOutput, failure: str) -> Scored:
    """The record of a trial whose machinery failed: 0.0 by the specification, and marked so that nobody takes
    it for a wrong answer."""
    gates = check_output(task, output)
    result = EvaluationResult(
        reward=0.0,
        validity=ValidityCheck(
            output_parseable=gates.output_parseable,
            schema_valid=gates.schema_valid,
            verifier_completed=False,
            errors=[*gates.errors, failure],
        ),
        error_taxonomy=[mechanical(VERIFIER_FAILURE, failure)],
    )
    return Scored(result, VerifierRun(backend="failed"), output.info, output.files, {})


def is_reusable(result: EvaluationResult, run: VerifierRun) -> bool:
    """Did the verifier finish, and nothing of the machine show? A limit it hit may be the machine's doing."""
    failed = any(is_machinery_failure(tag) for tag in result.error_taxonomy or ())
    return result.validity.verifier_completed and not run.limits_hit and not failed


def reused(result: EvaluationResult, run: VerifierRun, evaluation_id: str, output: AgentOutput) -> Scored:
    """An earlier evaluation of the same output by the same deterministic verifier, under a new trial.

    What people said of the earlier trial they did not say of this one.
    """
    tags = result.error_taxonomy
    own = None if tags is None else [tag for tag in tags if tag.source is not ErrorSource.HUMAN]
    return Scored(
        result.model_copy(update={"annotations": None, "error_taxonomy": own or None}),
        run.model_copy(update={"reused_from": run.reused_from or evaluation_id}),
        output.info,
        output.files,
        {},
    )


def first_entry(
    planned: PlannedTrial,
    task: Task,
    scored: Scored,
    *,
    trial_id: str,
    experiment: str,
    replaces: str | None,
) -> TrialEntry:
    """What to record for a trial of a manifest; `replaces` names the evaluation it already has, if any."""
    record = TrialRecord(
        trial_id=trial_id,
        experiment=experiment,
        attempt=planned.attempt,
        task_id=task.id,
        task_digest=task.digest,
        agent=Agent(name=planned.agent, model=planned.model),
        output=scored.output,
        evaluation=scored.result,
        run=scored.run,
        cost=planned.cost,
        metadata=planned.metadata,
        scored_at=datetime.now(UTC),
        adjudge_version=__version__,
    )
    kept = store_output(scored.output, scored.files)
    return TrialEntry(
        record,
        blobs={**kept.blobs, **_artifact_blobs(scored)},
        output_blob=kept.entry,
        replaces=replaces,
    )


def another_entry(before: TrialRecord, task: Task, scored: Scored, replaces: str) -> TrialEntry:
    """What to record when a trial of the ledger was scored again."""
    record = before.model_copy(
        update={
            "task_digest": task.digest,
            "evaluation": scored.result,
            "run": scored.run,
            "scored_at": datetime.now(UTC),
            "adjudge_version": __version__,
        }
    )
    return TrialEntry(record, blobs=_artifact_blobs(scored), replaces=replaces)


def _artifact_blobs(scored: Scored) -> dict[str, bytes]:
    return {scored.run.artifacts[name]: data for name, data in scored.artifacts.items()}
