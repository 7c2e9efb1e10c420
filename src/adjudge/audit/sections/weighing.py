"""How a wrong answer as a whole is weighed, and how any spoof is reported.

A whole answer counts by the share of the reward that it earns above what it gets right by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import get
from adjudge.audit.probes import Probe, Seen
from adjudge.audit.sections.measure import EPS, WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

LEAST_SHARE = 0.25
"""From this share of the reward on, a wrong answer earns something that is worth a finding."""
_MUCH = 0.5
_ADVICE = {
    Cause.HEDGED: "Take one value for each field, and refuse a field that holds several.",
    Cause.NOT_A_NUMBER: "Refuse what is not a finite number before comparing: NaN is neither larger nor "
    "smaller than anything.",
    Cause.EMPTY: "Give nothing for a value that is missing or empty.",
    Cause.TRUTHY: "Compare with `is True` or `== expected`; `bool(x)` is true for almost anything.",
    Cause.ANY_VALUE: "Compare the value with the reference; to be there is not enough.",
    Cause.WORD_INSIDE: "Compare the whole word; do not look for it inside a longer text, nor for the answer "
    "inside the reference.",
    Cause.PATTERN: "Compare texts with `==`; in a shell, put quotes around both sides, and use `grep -F`.",
    Cause.LINK: "Open only files of the workspace, whatever the answer names: resolve the path, then look.",
    Cause.SCALE: "Read the unit beside a number, and refuse or convert another one.",
    Cause.ANYWHERE: "Look each value up under its own name, and nowhere else.",
    Cause.CODE: "Never eval, exec, source or unpickle what the agent wrote; read data as data.",
    Cause.CLAMPED: "Let every wrong value cost its share: another case, digit or day is another answer. "
    "Or say in the task what may be wrong.",
    Cause.SWAPPED: "Read a date in one layout only, or day and month can stand in each other's place.",
    Cause.SIGN: "Compare signed values, and directions by the smaller angle between them.",
    Cause.TOLERANCE: "Compare names and numbers as a whole: one that is like the right one is another.",
    Cause.CANCELS: "Compare each value by itself, not a sum or a mean of them.",
}


def weigh_share(
    wrongs: WrongAnswers, cause: Cause, probe: Probe, seen: Seen, share: float, result: SectionResult
) -> None:
    wrongs.lost.append(1 - min(1.0, max(0.0, share)))
    if share < LEAST_SHARE:
        return
    report(wrongs, of_gain(share, seen), cause, f"{probe.what} earns {seen.reward:g}", probe, seen, result)


def of_gain(share: float, seen: Seen) -> Severity:
    """How bad it is that a wrong answer earns a share of the reward above what is fair."""
    return Severity.HIGH if share >= _MUCH and not seen.held else Severity.MEDIUM


def report_gain(
    wrongs: WrongAnswers,
    gain: float,
    cause: Cause,
    probe: Probe,
    seen: Seen,
    result: SectionResult,
    *,
    told: str,
    advice: str,
    title: str | None = None,
    also: Sequence[Probe] = (),
) -> None:
    """Report a wrong answer by its gain; `told` is what it is to be compared with."""
    result.findings.append(
        wrongs.bench.finding(
            of_gain(gain, seen),
            Section.DISCRIMINATION,
            title or f"{probe.what} earns {seen.reward:g}",
            cause=cause,
            seen=told,
            advice=advice,
            probe=probe,
            before=wrongs.base,
            also=also,
        )
    )


def by_chance(wrongs: WrongAnswers, value: Any) -> float:
    """What an answer may fairly earn: the stakes of the fields in which it happens to be right."""
    fair = 0.0
    for trial in wrongs.fields:
        try:
            given = get(value, trial.leaf.path)
        except (KeyError, IndexError, TypeError):
            continue
        if given == trial.leaf.value or (trial.leaf.kind == "number" and given == trial.leaf.number):
            fair += trial.stake
    return min(fair, wrongs.base)


def numbers_count(wrongs: WrongAnswers) -> bool:
    """A number that counts is one in its own place, whatever is said around it."""
    numbers = wrongs.whole.get("absurd-numbers")
    return numbers is not None and wrongs.base - numbers[1].reward > EPS


def report(
    wrongs: WrongAnswers,
    severity: Severity,
    cause: Cause,
    title: str,
    probe: Probe,
    seen: Seen,
    result: SectionResult,
    also: list[Probe] | None = None,
) -> None:
    held = (
        " adjudge itself gives 0.0, because the output does not parse." if seen.held and seen.reward else ""
    )
    said = f"The right answer earns {wrongs.base:g}, this one {seen.reward:g}.{held}"
    if cause is Cause.CODE and seen.executed:
        said = "Code from the answer ran inside the verifier, where it could write any reward."
    result.findings.append(
        wrongs.bench.finding(
            severity,
            Section.DISCRIMINATION,
            title,
            cause=cause,
            seen=said,
            advice=_ADVICE[cause],
            probe=probe,
            before=wrongs.base,
            also=also or (),
        )
    )
