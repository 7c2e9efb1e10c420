"""Decimal points that stand for any character: `grep '12.4'` finds 1274 as well.

Every decimal point of the right answer becomes a digit. That keeps the credit only of whoever matches digits
by a pattern; so that a wide tolerance is not taken for one, the same with another last digit must lose it.
"""

from __future__ import annotations

import re
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import leaves, replaced, write_number
from adjudge.audit.probes import Probe
from adjudge.audit.sections.measure import EPS, KEPT, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_DECIMAL = re.compile(r"(-?\d{1,8})\.(\d{1,6})")
_MANY = 0.5
"""Of the numbers: from this share on decimal points are worth a try."""


def check_points(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Try digits for decimal points, if the numbers count and most of them have one."""
    absurd = wrongs.whole.get("absurd-numbers")
    worth = 0.0 if absurd is None else wrongs.base - absurd[1].reward
    changed = _without_points(wrongs.document.value, other_end=False)
    if worth <= EPS or changed is None:
        return
    what = "every decimal point replaced by a digit"
    probe = wrongs.probe("points", what, changed)
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    if seen.broke or share_kept(wrongs.base - seen.reward, worth) < KEPT:
        return
    control = wrongs.probe(
        "points-and-ends",
        f"{what}, and the last digit another one",
        _without_points(wrongs.document.value, other_end=True),
    )
    if share_kept(wrongs.base - _reward(wrongs, control, result), worth) >= KEPT:
        return
    result.findings.append(
        wrongs.bench.finding(
            Severity.MEDIUM,
            Section.DISCRIMINATION,
            f"{what} keeps the credit",
            cause=Cause.WORD_INSIDE,
            seen=f"The right answer earns {wrongs.base:g}, this one {seen.reward:g}.",
            advice="Compare numbers; in a pattern, escape the point: alone it stands for any character.",
            probe=probe,
            before=wrongs.base,
        )
    )


def _reward(wrongs: WrongAnswers, probe: Probe, result: SectionResult) -> float:
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    return seen.reward


def _without_points(value: Any, *, other_end: bool) -> Any | None:
    """The value with 1274 for 12.4, or 1275 with `other_end`; None if few of its numbers have a point."""
    numbers = [leaf for leaf in leaves(value) if leaf.kind == "number"]
    changes = []
    for leaf in numbers:
        match = _DECIMAL.fullmatch(write_number(leaf.number)) if isinstance(leaf.number, float) else None
        if match is not None and leaf.number:
            digits = f"{match[1]}7{match[2]}"
            last = str((int(digits[-1]) + 1) % 10) if other_end else digits[-1]
            changes.append((leaf.path, leaf.with_number(int(f"{digits[:-1]}{last}"))))
    return replaced(value, changes) if changes and len(changes) >= _MANY * len(numbers) else None
