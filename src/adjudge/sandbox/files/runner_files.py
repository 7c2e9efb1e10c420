"""Files of an agent that steer the verifier's own test runner, or stand in for its code.

Many verifiers copy their tests into the workspace and run pytest there. pytest then obeys what it finds
beside them: a `conftest.py` runs inside it, a `pytest.ini` deselects tests, and a compiled file in
`__pycache__` is taken for the test that was copied next to it. None of this is an answer to anything, unless
the task asks for it. So:

- What is in a `__pycache__` is left out in any case: Python makes it again, from the source.
- What is in a folder that is called like a program of the tests (`check.py/__main__.py`) is left out: a copy
  of that program would end up inside the folder, and the folder would be run in its place.
- The runner's files are left out if the tests speak of pytest and nobody asked the agent for such a file: not
  the instruction, not the output paths, not the files that the task starts with, not the tests themselves (by
  its name in a folder other than theirs). Of files that hold other settings too, only those with pytest's, or
  with plug-ins of coverage's.
- If the answer is data, nothing of the agent's has to be run. Then what a runner imports of itself is left
  out too, unless somebody asked for it: files that it would collect as tests, and an `__init__.py` with code
  in it where tests are copied to, in the agent's own folder or in one called `tests`.

What was left out is on the record, with this reason.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge._lazy import late_pattern

if TYPE_CHECKING:
    from adjudge.sandbox.job import PlacedFile

COMPILED = "__pycache__"
RUNNER_FILES = frozenset(
    {
        *("conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"),
        *("tox.ini", "setup.cfg", "pyproject.toml", ".pytest_cache", ".coveragerc", ".coveragerc.toml"),
    }
)
_SHARED = frozenset({"tox.ini", "setup.cfg", "pyproject.toml"})
_SETTINGS = late_pattern(
    rb"\[\s*(?:tool:)?pytest|ini_options|tool[\"']?\s*\.\s*[\"']?pytest|pytest[\"']?\s*(?:\.|=\s*\{)|\\[uUx]"
)
"""Anything that may hold settings of pytest's. Not by whole lines: what ends a line to pytest (a form feed, a
Unicode separator) does not to others; and TOML has headers, dotted keys, inline tables and escapes."""
_RUNNER = late_pattern(rb"\bpy\.?test\b|\bcoverage\s+run\b")
_COLLECTS = late_pattern(rb"\bpy\.?test\b|\bunittest\b")
_PACKAGE = "__init__.py"
_COLLECTED = late_pattern(r"test.*\.py|.*_test\.py", re.DOTALL)
"""What pytest and unittest take for tests."""
_WITHOUT_CODE = late_pattern(rb"(?:\s|#[^\n]*\n?)*")
_TEST_FOLDERS = ("tests", "test")
_LONGEST, _MOST_FILES = 1 << 18, 500

_PROGRAMS = (
    *(".py", ".sh", ".bash", ".js", ".mjs", ".cjs", ".ts"),
    *(".rb", ".pl", ".php", ".lua", ".jl", ".r", ".R"),
)
BECAUSE_FOLDER = "lies in a folder that is called like a program of the verifier's"
BECAUSE_COMPILED = "is compiled code, which the verifier's Python makes again from the source"
BECAUSE_COLLECTED = "would be run by the verifier's test runner, and the task asks for data"
BECAUSE_RUNNER = "would steer the verifier's test runner, and the task does not ask for it"


def named_like_a_runners(paths: Iterable[str]) -> frozenset[str]:
    """Which of the names that matter to a runner occur among these paths; none for nearly every output."""
    return frozenset(
        part
        for path in paths
        for part in path.split("/")
        if part in RUNNER_FILES or part == _PACKAGE or _COLLECTED.fullmatch(part)
    )


def steering_files(
    files: Mapping[str, PlacedFile],
    tests: Path,
    asked_for: Collection[str],
    *,
    data_in: Collection[str] = (),
) -> dict[str, str]:
    """Those that are left out, by path, and why, as words that go on from "because it ...".

    `data_in` are the agent's folders if its answer is data, none if its program may have to be run.
    """
    found = {path: BECAUSE_COMPILED for path in files if COMPILED in path.split("/")}
    if folders := _called_like_programs(files, tests):
        found |= {path: BECAUSE_FOLDER for path in files if not folders.isdisjoint(path.split("/")[:-1])}
    names = named_like_a_runners(files) - frozenset(asked_for)
    if (steering := names & RUNNER_FILES) and (steering := steering - _said_in(tests, steering)):
        found |= {path: BECAUSE_RUNNER for path, file in files.items() if _steers(path, file, steering)}
    if data_in and (others := names - RUNNER_FILES):
        found |= dict.fromkeys(_run_by_themselves(files, tests, others, data_in), BECAUSE_COLLECTED)
    return found


def _run_by_themselves(
    files: Mapping[str, PlacedFile], tests: Path, names: Collection[str], folders: Collection[str]
) -> Iterable[str]:
    """Files of these names that a runner would import though no test does.

    A name that the tests speak of stays, unless it is that of a test itself: a copy takes that one's place,
    and what is called like it in another folder would be collected beside it.
    """
    texts = list(_texts(tests))
    if not any(_COLLECTS.search(text) for text in texts):
        return
    own = {path.name for path in _plain_files(tests)}
    for path, file in files.items():
        folder, _, name = path.rpartition("/")
        if name not in names:
            continue
        if name == _PACKAGE:
            is_beside = folder in folders or folder.rpartition("/")[2] in _TEST_FOLDERS
            run = is_beside and not (file.link is None and _WITHOUT_CODE.fullmatch(file.data))
        else:
            run = name in own or not any(name.encode("utf-8", "surrogateescape") in text for text in texts)
        if run:
            yield path


def _called_like_programs(files: Iterable[str], tests: Path) -> frozenset[str]:
    """Names of folders among these paths that are names of files of the tests; hardly ever any."""
    named = {part for path in files for part in path.split("/")[:-1] if part.endswith(_PROGRAMS)}
    return frozenset(named & {path.name for path in _plain_files(tests)}) if named else frozenset()


def _steers(path: str, file: PlacedFile, names: Collection[str]) -> bool:
    named = [part for part in path.split("/") if part in names]
    if not named:
        return False
    if named[-1] in _SHARED and file.link is None:
        return path.endswith(f"/{named[-1]}") and _holds_settings(file.data)
    return True


def _holds_settings(data: bytes) -> bool:
    """Of pytest's, or of coverage's that start code."""
    return _SETTINGS.search(data) is not None or (b"coverage" in data and b"plugins" in data)


def _said_in(tests: Path, names: Collection[str]) -> frozenset[str]:
    """Names that the tests use for a file outside their own folder; all names if they do not run pytest."""
    runs, said = False, set()
    for data in _texts(tests):
        runs = runs or _RUNNER.search(data) is not None
        for name in names:
            path = rb"(?<![\w./~$}-])(?!/tests/)(?:[\w.~$\{\}-]*/)*" + re.escape(name.encode()) + rb"\b"
            if re.search(path, data):
                said.add(name)
    return frozenset(said) if runs else frozenset(names)


def _texts(folder: Path) -> Iterable[bytes]:
    for path in _plain_files(folder):
        try:
            with path.open("rb") as file:
                yield file.read(_LONGEST)
        except OSError:
            continue


def _plain_files(folder: Path) -> Iterable[Path]:
    """Of a folder and those below it, up to a number."""
    all_files = (Path(place, name) for place, _, names in os.walk(folder) for name in sorted(names))
    return islice(all_files, _MOST_FILES)
