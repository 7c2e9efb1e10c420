"""The programs in a tests folder: which are the task's own, whether they parse, and what they start.

Packages that lie there are other people's: those in folders named for it (`vendor`, `site-packages`), and all
folders together once they hold more programs than anybody writes for one task. Nothing of a task is executed:
shell and Python are parsed only.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from adjudge._files import read_plain_file
from adjudge._python import parse_python
from adjudge.tasks.mentions import VENDORED, source_files

_MOST_BELOW = 60
"""How many programs the folders in `tests/` may hold together and still be the task's own."""
_MAX_SOURCE = 1 << 20
_SUFFIXES = frozenset({".sh", ".py", ".js", ".R", ".pl", ".rb", ".jl", ""})
_MOST_TOGETHER = 200
_BRACKETS = (b"f() { :\n%b\n:\n}\n", b"f() ( :\n%b\n:\n)\n", b"if :; then :\n%b\n:\nfi\n")
_TIMEOUT_SEC = 20
_STARTERS = (
    r"(?:python[\d.]*|node|bash|sh|ruby|perl|php|java|Rscript|julia|deno|bun|lua|gcc|g\+\+|cc|rustc|javac|"
    r"go\s+(?:run|build|test)|cargo\s+\w+|make|cmake|npm|npx|yarn|pnpm|mvn|gradle|dotnet|pytest)"
)


def own_sources(tests: Path | str) -> list[str]:
    """The paths of the task's own programs, those at the top first; empty if there is no folder."""
    top: list[str] = []
    below: list[str] = []
    for path in all_sources(tests):
        if path.count("/", len(str(tests)) + 1):
            below.append(path)
            if len(below) > _MOST_BELOW:
                return top
        else:
            top.append(path)
    return top + below


def all_sources(tests: Path | str) -> Iterator[str]:
    """The same with the programs of packages, except those in folders that are named for them."""
    for folder, folders, names in os.walk(tests):
        folders[:] = sorted(name for name in folders if name not in VENDORED)
        yield from (f"{folder}/{name}" for name in sorted(names) if os.path.splitext(name)[1] in _SUFFIXES)  # noqa: PTH122 - a string stays one


def read_source(path: str) -> bytes | None:
    """The bytes of a program; None for what is not a plain file, or too large."""
    return read_plain_file(path, limit=_MAX_SOURCE).data


@lru_cache(maxsize=1024)  # the same kit lies in many tasks
def python_problem(source: bytes) -> str | None:
    """Why this is not Python; None if it is."""
    try:
        parse_python(source)
    except SyntaxError as error:
        return f"{error.msg} at line {error.lineno}"
    except (ValueError, RecursionError, MemoryError) as error:
        return type(error).__name__
    return None


def shell_problems(scripts: Collection[bytes]) -> dict[bytes, str]:
    """What bash says against these scripts; nothing if it is content, or not there.

    A process for each would cost more than all the rest of a check. So many are read as one, each in a
    function of its own, and only those that bash then dislikes are read apart. Neighbours stand in brackets
    of different kinds, so that what one leaves open no other can close.
    """
    known: dict[bytes, str] = {}
    waiting = sorted(set(scripts))
    for start in range(0, len(waiting), _MOST_TOGETHER):
        _read_together(waiting[start : start + _MOST_TOGETHER], known)
    return known


def _read_together(scripts: Sequence[bytes], known: dict[bytes, str]) -> None:
    if len(scripts) > 1:
        bracketed = (_BRACKETS[n % len(_BRACKETS)] % script for n, script in enumerate(scripts))
        if _bash_says(b"".join(bracketed)) is not None:
            half = len(scripts) // 2
            _read_together(scripts[:half], known)
            _read_together(scripts[half:], known)
    elif scripts and (problem := _bash_says(scripts[0])) is not None:
        known[scripts[0]] = problem


def _bash_says(script: bytes) -> str | None:
    try:
        done = subprocess.run(
            ["bash", "-n"], input=script, capture_output=True, env={}, timeout=_TIMEOUT_SEC, check=False
        )
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
    said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("bash: ")
    return (said or f"exit code {done.returncode}")[:200] if done.returncode else None


def starts_from(home: Path, files: Collection[str], folder: str) -> bool:
    """Does any program in a task's `tests/` start, build or import something in `folder`?

    For an answer that is a folder its name does not tell. The sources do: `cd /app && python main.py`,
    `make -C /app`, `subprocess.run(["/app/tool"])`, `import` of what lies there.
    """
    place = re.escape(folder)
    starts = re.compile(
        rf"(?:^|[\s;&|($`\"'\[]){_STARTERS}\b[^\n|;&]*?{place}/[\w.-]"  # python3 /app/main.py
        rf"|(?:make|cmake|npm|cargo|go)\b[^\n]*(?:-C|--prefix|--build|--manifest-path)[ =\"',]*{place}"
        rf"|\bcd\s+[\"']?{place}[\"'/\w.-]*\s*(?:&&|;|\n)\s*(?:\w+=\S*\s+)*(?:timeout\s+\S+\s+)?(?:{_STARTERS}\b|\./)"
        rf"|(?:run|Popen|call|check_output|check_call|system)\(\s*\[?\s*f?[\"']{place}/"
        rf"|sys\.path\.(?:insert|append)\([^\n]*[\"']{place}"
        rf"|spec_from_file_location\([^\n]*{place}"
        rf"|cwd\s*=\s*[\"']{place}",
        re.MULTILINE,
    )
    for path in source_files(files):
        data = read_source(f"{home}/{path}")
        if data is not None and starts.search(data.decode("utf-8", "replace")):
            return True
    return False
