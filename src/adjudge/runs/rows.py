"""The rows of a run: those of a manifest, or those that a folder of outputs stands for.

They can be read more than once, since a run is looked at before it is begun. A manifest may be long: it is
read anew each time, line by line, and never held in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from adjudge.contracts import Task
from adjudge.errors import TaskError, UsageError
from adjudge.runs.manifest import (
    MANIFEST_NAME,
    BadRow,
    ManifestRow,
    count_rows,
    read_manifest,
    read_outputs_folder,
    read_task_folders,
)
from adjudge.tasks import load_task, load_tasks


class RunRows(Struct, frozen=True):
    """What a run is to score; `total` is how many rows there are, None if that is not known beforehand."""

    read: Callable[[], Iterable[ManifestRow | BadRow]]
    read_folders: Callable[[], Iterable[str]]
    """The folders of their tasks, which can be told sooner than the rows."""
    total: int | None
    tasks_root: Path | None = None
    """The root that task ids are relative to."""
    output_path: str | None = None
    """Where the answers of all tasks are, whatever they say themselves."""

    def __iter__(self) -> Iterator[ManifestRow | BadRow]:
        return iter(self.read())

    def tasks(self) -> list[Task]:
        """The tasks that the rows name, each once; one that cannot be used is told later, by its rows."""
        tasks = []
        for folder in dict.fromkeys(self.read_folders()):
            try:
                tasks.append(load_task(folder, root=self.tasks_root, output_path=self.output_path))
            except TaskError:
                continue
        return tasks

    def in_order_of(self, task_ids: Sequence[str]) -> RunRows:
        """The same rows, those of the first task first and those of tasks not named last. Held in memory."""
        place = {task_id: at for at, task_id in enumerate(task_ids)}
        at: dict[str, int] = {}
        for folder in dict.fromkeys(row.task for row in self if isinstance(row, ManifestRow)):
            try:
                at[folder] = place.get(load_task(folder, root=self.tasks_root).id, len(place))
            except TaskError:
                at[folder] = len(place)
        rows = sorted(self, key=lambda row: at[row.task] if isinstance(row, ManifestRow) else len(place))
        return _held(rows, self.tasks_root, None)

    def attempts(self) -> dict[str, int]:
        """How many rows there are of each task, by its id."""
        folders = Counter(row.task for row in self if isinstance(row, ManifestRow))
        found: dict[str, int] = {}
        for folder, count in folders.items():
            try:
                task = load_task(folder, root=self.tasks_root)
            except TaskError:
                continue
            found[task.id] = found.get(task.id, 0) + count
        return found


def find_rows(
    manifest: Path | str, tasks: Path | str | None = None, *, output_path: str | None = None
) -> RunRows:
    """The rows that a manifest, a folder with one, or a folder `AGENT/ATTEMPT/TASK_ID/` names.

    `tasks` is the root of the tasks; a folder without a manifest needs it. UsageError if there is no row.
    """
    place, root = Path(manifest), None if tasks is None else Path(tasks)
    if place.is_dir() and not (place / MANIFEST_NAME).exists():
        return _rows_of_folder(place, root, output_path)
    file = place / MANIFEST_NAME if place.is_dir() else place
    total = count_rows(file) if file.is_file() else None
    if total == 0:
        raise UsageError("the manifest has no rows", file=file, remedy="Add one JSON object per line.")
    return RunRows(lambda: read_manifest(file), lambda: read_task_folders(file), total, root, output_path)


def _rows_of_folder(folder: Path, root: Path | None, output_path: str | None) -> RunRows:
    if root is None:
        raise UsageError(
            f"the folder has no {MANIFEST_NAME}, so its tasks must be named",
            file=folder,
            remedy="Add --tasks ROOT; the folder is then read as AGENT/ATTEMPT/TASK_ID/.",
        )
    found = load_tasks(root, output_path=output_path)
    broken = {problem.id: problem.message for problem in found.problems}
    rows = list(read_outputs_folder(folder, list(found), broken))
    if not rows:
        raise UsageError(
            "no outputs were found",
            file=folder,
            allowed="AGENT/ATTEMPT/TASK_ID/ with ids as `adjudge tasks` lists them",
        )
    return _held(rows, root, output_path)


def _held(rows: list[ManifestRow | BadRow], root: Path | None, output_path: str | None) -> RunRows:
    """Rows that are in memory."""
    folders = dict.fromkeys(row.task for row in rows if isinstance(row, ManifestRow))
    return RunRows(lambda: rows, lambda: folders, len(rows), root, output_path)
