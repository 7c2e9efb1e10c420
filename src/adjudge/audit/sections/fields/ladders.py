"""How far off a number may be: the steps of a ladder, up and down, at which a field loses its credit.

A whole number is tried as well, for whoever takes the precision of the answer for its tolerance.
"""

from __future__ import annotations

import re

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Document, Leaf, replaced, slug, stated_margin, stated_tolerance
from adjudge.audit.probes import Bench, Probe, as_fine_as, off_by
from adjudge.audit.sections.fields.report import report_field
from adjudge.audit.sections.lists import MakeProbe
from adjudge.audit.sections.measure import KEPT, FieldTrial, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_LADDER = (0.001, 0.01, 0.03, 0.1, 0.3)
_BELOW = (-0.1, -0.3)
_ROUGH = re.compile(
    r"\b(?:rough|estimat|approximat|about|factor of|order of magnitude|guess|range|tolerance|accura)", re.I
)
_MEASURED_TOGETHER = re.compile(r"\bgreat[- ]circle\b|\bdistance (?:between|from|to)\b|\bEuclid", re.I)
"""What is granted is a distance: far from the axis, one of two coordinates says little."""
_GRANTED = 0.2
_WHOLE = 0.0
"""In place of a step: the whole number beside the right one."""


def measure_tolerances(
    bench: Bench, fields: list[FieldTrial], make: MakeProbe, document: Document, result: SectionResult
) -> None:
    """Just under and just over: the steps of a ladder, up and down, at which a field loses its credit."""
    for trial in fields:
        n = trial.leaf.number
        if not isinstance(n, float) or not n:
            continue
        numbers = {step: off_by(n, step) for step in (*_LADDER, *_BELOW)}
        probes = {
            step: make(
                f"{slug(trial.leaf.path)}/off-by-{step:g}",
                f"{trial.leaf.name}: off by {step:+.1%}",
                replaced(document.value, [(trial.leaf.path, trial.leaf.with_number(number))]),
            )
            for step, number in numbers.items()
            if number is not None
        }
        if (whole := _rounded(trial.leaf)) is not None:
            changed = replaced(document.value, [(trial.leaf.path, whole)])
            what = f"{trial.leaf.name}: rounded to {whole}"
            probes[_WHOLE] = make(f"{slug(trial.leaf.path)}/rounded", what, changed)
        seen = dict(zip(probes, bench.run(list(probes.values())), strict=True))
        result.probes += probes.values()
        kept = {
            step: share_kept(trial.base - after.reward, trial.stake) >= KEPT for step, after in seen.items()
        }
        if kept.pop(_WHOLE, False) and not _keeps_beside(bench, trial, make, document, result):
            _weigh_rounded(bench, trial, kept, probes, result)
        _weigh_ladder(bench, trial, kept, probes, result)


def _rounded(leaf: Leaf) -> int | None:
    """The whole number beside one with decimals, if it is off by more than a usual tolerance."""
    n, whole = leaf.number, round(leaf.number)
    far = leaf.rest is None and isinstance(n, float) and whole and abs(whole - n) > _LADDER[1] * abs(n)
    return whole if far else None


def _keeps_beside(
    bench: Bench, trial: FieldTrial, make: MakeProbe, document: Document, result: SectionResult
) -> bool:
    """Does what lies halfway to the whole number, written in full, keep the credit as well?

    Then it is no matter of how fine the number is: the end of one interval may be covered by another.
    """
    halfway = as_fine_as(trial.leaf.number, (trial.leaf.number + round(trial.leaf.number)) / 2)
    changed = replaced(document.value, [(trial.leaf.path, trial.leaf.with_number(halfway))])
    what = f"{trial.leaf.name}: halfway to the whole number"
    probe = make(f"{slug(trial.leaf.path)}/rounded-halfway", what, changed)
    [seen] = bench.run([probe])
    result.probes.append(probe)
    return not seen.broke and share_kept(trial.base - seen.reward, trial.stake) >= KEPT


