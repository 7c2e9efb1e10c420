"""What must change nothing: another hash seed, locale, clock, user, directory, core, and other files."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from msgspec import Struct

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.probes import (
    Bench,
    Conditions,
    Files,
    Probe,
    clock_at,
    clock_library,
    python_clock_at,
)
from adjudge.audit.sections.result import SectionResult, listed
from adjudge.contracts import Severity, Task
from adjudge.gates import OutputFile, workspace_of

_HERE = Section.DETERMINISM
NO_PLACE = (
    "it starts no Python from the PATH and asks no `date`: nothing could stand between it and the clock"
)
_OWN_CLOCK = "asks the kernel for the time without any library that could be exchanged"


class Perturbation(Struct, frozen=True):
    """A change around the verifier that must change nothing, and what to do where it does."""

    name: str
    what: str
    conditions: Conditions
    severity: Severity
    advice: str


HASH_SEEDS = ("1", "4242")
"""Besides the 0 of every ordinary run."""
_DAY = 86400
_YEARS = 7
_CLOCKS = (
    ("years", f"a clock {_YEARS} years ahead, at 04:08:16", _YEARS * 365 + 45, (4, 8, 16)),
    ("2-days", "a clock 2 days ahead, at 09:37:47", 2, (9, 37, 47)),
    ("5-days", "a clock 5 days ahead, at 15:52:39", 5, (15, 52, 39)),
    ("next-day", "a clock 1 day ahead, at 22:23:22", 1, (22, 23, 22)),
)
"""Days ahead, and the time of day in UTC.

With the moment of the audit itself always one on a weekend and one not; hours, minutes and seconds are odd
and even, in the first half and in the second, each in another pattern.
"""


def _clocks(at: Callable[[int], Conditions]) -> list[Perturbation]:
    advice = "A reward must not depend on the date or the time: state in the task what it depends on."
    today = int(time.time()) // _DAY
    return [
        Perturbation(
            f"clock-{name}",
            what,
            at((today + days) * _DAY + hour * 3600 + minute * 60 + second),
            Severity.HIGH,
            advice,
        )
        for name, what, days, (hour, minute, second) in _CLOCKS
    ]


def perturbations() -> list[Perturbation]:
    seeds = [Conditions(env=(("PYTHONHASHSEED", seed),)) for seed in HASH_SEEDS]
    hash_advice = "Sort sets and dictionaries before their order matters; do not use hash()."
    return [
        Perturbation("hash-seed", "another hash seed", seeds[0], Severity.HIGH, hash_advice),
        Perturbation("hash-seed-2", "a third hash seed", seeds[1], Severity.HIGH, hash_advice),
        Perturbation(
            "locale",
            "the locale C",
            Conditions(env=(("LC_ALL", "C"), ("LANG", "C"))),
            Severity.MEDIUM,
            "Name the encoding when opening files, and set LC_ALL=C.UTF-8 at the top of test.sh.",
        ),
        Perturbation(
            "time-zone",
            "a time zone 13:45 hours ahead",
            Conditions(env=(("TZ", "XST-13:45"),)),
            Severity.MEDIUM,
            "Use UTC, or better: no time at all.",
        ),
        Perturbation(
            "working-directory",
            "another working directory",
            Conditions(workdir="/var/tmp/elsewhere"),  # noqa: S108 - inside the sandbox
            Severity.MEDIUM,
            "Use absolute paths for the output and for everything in /tests.",
        ),
        Perturbation(
            "user",
            "another user",
            Conditions(uid=12321),
            Severity.MEDIUM,
            "Do not depend on the user's id, name or home folder.",
        ),
        Perturbation(
            "one-core",
            "one core",
            Conditions(cpus=1),
            Severity.HIGH,
            "Do not let the number of cores or the timing of threads decide a reward.",
        ),
    ]


def clock_probes(
    bench: Bench, prefix: str, label: str, files: Files, result: SectionResult
) -> list[tuple[Probe, Perturbation]]:
    """The same under other clocks. What the clock cannot be shifted for is told, and tried all the same.

    The library reaches every program that asks the C library; which are started is known if it was watched.
    Otherwise Python alone is shifted, which proves itself by its mark.
    """
    [seen] = bench.run([_watching(prefix, label, files)])
    everywhere = seen.watched is not None and clock_library() is not None
    if everywhere:
        everywhere = bench.run(_under(_clocks(clock_at)[:1], prefix, label, files))[0].clock_shifted
    if everywhere and seen.watched is not None and seen.watched.static:
        report_no_clock(bench, result, f"it starts {listed(seen.watched.static)}, which {_OWN_CLOCK}")
    clocks = _clocks(clock_at if everywhere else python_clock_at)
    return list(zip(_under(clocks, prefix, label, files), clocks, strict=True))


def likely_clock_probes(prefix: str, label: str, files: Files) -> list[Probe]:
    """Those that `clock_probes` runs if the verifier can be watched and the clock shifted, as most can."""
    shifted = _clocks(clock_at) if clock_library() is not None else []
    return [_watching(prefix, label, files), *_under(shifted, prefix, label, files)]


def _watching(prefix: str, label: str, files: Files) -> Probe:
    return Probe(f"{prefix}/watched", f"the {label} answer, watched", files, Conditions(watch=True))


def _under(changes: Sequence[Perturbation], prefix: str, label: str, files: Files) -> list[Probe]:
    return [
        Probe(f"{prefix}/{change.name}", f"the {label} answer, {change.what}", files, change.conditions)
        for change in changes
    ]


def other_files(task: Task, prefix: str, label: str, files: Files) -> list[tuple[Probe, Perturbation]]:
    """Files in another order, and a stranger's notes beside the answer, before it and after it."""
    folder = workspace_of(task)
    note = OutputFile(b"notes of no consequence\n")
    advice = "Open the output by its full path; sort what you list, and look at nothing else."
    cases = [
        (
            "other-files",
            "other files beside it",
            ((f"{folder}/.aaa", note), *files, (f"{folder}/zzz.txt", note)),
        )
    ]
    if len(files) > 1:
        cases.append(("file-order", "its files created in the opposite order", tuple(reversed(files))))
    return [
        (
            Probe(f"{prefix}/{name}", f"the {label} answer, {what}", placed),
            Perturbation(name, what, Conditions(), Severity.MEDIUM, advice),
        )
        for name, what, placed in cases
    ]


def report_no_clock(bench: Bench, result: SectionResult, why: str) -> None:
    title = "the clock could not be shifted"
    if any(finding.title == title for finding in result.findings):
        return
    result.findings.append(
        bench.finding(
            Severity.INFO,
            _HERE,
            title,
            cause=Cause.NOT_TRIED,
            seen=f"{why[:1].upper()}{why[1:]}. So nobody knows whether it is deterministic.",
            advice="Make sure by reading it that no date and no time takes part in a reward.",
        )
    )
