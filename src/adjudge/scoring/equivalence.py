"""Does a verifier give the same warm as cold? Tried with outputs of which the task itself knows something.

The outputs: the task's goldens, wrong answers that are made from them, and empty ones. Each is verified twice
cold and twice warm. Artifacts and exit codes have to be the same in all four runs; where the two cold runs
print the same, the warm ones have to print that, too. A verifier whose cold runs differ in more than what
they print is never admitted, and neither is one without goldens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from msgspec.structs import replace

from adjudge.contracts import Task
from adjudge.gates import AgentOutput, OutputFile, read_output
from adjudge.sandbox import SandboxOutcome
from adjudge.scoring.provided import with_provided
from adjudge.tasks import golden_paths

Files = Mapping[str, OutputFile]
ColdRun = Callable[[Files], SandboxOutcome]
WarmRun = Callable[[Files], SandboxOutcome | str]

_MOST_GOLDENS = 2
_LONGEST = 1 << 20
"""Of a file that is changed to make a wrong answer."""
_OTHER_DIGITS = bytes.maketrans(b"0123456789", b"9876543210")


def difference(task: Task, cold: ColdRun, warm: WarmRun) -> str | None:
    """The first difference between cold and warm runs, in words; None if there is none.

    Raises what `cold` raises if the machine fails.
    """
    tried = 0
    for name, files in outputs_to_try(task):
        told = _difference_of(cold, warm, files)
        if told is not None:
            return f"{name}: {told}"
        tried += 1
    return None if tried else "the task has no golden that could be tried"


def _difference_of(cold: ColdRun, warm: WarmRun, files: Files) -> str | None:
    first, second = cold(files), cold(files)
    if told := unlike(first, second):
        return f"two cold runs differ in {told}"
    for _ in range(2):
        found = warm(files)
        if isinstance(found, str):
            if ended_by_itself(first):
                return found
            continue
        if told := unlike(first, found) or _unlike_words(first, second, found):
            return f"a warm run differs in {told}"
    return None


def ended_by_itself(run: SandboxOutcome) -> bool:
    """Neither a signal nor a limit ended it."""
    return run.exit_code is not None and run.exit_code >= 0 and not run.limits_hit


def unlike(one: SandboxOutcome, other: SandboxOutcome) -> str | None:
    """What two runs of the same output differ in that has to be the same in any case; None if nothing."""
    if one.exit_code != other.exit_code:
        return f"the exit code: {one.exit_code} and {other.exit_code}"
    if one.limits_hit != other.limits_hit:
        return "the limits that were hit"
    if one.left_out != other.left_out or one.shadowing != other.shadowing:
        return "the files that were placed"
    names = one.artifacts.keys() | other.artifacts.keys()
    changed = sorted(name for name in names if one.artifacts.get(name) != other.artifacts.get(name))
    return f"the artifact {changed[0]}" if changed else None


def _unlike_words(first: SandboxOutcome, second: SandboxOutcome, warm: SandboxOutcome) -> str | None:
    """Lines that the cold runs have in common have to be a warm run's, too."""
    for name in ("stdout", "stderr"):
        one, two, other = (getattr(run, name).split(b"\n") for run in (first, second, warm))
        if len(one) == len(two) != len(other):
            return name
        if len(one) == len(two) and any(a == b != c for a, b, c in zip(one, two, other, strict=True)):
            return name
    return None


def outputs_to_try(task: Task) -> Iterator[tuple[str, Files]]:
    """Goldens, and wrong and empty answers made from the first of them, with what the task puts beside."""
    first: AgentOutput | None = None
    for kind in ("pass", "fail"):
        for path in islice(golden_paths(task, kind), _MOST_GOLDENS):
            output = read_output(task, path)
            if output.problem is None:
                first = first or output
                yield f"golden {kind}/{path.name}", with_provided(task, output)
    if first is not None:
        for name, change in _CHANGES.items():
            files = {path: _changed(file, change) for path, file in first.files.items()}
            yield name, with_provided(task, replace(first, files=files))
        yield "no file at all", with_provided(task, replace(first, files={}))


def _changed(file: OutputFile, change: Callable[[bytes], bytes]) -> OutputFile:
    if file.link is not None or len(file.data) > _LONGEST:
        return file
    return replace(file, data=change(file.data))


_CHANGES: Mapping[str, Callable[[bytes], bytes]] = {
    "other digits": lambda data: data.translate(_OTHER_DIGITS),
    "other words": lambda data: re.sub(rb"[a-z]{4,}", lambda word: word[0][::-1], data),
    "the first half": lambda data: data[: len(data) // 2],
    "empty files": lambda _: b"",
}
