"""The fast, static part: what can be said about a task without running anything of it.

A task folder is read and compared with what adjudge and the sandbox need. Nothing of the task is executed. A
finding of high severity means that no output can be scored; the rest is advice.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import PurePosixPath

from msgspec import Struct

from adjudge.contracts import Origin, OutputFormat, Severity, Task
from adjudge.tasks.declarations import declarations_of
from adjudge.tasks.discover import TaskList
from adjudge.tasks.goldens import declared_categories, golden_paths, golden_settings
from adjudge.tasks.kit_copy import UNTRUSTED, KitState, kit_copies
from adjudge.tasks.near_miss import near_misses
from adjudge.tasks.sources import all_sources, own_sources, python_problem, read_source, shell_problems

_SHOWN = re.compile(r"(?<![\w/])/tests/([\w][\w./-]*\.\w+)")
_REWARD = re.compile(rb"reward|adjudge_kit|ADJUDGE_LOGS")
_FALLBACK = re.compile(r"(\|\||\btrap\b)[^\n]*reward|if[^\n]*!\s*-f[^\n]*reward", re.IGNORECASE)
_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)
_SHELL = re.compile(r"\b(?:ba|da|k|z)?sh\b")


class CheckFinding(Struct, frozen=True):
    """One remark on one task."""

    task_id: str
    severity: Severity
    what: str
    remedy: str


Remark = tuple[Severity, str, str]
"""How much it matters, what is the matter, and what to do."""


def check_tasks(found: TaskList) -> Iterator[CheckFinding]:
    """Every remark on every task, broken ones first."""
    problems = shell_problems({_script_of(task) for task in found})
    for problem in found.problems:
        yield CheckFinding(problem.id, Severity.HIGH, problem.message, "Until then the task cannot be used.")
    for task in found:
        for look in (
            _settings,
            partial(_script, problems=problems),
            _sources,
            _kit,
            _program,
            _contract,
            _limits,
            _goldens,
            _taxonomy,
        ):
            yield from (CheckFinding(task.id, *remark) for remark in look(task))


def _settings(task: Task) -> Iterator[Remark]:
    """Keys that were meant to be others, and what the task asks for and will not get."""
    yield from near_misses(task, declarations_of(task))
    for sentence in task.not_honoured:
        yield Severity.INFO, sentence, "See docs/tasks.md for what is honoured."


def _script_of(task: Task) -> bytes:
    with open(f"{task.folder}/{task.verifier.script}", "rb") as file:  # noqa: PTH123 - a string stays one
        return file.read()


def _script(task: Task, problems: dict[bytes, str]) -> Iterator[Remark]:
    data = _script_of(task)
    text = data.decode("utf-8", "replace")
    name = task.verifier.script
    if not text.strip():
        yield Severity.HIGH, f"{name} is empty", "Let it start the verifier."
        return
    if "\r\n" in text:
        yield (
            Severity.HIGH,
            f"{name} has Windows line ends, which bash cannot run",
            "Save it with LF line ends.",
        )
    elif (problem := problems.get(data)) is not None:
        yield Severity.HIGH, f"{name} is not a shell script: {problem}", "Correct the syntax there."
    if (first := text.partition("\n")[0]).startswith("#!") and not _SHELL.search(first):
        yield (
            Severity.LOW,
            f"{name} is run by bash, whatever its first line says: {first[:80]}",
            "Start it there.",
        )
    if not text.startswith("#!"):
        yield Severity.LOW, f"{name} has no #! line", "Begin it with #!/usr/bin/env bash."
    shown = {task.folder / "tests", (task.folder / name).parent}  # a step sees its own tests and the task's
    for path in dict.fromkeys(_SHOWN.findall(text)):
        there = any((tests / path).exists() for tests in shown)
        if not there and not _is_written(text, f"/tests/{path}"):
            yield (
                Severity.HIGH,
                f"{name} uses /tests/{path}, which does not exist",
                "Add it, or correct the path.",
            )
    if _FALLBACK.search(_COMMENT.sub("", text)):
        yield (
            Severity.LOW,
            f"{name} seems to fill in a reward if the verifier fails",
            "Write none then; `adjudge audit --section 'failure honesty'` shows what happens.",
        )


def _is_written(text: str, path: str) -> bool:
    """Does the script itself make that file, or ask first whether it is there?"""
    place = re.escape(path)
    written = (
        rf"(>\s*|-[ef]\s+|tee\s+|-o\s*|touch\s+){place}|^\s*(?:cp|mv|ln|install)\s.*\s{place}\s*(?:$|[;&|#])"
    )
    return re.search(written, text.replace('"', ""), re.MULTILINE) is not None


def _sources(task: Task) -> Iterator[Remark]:
    mentions = False
    for path in _programs(task, own_sources):
        data = read_source(path)
        if data is None:
            continue
        mentions = mentions or _REWARD.search(data) is not None
        if path.endswith(".py") and (problem := python_problem(data)):
            name = os.path.relpath(path, task.folder)
            yield Severity.HIGH, f"{name} is not Python: {problem}", "Correct the syntax there."
    if not mentions and not any(
        _REWARD.search(read_source(path) or b"") for path in _programs(task, all_sources)
    ):
        yield (
            Severity.MEDIUM,
            "nothing in tests/ mentions a reward",
            f"The verifier must write {task.verifier.reward_path}.",
        )


def _programs(task: Task, find: Callable[[str], Iterable[str]]) -> Iterator[str]:
    """The programs in the folders of tests that a task has: one, and one more for each step."""
    yield from find(f"{task.folder}/tests")
    for step in task.steps:
        yield from find(f"{task.folder}/steps/{step}/tests")


def _kit(task: Task) -> Iterator[Remark]:
    """A copy of the authoring kit that is missing, or is not the one of this adjudge."""
    for copy in kit_copies(task.folder):
        name = os.path.relpath(copy.path, task.folder)
        if copy.state is KitState.MISSING:
            yield Severity.HIGH, f"{name} is imported and not there", "`adjudge kit TASK` writes it."
        elif copy.state is not KitState.CURRENT:
            found = f" (version {copy.version})" if copy.version else ""
            yield (
                Severity.INFO,
                f"{name} is {copy.state.value}{found}: not the kit of this adjudge",
                "`adjudge kit TASK` refreshes it.",
            )


def _program(task: Task) -> Iterator[Remark]:
    """A verifier that starts the agent's program lends it its own rights, unless it keeps it apart."""
    if not task.runs_output:
        return
    for path in _programs(task, own_sources):
        source = b"" if path.endswith(UNTRUSTED) else read_source(path)
        if b"adjudge_untrusted" in (source or b""):
            return
    yield (
        Severity.LOW,
        "the verifier runs the agent's program, which can then read the tests and write the reward",
        "Start it by adjudge_untrusted: `adjudge kit --untrusted TASK`, and see docs/kit.md.",
    )


