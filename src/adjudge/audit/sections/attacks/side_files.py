"""Side files: whatever a verifier reads besides the answer, an agent could have left there.

The paths come from two sources: the verifier is watched at work (`probes.watch`), around a worthless answer
and around the right one, and its source is searched for names. Each path is planted with what could help an
agent: code, a pickle, a forged score, a copy of a wrong answer, nothing at all. What the planted files make
it read is planted in a second round.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import leaves, nonsense, write_json
from adjudge.audit.probes import (
    CLAIM,
    Bench,
    Conditions,
    Files,
    Probe,
    all_wrong,
    answer_of,
    forged,
    forged_histories,
    forged_settings,
    named_files,
    only_answer,
    python_code,
    runs_code,
    temporary_files,
    verifier_sources,
    writing,
)
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity, Task
from adjudge.gates import OutputFile, workspace_of
from adjudge.scoring import files_of_image

_HERE = Section.EXPLOITS
_MOST_PLANTED = 16
_MOST_SHELL = 60_000
"""Characters of a command: more than twice as many no kernel passes on."""
_LISTED_NAMES = ("expected.json", "results.json", "score.txt", "0.json")
_NOISE = ("pyvenv.cfg", "pybuilddir.txt", "Setup.local")
"""What Python itself looks for on its way up."""
_PASTES = re.compile(r"\beval\b|\s-c\s+\"|<<-?\s*[A-Za-z_]")
"""Source that may make code of what it read: what stands in a file is pasted in there, or evaluated."""
_OURS = "/opt/adjudge/"
"""Packages and stand-ins that adjudge brought, and no other runner has."""
_SYSTEM = frozenset(
    {
        "usr",
        "etc",
        "lib",
        "lib32",
        "lib64",
        "bin",
        "sbin",
        "proc",
        "sys",
        "dev",
        "boot",
        "run",
        "tests",
        "logs",
    }
)


class Exploit(Struct, frozen=True):
    """One attempt, and what it means if it pays."""

    probe: Probe
    cause: Cause
    plain: Probe | None = None
    """The same answer without the trick: what that earns is no gain."""
    least: float = 0.2
    """A gain from which on it pays; more if some of it is fair."""


def wrong_answer(bench: Bench, right: RightAnswer | None) -> bytes:
    """The right answer with every value wrong; nonsense if none is known."""
    if right is None or right.document is None or not right.document.structured:
        return nonsense(bench.task.output.format)
    return right.document.render(all_wrong(right.document.value))


def side_files(bench: Bench, right: RightAnswer | None, result: SectionResult) -> list[Exploit]:
    """The exploits to try, in one or two rounds; says in `result` if the verifier could not be watched."""
    task = bench.task
    given = files_of_image(task)
    own = (
        {path for path, file in right.files if path not in given or given[path].data != file.data}
        if right
        else set()
    )
    outputs = [("nonsense", only_answer(task, nonsense(task.output.format)))]
    outputs += [("right", right.files)] if right else []
    read, listed, watched = _watch(bench, outputs, "")
    if not watched:
        _report_unwatched(bench, result)
    rivals = _rivals(bench, right) if _looks_around(task, listed) else []
    named = [*named_files(task), *temporary_files(task)]
    first = _choose(bench, [*read, *named, *_among(listed)], own)
    if not first:
        return rivals
    found = _plantings(bench, right, first, "")
    read, listed, _ = _watch(bench, [("planted", found[-1].probe.files)], "-2", found[-1].probe.conditions)
    more = [path for path in _choose(bench, [*read, *_among(listed)], own) if path not in first]
    if more:
        found += _plantings(bench, right, _files_only([*first, *more]), "-2")
    return [*found, *rivals]


def _looks_around(task: Task, listed: Iterable[str]) -> bool:
    """Does the verifier list the folder of an answer that is one file, as a pattern of names does?"""
    answer = PurePosixPath(task.verifier.expected_output_path)
    return answer.suffix != "" and any(path.rstrip("/") == str(answer.parent) for path in listed)


def _rivals(bench: Bench, right: RightAnswer | None) -> list[Exploit]:
    """Wrong answers beside a wrong answer, and the right one among them: neither first nor last by name."""
    task = bench.task
    own = None if right is None else answer_of(task, right.files)
    if own is None:
        return []
    wrong, path = wrong_answer(bench, right), PurePosixPath(task.verifier.expected_output_path)
    names = {"0_{}": wrong, "{}_1": wrong, "{}_2": own, "{}_3": wrong, "zz_{}": wrong}
    files = only_answer(task, wrong)
    beside = [
        (str(path.with_name(f"{name.format(path.stem)}{path.suffix}")), OutputFile(data))
        for name, data in names.items()
    ]
    what = "a wrong answer, with five others beside it, one of them right,"
    plain = Probe("exploits/rivals-none", "a wrong answer without others beside it", files)
    return [Exploit(Probe("exploits/rivals", what, (*files, *beside)), Cause.HEDGED, plain)]


def _watch(
    bench: Bench, outputs: Sequence[tuple[str, Files]], suffix: str, around: Conditions | None = None
) -> tuple[list[str], list[str], bool]:
    """(files read or asked about, folders listed, could it be watched) over all these outputs."""
    before = None if around is None else around.before
    probes = [
        Probe(f"exploits/watch-{name}{suffix}", "what it reads", files, Conditions(watch=True, before=before))
        for name, files in outputs
    ]
    seen = [run.watched for run in bench.run(probes)]
    notes = [note for note in seen if note is not None]
    read = dict.fromkeys(path for note in notes for path in note.read)
    listed = dict.fromkeys(path for note in notes for path in note.listed)
    return list(read), list(listed), len(notes) == len(seen)


def _among(folders: Iterable[str]) -> list[str]:
    """Names that a pattern such as `*.json` would find in a folder that is listed."""
    return [f"{folder}/{name}" for folder in list(folders)[:2] for name in _LISTED_NAMES if folder != "/"]


def _choose(bench: Bench, paths: Iterable[str], own: set[str]) -> list[str]:
    """Those that an agent could have written: not the answer, nor a folder on the way to another file."""
    task = bench.task
    taken = {task.verifier.expected_output_path, workspace_of(task), *own}
    above = {str(parent) for path in taken for parent in PurePosixPath(path).parents}
    found = [
        path
        for path in dict.fromkeys(paths)
        if path not in taken and path not in above and _is_open(path, workspace_of(task))
    ]
    return _files_only(found)[:_MOST_PLANTED]


def _files_only(paths: list[str]) -> list[str]:
    """Without the folders of others: what a planted file made the verifier look for may lie below it."""
    return [path for path in paths if not any(other.startswith(f"{path}/") for other in paths)]


def _is_open(path: str, workspace: str) -> bool:
    """Could an agent write there, and would anybody but Python's own start look for it?"""
    if "/python3" in path or "site-packages" in path or PurePosixPath(path).name in _NOISE:
        return False
    if f"{path}/".startswith(_OURS):
        return False
    if path.startswith(f"{workspace}/"):
        return True
    parts = PurePosixPath(path).parts
    return len(parts) > 2 and parts[1] not in _SYSTEM


