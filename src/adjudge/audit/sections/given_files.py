"""Files that the agent is given, as the task's folder shows them."""

from __future__ import annotations

import os
from pathlib import Path

from adjudge.audit.probes import InputText
from adjudge.contracts import Task
from adjudge.tasks import provided_files

_TEXTS = (".csv", ".tsv", ".json", ".jsonl", ".txt", ".md", ".log", ".yaml", ".yml", ".xml", ".ini", ".dat")
_MAX_TEXT = 200_000
_MOST_TEXTS = 20
_INPUTS = ("environment", "workspace", "data", "inputs", "assets")


def input_texts(task: Task) -> list[InputText]:
    """The texts that the agent is given, the small ones."""
    found = []
    for path in given_files(task):
        if path.suffix.lower() in _TEXTS and path.stat().st_size <= _MAX_TEXT:
            found.append(InputText(path.name, path.read_bytes().decode("utf-8", "replace")))
    return found[:_MOST_TEXTS]


def given_files(task: Task) -> list[Path]:
    """Files that the agent is given, but empty ones."""
    found = []
    placed = _placed(task)
    for folder in _INPUTS:
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