def _contract(task: Task) -> Iterator[Remark]:
    path = task.verifier.expected_output_path
    unknown = task.output.format is OutputFormat.BINARY and not task.output.is_folder
    if unknown and task.output.format_origin is Origin.INFERRED:
        yield (
            Severity.LOW,
            f"nothing is known about the format of {path}",
            "Declare [output] format, so that outputs that do not parse are told apart.",
        )
    if task.output.is_folder and task.output.path_origin is Origin.INFERRED:
        yield (
            Severity.LOW,
            f"the task names no file, so its working folder {path} is the answer",
            'If it is a file, declare it: [output] path = "/app/...".',
        )
    elif path not in task.instruction and PurePosixPath(path).name not in task.instruction:
        yield Severity.MEDIUM, f"the instruction does not mention {path}", "Say where the output is expected."


def _limits(task: Task) -> Iterator[Remark]:
    limits = task.limits
    if limits.wall_time_sec < 2:
        yield (
            Severity.MEDIUM,
            f"[verifier] timeout_sec = {limits.wall_time_sec:g} is very short",
            "A busy machine needs seconds to start a program.",
        )
    if limits.wall_time_sec > 3600:
        yield (
            Severity.LOW,
            f"[verifier] timeout_sec = {limits.wall_time_sec:g} is more than an hour",
            "One stuck verifier holds up a run for so long.",
        )
    if limits.memory_mb < 64:
        yield Severity.MEDIUM, f"{limits.memory_mb} MB of memory is little", "Python alone takes about 20 MB."
    if limits.disk_mb < 8:
        yield Severity.MEDIUM, f"{limits.disk_mb} MB of storage is little", "Give it 64 MB or more."


def _goldens(task: Task) -> Iterator[Remark]:
    settings = golden_settings(task)
    for problem in settings.problems:
        yield Severity.MEDIUM, problem, "Correct [goldens] in task.toml."
    passing = golden_paths(task, "pass")
    if not passing and not (task.folder / "solution" / "solve.sh").is_file():
        yield (
            Severity.LOW,
            "there is no golden that passes and no reference solution",
            "Add goldens/pass/ with a right output: it is the verifier's own test.",
        )
    elif not golden_paths(task, "fail"):
        yield Severity.INFO, "there is no golden that fails", "Add goldens/fail/ with typical mistakes."


def _taxonomy(task: Task) -> Iterator[Remark]:
    if problem := declared_categories(task).problem:
        yield Severity.LOW, problem, "Name the task's own error categories there, or nothing."
