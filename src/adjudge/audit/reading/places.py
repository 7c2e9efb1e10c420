"""Files that a verifier opens elsewhere than where the task puts them: no answer, or no input, lies there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from adjudge._python import NO_PYTHON, parse_python
from adjudge.audit.causes import Cause
from adjudge.audit.reading.remark import Remark
from adjudge.contracts import Severity, Task
from adjudge.tasks import mentioned_files

_PATH = re.compile(r"[\w./-]*[\w-]")
_WORD = re.compile(r"(?<![\w$}./~-])[\w./-]*\w\.\w+")
_OWN = frozenset({"tests", "logs", "tmp", "dev", "proc", "usr", "etc", "solution"})
"""Folders of the root in which a verifier keeps what is its own, or which are the system's."""


def read_places(task: Task, sources: Sequence[tuple[str, str]]) -> Iterator[Remark]:
    """`/workspace/output/a.json` is opened, and the task asks for `/output/a.json`, which nothing names.

    A path is named by a literal that is nothing else, in a message it is not. If a folder above the task's
    path is named, the path may be put together, and nothing is said.
    """
    asked: dict[str, list[str]] = {}
    for path in mentioned_files(task.instruction):
        asked.setdefault(PurePosixPath(path).name, []).append(path)
    named = [(file, line, path) for file, text in sources for line, path in _paths(file, text)]
    known = {path for _, _, path in named}
    told: set[str] = set()
    for file, line, path in named:
        wanted = asked.get(PurePosixPath(path).name, [])
        if not wanted or path in told or _is_own(path) or _says(task.instruction, path):
            continue
        if any(part in known for there in wanted for part in _on_the_way(there)):
            continue
        told.add(path)
        yield Remark(
            Cause.ELSEWHERE,
            Severity.MEDIUM,
            file,
            line,
            path,
            f"{path} is opened, and the task speaks of {wanted[-1]}, which no line of the verifier names",
            "Open the file where the task puts it.",
            certain=True,
        )


def _is_own(path: str) -> bool:
    return not path.startswith("/") or PurePosixPath(path).parts[1] in _OWN


def _says(instruction: str, path: str) -> bool:
    """Does the task name this path, or its end from a folder on, as in `output/a.json`?"""
    parts = PurePosixPath(path).parts[1:]
    ends = ("/".join(parts[start:]) for start in range(len(parts) - 1))
    return path in instruction or any(re.search(rf"(?<![\w/]){re.escape(end)}", instruction) for end in ends)


def _on_the_way(path: str) -> Iterator[str]:
    """The path itself, every folder above it but the root, and each end of it."""
    parts = PurePosixPath(path).parts
    yield from ("/" + "/".join(parts[1:end]) for end in range(2, len(parts) + 1))
    yield from ("/".join(parts[start:]) for start in range(1, len(parts)))


def _paths(file: str, text: str) -> Iterator[tuple[int, str]]:
    """Each literal of a source that may be a path and is nothing else, with its line."""
    if file.endswith(".py"):
        try:
            tree = parse_python(text)
        except NO_PYTHON:
            return
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if _PATH.fullmatch(path := node.value.rstrip("/")):
                yield node.lineno, path
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith("#"):
            yield from ((number, match[0]) for match in _WORD.finditer(line))
