"""Trials to put into a ledger: small, varied and the same in every run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from adjudge.contracts import (
    Agent,
    Annotation,
    ChosenBy,
    Cost,
    ErrorTag,
    EvaluationResult,
    Judgment,
    OutputInfo,
    ReviewSelection,
    TrialIdentity,
    TrialRecord,
    ValidityCheck,
    VerifierRun,
)
from adjudge.ledger import Ledger, Recorded, TrialEntry

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DIGEST_A = "a" * 64
DIGEST_B = "b" * 64


def sha(data: bytes) -> str:
    """The name of a blob."""
    return hashlib.sha256(data).hexdigest()


def trial(number: int = 0, **changes: Any) -> TrialEntry:
    """Trial `number`: task, agent, model and reward vary with it. Keywords change what they name."""
    output = changes.pop("output", f'{{"answer": {number}}}'.encode())
    reward = changes.pop("reward", round((number % 11) / 10, 1))
    reward_json = f'{{"reward": {reward}}}'.encode()
    record: dict[str, Any] = {
        "experiment": "first",
        "attempt": 1,
        "task_id": f"circuits/task-{number % 7}",
        "task_digest": DIGEST_A,
        "metadata": {},
        "scored_at": NOON + timedelta(seconds=number),
        "adjudge_version": "0.0.1",
        "cost": Cost(usd=0.25),
    } | {k: changes.pop(k) for k in list(changes) if k in TrialRecord.model_fields}
    agent = Agent(
        name=changes.pop("agent_name", f"agent-{number % 3}"),
        model=changes.pop("model", f"model-{number % 2}"),
    )
    record.setdefault("agent", agent)
    parseable = changes.pop("parseable", True)
    tags: list[ErrorTag] | None = changes.pop("tags", None)
    record.setdefault(
        "evaluation",
        EvaluationResult(
            reward=reward if parseable else 0.0,
            validity=ValidityCheck(
                output_parseable=parseable,
                schema_valid=changes.pop("schema_valid", True),
                verifier_completed=changes.pop("completed", True),
            ),
            breakdown=changes.pop(
                "breakdown", {"value": {"score": reward, "max_score": 1.0, "evidence": "seen"}}
            ),
            error_taxonomy=tags,
        ),
    )
    record.setdefault(
        "output", OutputInfo(path=f"out/{number}.json", sha256=sha(output), size_bytes=len(output))
    )
    record.setdefault(
        "run",
        VerifierRun(
            backend="bubblewrap",
            exit_code=0,
            duration_sec=0.5,
            stdout=changes.pop("stdout", ""),
            stderr=changes.pop("stderr", ""),
            artifacts={"reward.json": sha(reward_json)},
        ),
    )
    record.setdefault(
        "trial_id",
        TrialIdentity(
            experiment=record["experiment"],
            task_id=record["task_id"],
            output_sha256=record["output"].sha256,
            agent=record["agent"].name,
            model=record["agent"].model,
            attempt=record["attempt"],
        ).trial_id,
    )
    replaces = changes.pop("replaces", None)
    assert not changes, f"unknown: {changes}"
    blobs = {sha(output): output, sha(reward_json): reward_json}
    return TrialEntry(TrialRecord(**record), blobs=blobs, replaces=replaces)


def annotation(reviewer: str = "ada", judgment: str = "pass", **changes: Any) -> Annotation:
    """A reviewer's verdict, given at noon."""
    return Annotation(reviewer_id=reviewer, judgment=Judgment(judgment), **{"timestamp": NOON, **changes})


def chosen(reviewer: str | None, method: str, probability: float | None = None) -> ReviewSelection:
    """A choice for review, made at noon."""
    return ReviewSelection(
        reviewer_id=reviewer, method=ChosenBy(method), probability=probability, timestamp=NOON
    )


def record_many(ledger: Ledger, entries: Iterable[TrialEntry], at_once: int = 1000) -> list[Recorded]:
    """Record trials in batches, a transaction each."""
    rest, answers = iter(entries), []
    while batch := list(islice(rest, at_once)):
        answers += ledger.record(batch)
    return answers
