"""A manifest names the trials of a run: which output, for which task, by which agent.

Two forms. A JSONL file has one row a trial, with `task` and `output` relative to the file. A folder
without a `manifest.jsonl` is read by convention, `AGENT/ATTEMPT/TASK_ID/`, against a tasks root.

Rows are read lazily, one at a time. A bad row becomes a `BadRow` with its line and the rest goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError

from adjudge.contracts import Cost, Name, Task
from adjudge.errors import ManifestError, describe
from adjudge.runs.label import TrialLabel, bad_label

MANIFEST_NAME = "manifest.jsonl"
_LINE_LIMIT = 1 << 20


class ManifestRow(TrialLabel):
    """One line of a JSONL manifest."""

    output: Name


@dataclass(frozen=True)
class PlannedTrial:
    """One trial to score; `where` says to people where it was named."""

    where: str
    task: Path
    output: Path
    agent: str
    model: str | None = None
    attempt: int = 1
    trial_id: str | None = None
    cost: Cost | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class BadRow:
    """A row that names no trial: where, and why."""

    message: str


def read_manifest(path: Path) -> Iterator[PlannedTrial | BadRow]:
    """The rows of a JSONL manifest; blank lines are passed over. An unreadable file is a ManifestError."""
    try:
        with path.open("rb") as lines:
            number = 0
            while line := lines.readline(_LINE_LIMIT + 1):
                number += 1
                if len(line) > _LINE_LIMIT:
                    yield BadRow(describe("longer than 1 MiB", file=f"{path}:{number}"))
                    while line and not line.endswith(b"\n"):
                        line = lines.readline(_LINE_LIMIT)
                elif line.strip():
                    yield _row(path, number, line)
    except OSError as error:
        raise ManifestError(
            f"the manifest cannot be read: {error.strerror}",
            file=path,
            remedy="Give a JSONL file, or a folder laid out as AGENT/ATTEMPT/TASK_ID/.",
        ) from None


def _row(path: Path, number: int, line: bytes) -> PlannedTrial | BadRow:
    try:
        row = ManifestRow.model_validate_json(line)
    except ValidationError as error:
        return BadRow(bad_label(error, f"{path}:{number}", ManifestRow))
    base = path.parent
    return PlannedTrial(
        where=f"{path}:{number}",
        task=base / row.task,
        output=base / row.output,
        agent=row.agent,
        model=row.model,
        attempt=row.attempt,
        trial_id=row.trial_id,
        cost=row.cost,
        metadata=row.metadata,
    )


def read_outputs_folder(folder: Path, tasks: list[Task]) -> Iterator[PlannedTrial | BadRow]:
    """The trials of a folder laid out as `AGENT/ATTEMPT/TASK_ID/`, in a stable order.

    A task folder that holds only the expected file stands for that file; one that holds more stands for
    the whole workspace; an empty one is an agent that produced nothing. A task without a folder is no trial.
    """
    for agent in _folders(folder):
        for attempt in _folders(agent):
            digits = attempt.name.removeprefix("attempt-")
            if not digits.isdecimal() or int(digits) < 1:
                yield BadRow(
                    describe(
                        "the name of an attempt folder is not a number",
                        file=attempt,
                        found=attempt.name,
                        allowed="1, 2, … or attempt-1, attempt-2, …",
                    ),
                )
                continue
            for task in tasks:
                place = attempt / task.id
                if not place.is_dir():
                    continue
                yield PlannedTrial(
                    where=str(place),
                    task=task.folder,
                    output=_output_in(place, task),
                    agent=agent.name,
                    attempt=int(digits),
                )


def _folders(parent: Path) -> list[Path]:
    return sorted(p for p in parent.iterdir() if p.is_dir() and not p.is_symlink() and p.name[0] != ".")


def _output_in(place: Path, task: Task) -> Path:
    name = PurePosixPath(task.verifier.expected_output_path).name
    others = [p for p in place.iterdir() if p.name != name]
    return place if others else place / name


def count_rows(path: Path) -> int:
    """How many rows a manifest has at most, for the progress bar: lines that are not blank."""
    with path.open("rb") as lines:
        return sum(1 for line in lines if not line.isspace())