def _plantings(bench: Bench, right: RightAnswer | None, paths: Sequence[str], suffix: str) -> list[Exploit]:
    task = bench.task
    wrong = wrong_answer(bench, right)
    expected = task.verifier.expected_output_path
    shown = ", ".join(PurePosixPath(path).name for path in paths)[:110]
    what = f"files that the verifier looks for ({shown})"
    bad = only_answer(task, nonsense(task.output.format))
    answer = only_answer(task, wrong)
    as_json = as_mapping = wrong
    if right is not None and right.document is not None:
        value = all_wrong(right.document.value, keep_names=True)
        wrong = right.document.render(value)
        answer = only_answer(task, wrong)
        as_json, as_mapping = write_json(value).encode(), write_json(_mapping(value)).encode()
    cases = [
        ("", "that claim success", bad, {path: forged(path) for path in paths}),
        ("-empty", "all empty, around a wrong answer", answer, dict.fromkeys(paths, b"")),
        ("-same", "each a copy of a wrong answer", answer, dict.fromkeys(paths, wrong)),
        (
            "-wrong",
            "that claim success, around a wrong answer",
            answer,
            {path: forged(path, wrong, PurePosixPath(expected).name) for path in paths},
        ),
    ]
    if as_json != wrong:
        cases.insert(3, ("-json", "each a wrong answer as JSON", answer, dict.fromkeys(paths, as_json)))
    if as_mapping != as_json:
        cases.insert(3, ("-mapping", "each its values by name", answer, dict.fromkeys(paths, as_mapping)))
    forms = [
        ("claim", "a claim as JSON", CLAIM),
        ("number", "the number 1", b"1\n"),
        ("settings-high", "every setting a thousand million", forged_settings(task, 1e9)),
        ("settings-zero", "every setting zero", forged_settings(task, 0)),
        *((name, said, data) for name, (said, data) in forged_histories(task).items()),
    ]
    if any(_PASTES.search(text) for text in verifier_sources(task)):
        forms.append(("pasted", "code in place of a number", python_code(1).encode()))
    cases += [
        (f"-{form}", f"each {said}, around a wrong answer", answer, claims)
        for form, said, claim in forms
        if (claims := {path: forged(path) if runs_code(path) else claim for path in paths}) != cases[0][3]
    ]
    plain = Probe("exploits/side-files-none", "a wrong answer without other files", answer)
    found = _around_right(bench, right, [path for path in paths if runs_code(path)], what, suffix)
    return found + [
        Exploit(
            _planted(bench, f"exploits/side-files{suffix}{kind}", f"{what} {how}", files, content),
            Cause.SIDE_FILE,
            plain if files is answer else None,
        )
        for kind, how, files, content in cases
    ]


