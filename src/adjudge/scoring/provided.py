"""The files that a task's image would hold, put beside the output of an agent.

An output that is one file says nothing of the rest of its folder, so all the task's own files are there. A
folder stands for the whole workspace as the agent left it: what is not in it the agent removed, and only what
lies elsewhere is added. A file of the agent always wins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath

from adjudge._files import read_plain_file
from adjudge.contracts import Task
from adjudge.gates import AgentOutput, OutputFile, workspace_of
from adjudge.tasks import provided_files, written_files

_MOST_BYTES = 64 << 20
"""Of all such files of a task; what comes after is not there, and its verifier will say so."""


def with_provided(task: Task, output: AgentOutput) -> Mapping[str, OutputFile]:
    """The files of an output and those of the task that belong beside them."""
    own = files_of_image(task)
    if not own:
        return output.files
    whole = workspace_of(task) if output.is_folder else None
    taken = {*output.files, *(str(above) for path in output.files for above in PurePosixPath(path).parents)}
    beside = {
        path: file
        for path, file in own.items()
        if path not in taken
        and not (whole is not None and path.startswith(f"{whole}/"))
        and not any(str(above) in output.files for above in PurePosixPath(path).parents)
    }
    return {**beside, **output.files}


def files_of_image(task: Task) -> Mapping[str, OutputFile]:
    """The files that the task's image would hold, by their path there; bounded in size."""
    written = {path: OutputFile(text, 0o644) for path, text in written_files(task).items()}
    return {**written, **_read(task.folder, task.digest, tuple(provided_files(task).items()))}


@lru_cache(maxsize=8)
def _read(folder: Path, digest: str, placed: tuple[tuple[str, Path], ...]) -> Mapping[str, OutputFile]:
    return dict(_files(placed))


def _files(placed: tuple[tuple[str, Path], ...]) -> Iterator[tuple[str, OutputFile]]:
    left = _MOST_BYTES
    for path, file in placed:
        try:
            read = read_plain_file(file, limit=left)
        except OSError:
            continue
        if read.data is not None:
            left -= len(read.data)
            yield path, OutputFile(read.data, 0o755 if read.mode & 0o111 else 0o644)
