"""What a task declares, read once: `task.toml`, and over it the tables of `adjudge.toml` beside it.

The second file is for tasks that are not ours to edit; what it says counts. Every room that asks a task about
its declarations gets the tables that were read when it was loaded: they are kept for as long as the task has
the same content, and nobody may change them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from adjudge._files import read_plain_file
from adjudge.contracts import Task
from adjudge.errors import TaskError
from adjudge.tasks.settings import Settings, parse_settings

SETTINGS = "task.toml"
SIDECAR = "adjudge.toml"
"""Lies beside `task.toml` and has the same tables; what it says counts."""
_MOST_KEPT = 4096
_MOST_BYTES = 4 << 20
_kept: dict[tuple[Path, str], Mapping[str, Any]] = {}


def read_declarations(home: Path, read: Callable[[str], str | None]) -> Settings:
    """The settings of a task folder; `read` gives the text of one of its files, or None."""
    settings = parse_settings(home / SETTINGS, read(SETTINGS) or "")
    beside = read(SIDECAR)
    if beside is None:
        return settings
    merged = dict(settings.data)
    for name, value in parse_settings(home / SIDECAR, beside).data.items():
        below = merged.get(name)
        merged[name] = {**below, **value} if isinstance(below, dict) and isinstance(value, dict) else value
    return replace(settings, data=merged)


def declarations_of(task: Task) -> Mapping[str, Any]:
    """The tables of a task that was loaded; empty if its files can no longer be read."""
    kept = _kept.get((task.folder, task.digest))
    if kept is None:
        try:
            settings = read_declarations(task.folder, lambda name: _text(task.folder / name))
        except TaskError:
            return MappingProxyType({})
        kept = keep_declarations(task, settings)
    return kept


def keep_declarations(task: Task, settings: Settings) -> Mapping[str, Any]:
    """Remember what a task declares for those who ask later."""
    if len(_kept) >= _MOST_KEPT:
        _kept.pop(next(iter(_kept)), None)
    kept = _kept[task.folder, task.digest] = MappingProxyType(settings.data)
    return kept


def declared_table(task: Task, name: str) -> dict[str, Any]:
    """One table of a task's declarations; empty if it is absent, or something else than a table."""
    found = declarations_of(task).get(name)
    return found if isinstance(found, dict) else {}


def _text(file: Path) -> str | None:
    try:
        data = read_plain_file(file, limit=_MOST_BYTES).data
    except OSError:
        return None
    return None if data is None else data.decode("utf-8-sig", "replace")
