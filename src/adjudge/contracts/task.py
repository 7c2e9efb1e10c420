"""A task as the rest of adjudge sees it: what is asked, who verifies it, and within which limits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from adjudge.contracts.base import JsonObject, Name, Sha256, StrictModel, no_items
from adjudge.contracts.choices import Origin, OutputFormat


def _absolute(path: str) -> str:
    if not path.startswith("/") or "\0" in path or ".." in path.split("/"):
        raise ValueError(f"{path!r} is not an absolute path inside the sandbox without '..'")
    return path


SandboxPath = Annotated[str, AfterValidator(_absolute)]
"""An absolute path as the verifier sees it; never a path of this machine."""


class VerifierSpec(StrictModel):
    """Where a verifier starts, what it reads and what it writes. Paths are those inside the sandbox."""

    script: str
    """The entry point, relative to the task folder: `tests/test.sh`."""
    expected_output_path: SandboxPath
    reward_path: SandboxPath = "/logs/verifier/reward.json"
    details_path: SandboxPath | None = None


class OutputContract(StrictModel):
    """Where the answer is and what it must look like.

    An answer that does not have its declared format earns nothing. A format that was only guessed, and every
    schema, inform and never change a reward.
    """

    format: OutputFormat
    format_origin: Origin
    json_schema: JsonObject | None = None
    schema_origin: Origin | None = None
    paths: list[SandboxPath] = Field(default_factory=no_items)
    """Every file or folder that belongs to the answer; the first is the verifier's expected output path."""
    path_origin: Origin = Origin.DECLARED
    is_folder: bool = False
    """Is the expected output path a folder? Then all that lies in it is the answer."""


class Limits(StrictModel):
    """What one verifier run may use; each is enforced, and named when it is hit."""

    wall_time_sec: float = Field(default=600.0, gt=0)
    memory_mb: int = Field(default=2048, gt=0)
    """Of all its processes together."""
    processes: int = Field(default=256, gt=0)
    file_size_mb: int = Field(default=256, gt=0)
    """Of any one file it writes."""
    disk_mb: int = Field(default=1024, gt=0)
    """Of all it writes together."""
    artifact_mb: int = Field(default=16, gt=0)
    """Of any one artifact that is read back."""
    captured_kb: int = Field(default=256, gt=0)
    """Of stdout and of stderr, each."""
    output_mb: int = Field(default=64, gt=0)
    """Of the agent's output."""


class TaskMetadata(StrictModel):
    """How tasks are grouped in reports."""

    difficulty: str | None = None
    category: str | None = None
    domain: str | None = None
    tags: list[str] = Field(default_factory=no_items)
    extra: JsonObject = Field(default_factory=dict)
    """The rest of `[metadata]` in `task.toml`, as it stands there."""


class Task(StrictModel):
    """One task folder, loaded and checked."""

    id: Name
    """Its path below the tasks root, with forward slashes."""
    folder: Path = Field(strict=False)
    instruction: str
    verifier: VerifierSpec
    output: OutputContract
    limits: Limits = Field(default_factory=Limits)
    env: dict[str, str] = Field(default_factory=dict)
    """Variables for the verifier, on top of the sandbox's fixed ones."""
    metadata: TaskMetadata = Field(default_factory=TaskMetadata)
    workdir: SandboxPath | None = None
    """Where the verifier starts, if the task says so; else in the workspace."""
    steps: list[str] = Field(default_factory=no_items)
    """The names of a task's steps; empty for a task of one step. Each is scored by its own verifier."""
    not_honoured: list[str] = Field(default_factory=no_items)
    """What the task asks for that a verifier will not find in adjudge's sandbox, one sentence each."""
    deterministic: bool = False
    """Does the task declare its verifier deterministic, so that results may be reused?"""
    runs_output: bool = False
    """Does the verifier run what the agent wrote? Then a program that never ends is the agent's doing."""
    writable_tests: bool | None = None
    """May the verifier write to its tests? None if the task does not say."""
    digest: Sha256
    """Over the whole folder: a changed verifier is a different task."""
    tests_digest: Sha256 | None = None
    """Over `tests/` alone: what a verifier sees is a copy that has this digest."""
