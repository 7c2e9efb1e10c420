"""The tasks of the tasks root, looked at again twice a minute; without a root there are none.

Instructions, categories and output formats come from here. A task that cannot be loaded is named with what is
wrong, and its trials are shown without an instruction.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

from adjudge.contracts import Task
from adjudge.tasks import declared_categories, load_tasks

_LOOK_AGAIN_SEC = 30.0


class TaskShelf:
    """The tasks by id. Only the first look waits; later ones happen in the background."""

    def __init__(self, root: Path | None) -> None:
        self.root = root
        self._lock = threading.Lock()
        self._tasks: dict[str, Task] = {} if root is None else _load(root)
        self._looked_at = time.monotonic()

    def all(self) -> dict[str, Task]:
        """Every task that loads."""
        root = self.root
        if root is not None and time.monotonic() - self._looked_at > _LOOK_AGAIN_SEC:
            self._looked_at = time.monotonic()
            threading.Thread(target=self._look_again, args=(root,), daemon=True).start()
        return self._tasks

    def _look_again(self, root: Path) -> None:
        if self._lock.acquire(blocking=False):
            try:
                self._tasks = _load(root)
            finally:
                self._lock.release()

    def get(self, task_id: str) -> Task | None:
        """One task; None if the root has none of this id."""
        return self.all().get(task_id)

    def held_out(self) -> tuple[str, ...]:
        """The tasks that say of themselves that they are held out: `hold_out = true` in `[metadata]`."""
        return tuple(sorted(t.id for t in self.all().values() if t.metadata.extra.get("hold_out") is True))

    def categories(self, task_id: str) -> list[str]:
        """The categories that a task declares for its failures."""
        task = self.get(task_id)
        return [] if task is None else sorted(declared_categories(task).declared or ())


def _load(root: Path) -> dict[str, Task]:
    return {task.id: task for task in load_tasks(root)}