def _weigh_rounded(
    bench: Bench,
    trial: FieldTrial,
    steps: dict[float, bool],
    probes: dict[float, Probe],
    result: SectionResult,
) -> None:
    """A whole number that keeps the credit, though what is less far off and written in full does not."""
    off = abs(round(trial.leaf.number) - trial.leaf.number) / abs(trial.leaf.number)
    nearer = [step for step in steps if _LADDER[0] < abs(step) <= off]
    if nearer and not any(steps[step] for step in nearer):
        trial.probes["rounded"] = probes[_WHOLE]
        title = f"{trial.leaf.name}: a whole number keeps the credit, though it is off by {off:.0%}"
        advice = "Compare with a tolerance of your own, not with the precision of the answer."
        report_field(bench, Severity.MEDIUM, trial, "rounded", title, advice, Cause.TOLERANCE, result)


def _stated(bench: Bench, leaf: Leaf) -> float | None:
    """What the instruction grants, as a share of the value; None if it says nothing."""
    margin = stated_margin(bench.task.instruction)
    return stated_tolerance(bench.task.instruction) if margin is None else margin / abs(leaf.number)


def _wider_than_stated(bench: Bench, leaf: Leaf, kept: dict[float, bool]) -> float | None:
    """The widest step that keeps the credit, if it is more than twice what the instruction grants."""
    stated = _stated(bench, leaf)
    wide = [step for step, kept_it in kept.items() if kept_it and stated and abs(step) > 2.5 * stated]
    return max(wide, key=abs) if wide else None


def _may_be_rough(instruction: str, leaf: Leaf) -> bool:
    """Does the task want an estimate, or grant about as much as the widest step?

    In a list of records a number may be a place, such as the start of an interval, which is off by other
    things than a share of itself.
    """
    in_a_list = any(isinstance(step, int) for step in leaf.path)
    granted = (stated_tolerance(instruction) or 0.0) >= _GRANTED
    return in_a_list or granted or bool(_ROUGH.search(instruction))


def _weigh_ladder(
    bench: Bench,
    trial: FieldTrial,
    kept: dict[float, bool],
    probes: dict[float, Probe],
    result: SectionResult,
) -> None:
    name, widest = trial.leaf.name, _LADDER[-1]
    tighten = "Tighten the tolerance, or say in the task how rough an estimate may be."
    if kept[widest] or kept[-widest]:
        step = widest if kept[widest] else -widest
        trial.probes["wide"] = probes[step]
        title = f"{name}: keeps its credit when it is off by {step:.0%}"
        both = kept[widest] and kept[-widest] and not _may_be_rough(bench.task.instruction, trial.leaf)
        stated = _stated(bench, trial.leaf)
        beyond = stated is not None and 0 < 10 * stated <= widest
        severity = Severity.MEDIUM if both or beyond else Severity.LOW
        report_field(bench, severity, trial, "wide", title, tighten, Cause.TOLERANCE, result)
    elif (wider := _wider_than_stated(bench, trial.leaf, kept)) is not None:
        trial.probes["stated"] = probes[wider]
        stated = _stated(bench, trial.leaf) or 0.0
        title = (
            f"{name}: keeps its credit when it is off by {wider:+.0%}; the task grants {100 * stated:.2g} %"
        )
        together = _MEASURED_TOGETHER.search(bench.task.instruction) is not None
        severity = Severity.MEDIUM if abs(wider) >= 10 * stated and not together else Severity.LOW
        advice = "Compare with the tolerance that the task states."
        report_field(bench, severity, trial, "stated", title, advice, Cause.TOLERANCE, result)
    elif not kept.get(_LADDER[0], True):
        trial.probes["tight"] = probes[_LADDER[0]]
        title = f"{name}: loses credit when it is off by {_LADDER[0]:.1%}"
        advice = "Rounding to four figures should not cost reward, unless the task asks for more."
        report_field(bench, Severity.LOW, trial, "tight", title, advice, Cause.NARROW, result)
    elif kept[-0.1] != kept[0.1]:
        step = -0.1 if kept[-0.1] else 0.1
        trial.probes["lopsided"] = probes[step]
        near, far = ("below", "above") if step < 0 else ("above", "below")
        title = f"{name}: keeps its credit {abs(step):.0%} {near} the value, and loses it as far {far}"
        advice = "Compare first and round afterwards: rounding widens a tolerance on one side."
        report_field(bench, Severity.LOW, trial, "lopsided", title, advice, Cause.TOLERANCE, result)
