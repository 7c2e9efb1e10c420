"""A manifest names the trials of a run: which output, for which task, by which agent.

Two forms. A JSONL file has one row per trial, with `task` and `output` relative to the file. A folder
without a `manifest.jsonl` is read by convention, `AGENT/ATTEMPT/TASK_ID/`, against a tasks root.

Rows are read lazily, one at a time. A bad row becomes a `BadRow` with its line and the rest goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, BinaryIO, NamedTuple

from msgspec import Struct
from pydantic import AfterValidator, StringConstraints
from pydantic_core import from_json

from adjudge.contracts import Cost, Task
from adjudge.errors import ManifestError, describe
from adjudge.runs.label import LABEL_BYTES, TrialLabel, read_label
from adjudge.traces import TRACE_NAMES

MANIFEST_NAME = "manifest.jsonl"
_LINK = "a link to a folder, which is not followed"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def _without_nul(path: str) -> str:
    if "\0" in path:
        raise ValueError("no path holds a NUL character")
    return path


PathText = Annotated[str, StringConstraints(min_length=1, max_length=4096), AfterValidator(_without_nul)]


class _Line(TrialLabel):
    """One line of a JSONL manifest."""

    task: PathText
    output: PathText
    trace: PathText | None = None


class ManifestRow(NamedTuple):
    """One trial that a manifest names; `where` says to people where."""

    where: str
    task: str
    output: str
    """Both are paths, as texts: a run reads hundreds of thousands, and makes one `Path` per task."""
    agent: str
    model: str | None = None
    attempt: int = 1
    trial_id: str | None = None
    cost: Cost | None = None
    metadata: Mapping[str, Any] = {}
    trace: Path | None = None
    """What the agent did, turn by turn (`adjudge.traces`)."""


class BadRow(Struct, frozen=True):
    """A row that names no trial: where, and why."""

    message: str


def read_manifest(path: Path) -> Iterator[ManifestRow | BadRow]:
    """The rows of a JSONL manifest; blank lines are passed over. An unreadable file is a ManifestError."""
    base = str(path.parent)
    for number, line in _lines_of(path):
        where = f"{path}:{number}"
        if line is None:
            yield BadRow(describe("longer than 1 MiB", file=where))
        else:
            yield _row(base, where, line)


def _lines_of(path: Path) -> Iterator[tuple[int, bytes | None]]:
    try:
        with path.open("rb") as file:
            yield from _lines(file)
    except OSError as error:
        raise ManifestError(
            f"the manifest cannot be read: {error.strerror}",
            file=path,
            remedy="Give a JSONL file, or a folder laid out as AGENT/ATTEMPT/TASK_ID/.",
        ) from None


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """The lines that are not blank, with their numbers; None stands for one past the limit.

    No more than the limit is held in memory, whatever the file is.
    """
    number = 0
    while line := file.readline(LABEL_BYTES + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if len(line) > LABEL_BYTES:
            yield number, None
            while line and not line.endswith(b"\n"):
                line = file.readline(LABEL_BYTES)
        elif line.strip():
            yield number, line


def _row(base: str, where: str, line: bytes) -> ManifestRow | BadRow:
    row = read_label(line, where, _Line)
    if isinstance(row, str):
        return BadRow(row)
    return ManifestRow(
        where=where,
        task=_joined(base, row.task),
        output=_joined(base, row.output),
        agent=row.agent,
        model=row.model,
        attempt=row.attempt,
        trial_id=row.trial_id,
        cost=row.cost,
        metadata=row.metadata,
        trace=None if row.trace is None else Path(_joined(base, row.trace)),
    )


def _joined(base: str, name: str) -> str:
    """`base / name` as pathlib writes it, which it is only asked for if something may have to go."""
    whole = name if base == "." else f"{base}/{name}"
    plain = name[0] not in "./" and base != "/" and "//" not in whole and "/." not in whole
    return whole if plain and name[-1] != "/" else str(Path(base) / name)


def read_outputs_folder(
    folder: Path, tasks: list[Task], broken: Mapping[str, str] | None = None
) -> Iterator[ManifestRow | BadRow]:
    """The trials of a folder laid out as `AGENT/ATTEMPT/TASK_ID/`, in a stable order.

    A task folder that holds only the expected file stands for that file; one that holds more stands for
    the whole workspace; an empty one is an agent that produced nothing. A file named like a trace is the
    trial's trace, too. A task without a folder is no trial,
    but a folder without a task is a bad row; so is one whose task is `broken` (id -> why). A link to a folder
    is not followed: it might lead to what another agent made.
    """
    known: dict[str, Task | str] = {**(broken or {}), **{task.id: task for task in tasks}}
    for agent in _folders(folder):
        if agent.is_symlink():
            yield BadRow(f"{agent}: {_LINK}")
            continue
        if not _is_name(agent.name):
            yield BadRow(
                describe("the name of an agent's folder is not UTF-8", file=folder, found=agent.name)
            )
            continue
        for attempt in _folders(agent):
            if attempt.is_symlink():
                yield BadRow(f"{attempt}: {_LINK}")
                continue
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
            for place, task in _places(attempt, known):
                if isinstance(task, str):
                    yield BadRow(f"{place}: {task}")
                    continue
                yield ManifestRow(
                    where=str(place),
                    task=str(task.folder),
                    output=str(_output_in(place, task)),
                    agent=agent.name,
                    attempt=int(digits),
                    trace=next((found for name in TRACE_NAMES if (found := place / name).is_file()), None),
                )


def _places(attempt: Path, known: Mapping[str, Task | str]) -> Iterator[tuple[Path, Task | str]]:
    """The folders below an attempt that stand for a task, with the task, or why there is none to score by."""
    above = {str(parent) for task_id in known for parent in PurePosixPath(task_id).parents}
    waiting = _folders(attempt)[::-1]
    while waiting:
        place = waiting.pop()
        task_id = place.relative_to(attempt).as_posix()
        if task_id in known:
            yield place, known[task_id]
        elif place.is_symlink():
            yield place, _LINK
        elif task_id in above:
            waiting += _folders(place)[::-1]
        else:
            yield place, f"no task has this id; found {task_id!r}; allowed: ids as `adjudge tasks` lists them"


def _folders(parent: Path) -> list[Path]:
    return sorted(p for p in parent.iterdir() if p.is_dir() and p.name[0] != ".")


def _is_name(name: str) -> bool:
    """Is this text? A file system takes any bytes."""
    try:
        return bool(name.encode("utf-8"))
    except UnicodeEncodeError:
        return False


def _output_in(place: Path, task: Task) -> Path:
    """The expected file alone, or the whole folder; a link stays one, and is told as such when it is read."""
    name = PurePosixPath(task.verifier.expected_output_path).name
    alone = not place.is_symlink() and all(p.name == name for p in place.iterdir())
    return place / name if alone else place


def read_task_folders(path: Path) -> Iterator[str]:
    """The task's folder that each row names, as `read_manifest` has it, several times as quickly.

    A row that is wrong in something else may name one here; `read_manifest` tells what is wrong with it.
    """
    base = str(path.parent)
    for _, line in _lines_of(path):
        try:
            row = from_json(line or b"")
        except ValueError:
            continue
        name = row.get("task") if isinstance(row, dict) else None
        if isinstance(name, str) and name and "\0" not in name:
            yield _joined(base, name)


def count_rows(path: Path) -> int:
    """How many rows a manifest has, for the progress bar."""
    with path.open("rb") as file:
        return sum(1 for _ in _lines(file))
