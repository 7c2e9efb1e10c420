"""The one place where a `TrialRecord` is made, whoever scored the trial and wherever it came from.

A trial is scored here, scored again, taken in from artifacts, or imported from another system. All of them
say the same three things: whose trial it is, what came of it, and how. The id follows from the identity
unless the trial has one of its own; the version and, unless known, the time are those of this moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from adjudge._version import __version__
from adjudge.contracts import (
    Agent,
    Cost,
    EvaluationResult,
    OutputInfo,
    TrialIdentity,
    TrialRecord,
    VerifierRun,
)


def make_record(
    *,
    experiment: str,
    task_id: str,
    task_digest: str | None,
    agent: Agent,
    attempt: int,
    output: OutputInfo,
    evaluation: EvaluationResult,
    run: VerifierRun,
    trial_id: str | None = None,
    cost: Cost | None = None,
    metadata: Mapping[str, Any] | None = None,
    started_at: datetime | None = None,
    finished_at: datetime | None = None,
    scored_at: datetime | None = None,
) -> TrialRecord:
    """The record of a trial. Raises pydantic's ValidationError for a name that cannot be one."""
    if trial_id is None:
        identity = TrialIdentity(experiment, task_id, output.sha256, agent.name, agent.model, attempt)
        trial_id = identity.trial_id
    return TrialRecord(
        trial_id=trial_id,
        experiment=experiment,
        attempt=attempt,
        task_id=task_id,
        task_digest=task_digest,
        agent=agent,
        output=output,
        evaluation=evaluation,
        run=run,
        cost=cost,
        metadata=dict(metadata or {}),
        started_at=started_at,
        finished_at=finished_at,
        scored_at=scored_at or datetime.now(UTC),
        adjudge_version=__version__,
    )


def record_again(
    before: TrialRecord,
    *,
    evaluation: EvaluationResult,
    run: VerifierRun,
    task_digest: str | None,
    scored_at: datetime | None = None,
) -> TrialRecord:
    """The same trial with another evaluation."""
    return before.model_copy(
        update={
            "evaluation": evaluation,
            "run": run,
            "task_digest": task_digest,
            "scored_at": scored_at or datetime.now(UTC),
            "adjudge_version": __version__,
        }
    )
