"""Copies of the authoring kit in task folders: is there one where it is needed, and is it today's?

A verifier imports `adjudge_kit` from the copy beside it, so that a task needs nothing but itself. A copy may
fall behind the kit that adjudge ships, or be edited; both are a different file, and its version tells more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from adjudge._files import read_plain_file
from adjudge._lazy import late_pattern
from adjudge.errors import TaskError
from adjudge.tasks.sources import own_sources

KIT = "adjudge_kit.py"
UNTRUSTED = "adjudge_untrusted.py"
"""Beside the kit, for verifiers that start a program of the agent's."""
_MOST_BYTES = 2 << 20
_IMPORTS = late_pattern(rb"^[ \t]*(?:from adjudge_kit import|import adjudge_kit\b)", re.MULTILINE)
_VERSION = late_pattern(rb"^__version__ = [\"'](?P<version>[^\"']+)[\"']", re.MULTILINE)


class KitState(StrEnum):
    """How a copy compares with the kit of this adjudge."""

    CURRENT = "current"
    OTHER_VERSION = "of another version"
    CHANGED = "changed"
    """The same version with another content: edited, or from between two releases."""
    MISSING = "missing"


class KitCopy(Struct, frozen=True):
    """One copy, or the place where one is missing."""

    path: Path
    state: KitState
    version: str | None = None


def kit_copies(folder: Path) -> Iterator[KitCopy]:
    """Every copy below a task's `tests/`, and the place of one that its Python files import in vain."""
    tests = folder / "tests"
    sources = [path for path in own_sources(tests) if path.endswith(".py")]
    copies = [path for path in sources if path.endswith(f"/{KIT}")]
    for path in copies:
        data = _bytes(path)
        if data is not None:
            yield _compared(Path(path), data)
    beside = {path.rpartition("/")[0] for path in copies}
    if str(tests) in beside:
        return
    for path in sources:
        above = path.rpartition("/")[0]
        if path not in copies and above not in beside and _IMPORTS.search(_bytes(path) or b""):
            yield KitCopy(Path(above, KIT), KitState.MISSING)
            return


def write_kit(folder: Path, name: str = KIT) -> KitCopy:
    """Write today's kit (or `UNTRUSTED`) into a task's `tests/`; what stood there before.

    TaskError if that is no task.
    """
    tests = folder / "tests"
    if not tests.is_dir():
        raise TaskError("there is no tests folder", file=folder, remedy="Name a task's folder.")
    path = tests / name
    data = _bytes(path)
    before = KitCopy(path, KitState.MISSING) if data is None else _compared(path, data)
    if before.state is not KitState.CURRENT:
        path.write_bytes(_ours(name))
    return before


def _compared(path: Path, data: bytes) -> KitCopy:
    version = _version(data)
    ours = _ours(path.name)
    if data == ours:
        return KitCopy(path, KitState.CURRENT, version)
    other = version != _version(ours)
    return KitCopy(path, KitState.OTHER_VERSION if other else KitState.CHANGED, version)


def _version(data: bytes) -> str | None:
    match = _VERSION.search(data)
    return match["version"].decode("utf-8", "replace") if match else None


@cache
def _ours(name: str) -> bytes:
    found = find_spec(name.removesuffix(".py"))
    if found is None or found.origin is None:
        raise TaskError("this installation of adjudge has no kit", remedy="Install it again.")
    return Path(found.origin).read_bytes()


def _bytes(path: Path | str) -> bytes | None:
    try:
        return read_plain_file(path, limit=_MOST_BYTES).data
    except OSError:
        return None
