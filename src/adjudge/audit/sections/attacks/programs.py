"""Answers that are programs: one that solves nothing must earn nothing, whatever it prints, reads or writes.

Some end the verifier with them, or outlast its patience. How long one that never ends must be waited for is
read from the verifier's own sources, as far as the audit has the time; what was cut before is told.
"""

from __future__ import annotations

import re

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
    only_answer,
    reading_program,
    verifier_sources,
)
from adjudge.audit.sections.attacks.side_files import Exploit
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Limit, Severity

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
    for number, path in enumerate(data_files(bench)):
        data = reading_program(suffix, f"/tests/{path}")
        if data is not None:
            what = f"a program that prints /tests/{path}"
            probe = bench.answer(f"exploits/prints-{number + 1}", what, data)
            found.append(Exploit(probe, Cause.READS_REFERENCE))
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


def data_files(bench: Bench) -> list[str]:
    """A few files below tests/ that may hold an expected answer."""
    tests = bench.task.folder / "tests"
    found = [
        path
        for path in sorted(tests.rglob("*"))
        if path.suffix.lower() in _LINKED and path.is_file() and not path.name.endswith("schema.json")
    ]
    return [path.relative_to(tests).as_posix() for path in found[:_MAX_LINKS]]
