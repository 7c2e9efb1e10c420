"""The files that a task gives to its agent, in its own folder."""

from __future__ import annotations

import os
from pathlib import Path

from adjudge.contracts import Task
from adjudge.tasks import provided_files

PLACES = ("environment", "workspace", "data", "inputs", "assets")
"""The folders of a task in which the files for its agent lie."""


def given_files(task: Task) -> list[Path]:
    """All but empty ones; of `environment` those that its Dockerfile puts into the image."""
    found = []
    placed = _placed(task)
    for folder in PLACES:
        for above, folders, files in os.walk(task.folder / folder):
            folders.sort()
            here = [Path(above, file) for file in sorted(files)]
            helps = placed is not None and folder == "environment"
            found += [path for path in here if not helps or path in (placed or ())]
    return [path for path in found if not path.is_symlink() and path.is_file() and path.stat().st_size]


def _placed(task: Task) -> set[Path] | None:
    """The files that the agent's image holds, if a Dockerfile says so: others only help to build it."""
    dockerfile = task.folder / "environment" / "Dockerfile"
    if not dockerfile.is_file() or (task.folder / "tests" / "Dockerfile").is_file():
        return None
    return set(provided_files(task).values())
