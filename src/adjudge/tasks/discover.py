"""Find every task below a folder. A broken one is told apart and never hides its neighbours.

A folder is a task if it has a `task.toml` (or the older `task.yaml`), or an `instruction.md` beside a `tests`
folder. Inside a task
nothing further is looked for; hidden folders and links to folders are passed over, so no loop is possible.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, overload

from msgspec import Struct

from adjudge.contracts import Task
from adjudge.errors import TaskError
from adjudge.tasks.load import load_found


class TaskProblem(Struct, frozen=True):
    """A folder that means to be a task and cannot be used."""

    id: str
    message: str


class FoundTask(NamedTuple):
    """The folder of a task below the root of a search, and why it cannot be looked into, if so."""

    folder: Path
    root: Path
    unreadable: str | None


@dataclass(frozen=True)
class TaskList(Sequence[Task]):
    """The tasks below a root, sorted by id, and the ones that could not be loaded."""

    tasks: tuple[Task, ...]
    problems: tuple[TaskProblem, ...] = ()

    def __len__(self) -> int:
        return len(self.tasks)

    @overload
    def __getitem__(self, index: int) -> Task: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Task]: ...
    def __getitem__(self, index: int | slice) -> Task | Sequence[Task]:
        return self.tasks[index]

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)


def load_tasks(root: Path | str, *, output_path: str | None = None) -> TaskList:
    """Every task at or below `root`; there may be none. Raises TaskError only if `root` is no folder.

    `output_path` says where their answers are, whatever they say themselves.
    """
    return _load(find_tasks(root), output_path, unread=False)


def list_tasks(found: Iterable[FoundTask], *, output_path: str | None = None) -> TaskList:
    """`load_tasks` for a look that runs and records nothing, several times as fast.

    Files are listed, and only those are read that tell what a task is: a task's `digest` is then drawn by
    lot, and no sandbox runs it.
    """
    return _load(found, output_path, unread=True)


def _load(found: Iterable[FoundTask], output_path: str | None, *, unread: bool) -> TaskList:
    tasks: list[Task] = []
    problems: list[TaskProblem] = []
    for folder, top, unreadable in found:
        try:
            if unreadable:
                raise TaskError(f"the folder cannot be read: {unreadable}", file=folder)
            # below `top`, no link was followed
            tasks.append(load_found(folder, folder, top, output_path, unread=unread))
        except TaskError as error:
            name = folder.relative_to(top).as_posix()
            problems.append(TaskProblem(top.name if name == "." else name, str(error)))
    tasks.sort(key=lambda task: task.id)
    problems.sort(key=lambda problem: problem.id)
    return TaskList(tuple(tasks), tuple(problems))


def find_tasks(root: Path | str) -> list[FoundTask]:
    """The folders of all tasks at or below `root`, none of them loaded. TaskError if `root` is no folder."""
    top = Path(root).resolve()
    if not os.path.isdir(top):  # noqa: PTH112 - one that may not be looked into is none either
        raise TaskError("there is no such folder", file=root, remedy="Name the folder that holds the tasks.")
    return [FoundTask(folder, top, unreadable) for folder, unreadable in _find(top)]


def _find(top: Path) -> Iterator[tuple[Path, str | None]]:
    """Task folders, and with a reason those that could not be looked into."""
    pending = [top]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                inside = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
        except OSError as error:
            yield folder, error.strerror
            continue
        if (
            "task.toml" in inside
            or "task.yaml" in inside
            or ("instruction.md" in inside and inside.get("tests"))
        ):
            yield folder, None
        else:
            pending.extend(
                folder / name for name, is_dir in inside.items() if is_dir and not name.startswith(".")
            )