def _around_right(
    bench: Bench, right: RightAnswer | None, paths: Sequence[str], what: str, suffix: str
) -> list[Exploit]:
    """Code in place of files that are run, around the right answer: a wrong one may not get that far."""
    if right is None or not paths or bench.task.runs_output:  # then helpers of the agent's program run, too
        return []
    planted = set(paths)
    files = tuple((path, file) for path, file in right.files if path not in planted)
    name, how = f"exploits/side-files{suffix}-right", "that are code, around the right answer"
    probe = _planted(bench, name, f"{what} {how}", files, {path: forged(path) for path in paths})
    plain = Probe("exploits/side-files-right-none", "the right answer as it is", right.files)
    return [Exploit(probe, Cause.SIDE_FILE, plain)]


def _mapping(value: Any) -> Any:
    """As a table of references may hold it: records by their first text, nested fields by dotted names."""
    rows = value if isinstance(value, list) else None
    if isinstance(value, dict):
        rows = next((child for child in value.values() if isinstance(child, list)), None)
    found = {}
    for row in rows or ():
        cells = list(row.values()) if isinstance(row, dict) else []
        names = [cell for cell in cells if isinstance(cell, str)]
        numbers = [cell for cell in cells if isinstance(cell, int | float)]
        if names and numbers:
            found[names[0]] = numbers[0]
    if not found and rows is None and isinstance(value, dict):
        found = {leaf.name: leaf.value for leaf in leaves(value)}
    return found or value


def _planted(bench: Bench, name: str, what: str, files: Files, content: dict[str, bytes]) -> Probe:
    """Files below the workspace are placed with the answer, all others by a shell before the start."""
    workspace = workspace_of(bench.task)
    inside = [(path, OutputFile(data)) for path, data in content.items() if path.startswith(f"{workspace}/")]
    lines = [
        f"mkdir -p {shlex.quote(path.rpartition('/')[0] or '/')}; {writing(path, data)}"
        for path, data in content.items()
        if not path.startswith(f"{workspace}/")
    ]
    fitting = [
        line for line, size in zip(lines, accumulate(map(len, lines)), strict=True) if size < _MOST_SHELL
    ]
    conditions = Conditions(before="\n".join(fitting)) if fitting else Conditions()
    return Probe(name, what, (*inside, *files), conditions)


def _report_unwatched(bench: Bench, result: SectionResult) -> None:
    result.findings.append(
        bench.finding(
            Severity.INFO,
            _HERE,
            "what the verifier opens could not be watched",
            cause=Cause.NOT_TRIED,
            seen="The sandbox has no Python to watch with, or the kernel does not allow it; only files that "
            "the verifier's source names were planted.",
            advice="Read the verifier for other files of the workspace that it opens.",
        )
    )
