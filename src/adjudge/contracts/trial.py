"""The record of one trial: who produced which output for which task, and what came of it."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from adjudge.contracts.base import JsonObject, Name, Sha256, StrictModel, Timestamp, no_items
from adjudge.contracts.choices import Choice
from adjudge.contracts.evaluation import EvaluationResult
from adjudge.contracts.identity import TrialIdentity

TrialId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")]
"""Opaque and safe to print; nothing from a user becomes a path, but an id should not tempt anyone."""


class Agent(StrictModel):
    """Who made the output."""

    name: Name
    model: str | None = None
    config: JsonObject = Field(default_factory=dict)


class OutputInfo(StrictModel):
    """The output file or folder; `sha256` is None if there was nothing to read."""

    path: str
    """Where it was found, as the caller named it; for people, never opened again."""
    sha256: Sha256 | None
    size_bytes: int | None = Field(ge=0)
    media_type: str | None = None


class Limit(Choice):
    """The limits a verifier can run into."""

    WALL_TIME = "wall_time"
    MEMORY = "memory"
    PROCESSES = "processes"
    FILE_SIZE = "file_size"
    DISK = "disk"
    ARTIFACT_SIZE = "artifact_size"
    CAPTURED_OUTPUT = "captured_output"


class ScoredBy(Choice):
    """What produced the reward."""

    VERIFIER = "verifier"
    JUDGE = "judge"


class VerifierRun(StrictModel):
    """How one evaluation came about. Nothing here takes part in the reward."""

    scored_by: ScoredBy = ScoredBy.VERIFIER
    backend: Name
    """`bubblewrap`, `container`, `unisolated`; `not run` if there was nothing to verify; `imported`."""
    exit_code: int | None = None
    """None if no process ran to its end; -N if signal N ended it."""
    duration_sec: float | None = Field(default=None, ge=0)
    limits_hit: list[Limit] = Field(default_factory=no_items)
    memory_kept_by: str | None = None
    """Who held it to its memory: `cgroup v1`, `cgroup v2`, `watching` or `engine`; None if nobody did."""
    way: str | None = None
    """`cold`, in a sandbox of its own; `warm`, forked from a Python that had started; None if not known.

    More words say what a check of one against the other showed, or why a warm run did not count.
    """
    stdout: str = ""
    stderr: str = ""
    artifacts: dict[str, Sha256] = Field(default_factory=dict)
    """What the verifier left behind, by name; the bytes are blobs."""
    not_honoured: list[str] = Field(default_factory=no_items)
    """What the task asks for that the verifier did not find here."""
    reused_from: str | None = None
    """The evaluation this one repeats, if a deterministic verifier was not run again."""


class Cost(StrictModel):
    """What the agent used; None is "not known", which is not zero."""

    usd: float | None = Field(default=None, ge=0)
    input_tokens: int | None = Field(default=None, ge=0)
    cached_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    seconds: float | None = Field(default=None, ge=0)


class TrialRecord(StrictModel):
    """One trial with one of its evaluations: the newest, unless history was asked for."""

    trial_id: TrialId
    experiment: Name
    attempt: int = Field(ge=1)
    task_id: Name
    task_digest: Sha256 | None
    """Of the task that made this evaluation; None if the task's folder is not known."""
    agent: Agent
    output: OutputInfo
    evaluation: EvaluationResult
    run: VerifierRun
    cost: Cost | None = None
    metadata: JsonObject = Field(default_factory=dict)
    started_at: Timestamp | None = None
    """When the agent began, if that is known."""
    finished_at: Timestamp | None = None
    scored_at: Timestamp
    adjudge_version: Name

    @property
    def identity(self) -> TrialIdentity:
        """What makes it the trial it is."""
        return TrialIdentity(
            self.experiment,
            self.task_id,
            self.output.sha256,
            self.agent.name,
            self.agent.model,
            self.attempt,
        )

    @model_validator(mode="after")
    def _judge_states_its_confidence(self) -> Self:
        if self.run.scored_by is ScoredBy.JUDGE and self.evaluation.confidence is None:
            raise ValueError("a judge wrote this reward, so evaluation.confidence must say how sure it is")
        return self
