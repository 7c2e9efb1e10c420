"""Answers that are programs: one that solves nothing must earn nothing, whatever it prints, reads or writes.

Some end the verifier with them, or outlast its patience. How long one that never ends must be waited for is
read from the verifier's own sources, as far as the audit has the time; what was cut before is told.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from adjudge.audit.answers import RightAnswer
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import (
    Bench,
    Conditions,
    Probe,
    answer_of,
    endless_program,
    hollow_programs,
    looking_program,
    only_answer,
    reading_program,
    verifier_sources,
)
from adjudge.audit.sections.attacks.side_files import Exploit
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Limit, Severity
from adjudge.gates import OutputFile

_LINKED = (".json", ".jsonl", ".csv", ".md", ".txt", ".yaml", ".yml", ".toml")
_MAX_LINKS = 4
_ENDLESS_SEC = 6.0
"""How long a program that never ends is waited for: many verifiers give theirs five seconds."""
_LONGEST_SEC = 35.0
_SPARE_SEC = 2.0
_PATIENCE_SHARE = 0.5
"""Of the time that the audit has left, for that one probe."""
_TIMEOUT = re.compile(
    r"timeout(?:_sec|_s|_seconds)?\s*[=:]\s*(\d+(?:\.\d+)?)|\btimeout\s+(?:-\S+\s+)*(\d+)s?\s", re.I
)
_MOST_SHOWN = 0.6
"""A suite may hold the examples of its instruction; from this gain on it holds little else."""
_ONE_WORD = 0.3
"""One of four tests may well be the example of the instruction."""
_TESTED = (".py", ".sh", ".js")
_SEVERAL = 2
_ENDLESS = "exploits/endless"


def programs(bench: Bench, suffix: str, right: RightAnswer | None) -> list[Exploit]:
    """Programs that solve nothing: they say that they passed, print its files, write the reward, or stay."""
    task = bench.task
    own = answer_of(task, right.files) if right else None
    found = [
        Exploit(
            bench.answer(f"exploits/{one.name}", one.what, one.data),
            one.cause,
            least=_MOST_SHOWN if one.cause is Cause.EXAMPLE else _ONE_WORD if one.constant else 0.2,
        )
        for one in hollow_programs(suffix, task.instruction, task.verifier.reward_path, own)
    ]
    if right is not None and (hollow := _all_hollow(bench, right)) is not None:
        found.append(hollow)
    for number, path in enumerate(data_files(bench)):
        data = reading_program(suffix, f"/tests/{path}")
        if data is not None:
            what = f"a program that prints /tests/{path}"
            probe = bench.answer(f"exploits/prints-{number + 1}", what, data)
            found.append(Exploit(probe, Cause.READS_REFERENCE))
    if _has_pairs(bench) and (looks := looking_program(suffix)) is not None:
        what = "a program that looks its input up in /tests and prints the file beside it"
        found.append(Exploit(bench.answer("exploits/looks-up", what, looks), Cause.READS_REFERENCE))
    if (endless := endless_program(suffix)) is not None:
        patience = Conditions(wall_time_sec=_patience(bench))
        waits = Probe(_ENDLESS, "a program that never ends", only_answer(task, endless), patience)
        found.append(Exploit(waits, Cause.HOLLOW))
    return found


def report_cut(bench: Bench, result: SectionResult) -> None:
    """Say that a program that never ends was given up before the verifier had done so."""
    if _ENDLESS not in bench.log or Limit.WALL_TIME not in bench.log[_ENDLESS][1].limits_hit:
        return
    probe = bench.log[_ENDLESS][0]
    result.findings.append(
        bench.finding(
            Severity.INFO,
            Section.EXPLOITS,
            "a program that never ends was not waited for until the verifier gave it up",
            cause=Cause.NOT_TRIED,
            seen=f"It was ended after {probe.conditions.wall_time_sec:g} s, and what the verifier says of a "
            "program that takes too long is not known.",
            advice="Give the verifier's own programs a few seconds, and make sure that one which takes "
            "longer earns nothing.",
        )
    )


def _patience(bench: Bench) -> float:
    """A little longer than the verifier's own timeouts, if the audit has that much time."""
    longest = _ENDLESS_SEC - _SPARE_SEC
    for text in verifier_sources(bench.task):
        stated = [float(one or other) for one, other in _TIMEOUT.findall(text)]
        longest = max([longest, *(sec for sec in stated if sec <= _LONGEST_SEC)])
    wanted = longest + _SPARE_SEC
    return wanted if wanted <= _PATIENCE_SHARE * bench.budget.until_the_end() else _ENDLESS_SEC


def _all_hollow(bench: Bench, right: RightAnswer) -> Exploit | None:
    """Every program of an answer that has several hollow, its own tests among them; None for a single one."""
    made = {
        path: OutputFile(next(iter(hollow_programs(PurePosixPath(path).suffix, "", "", None))).data)
        for path, file in right.files
        if PurePosixPath(path).suffix in _TESTED and file.link is None
    }
    if len(made) < _SEVERAL:
        return None
    what = "programs of which each only says that it passed, tests and all,"
    files = tuple({**dict(right.files), **made}.items())
    return Exploit(Probe("exploits/all-hollow", what, files), Cause.HOLLOW)


def _has_pairs(bench: Bench) -> bool:
    """Are there files such as `1.in` and `1.out`, which differ only in letters and have a number?"""
    files = [path for path in (bench.task.folder / "tests").rglob("*") if path.is_file()]
    keys = [
        (path.parent, re.sub("[A-Za-z]+", "", path.name)) for path in files if re.search(r"\d", path.name)
    ]
    return len(set(keys)) < len(keys)


def data_files(bench: Bench) -> list[str]:
    """A few files below tests/ that may hold an expected answer."""
    tests = bench.task.folder / "tests"
    found = [
        path
        for path in sorted(tests.rglob("*"))
        if path.suffix.lower() in _LINKED and path.is_file() and not path.name.endswith("schema.json")
    ]
    return [path.relative_to(tests).as_posix() for path in found[:_MAX_LINKS]]
