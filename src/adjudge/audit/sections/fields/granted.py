"""Numbers off by more, and by less, than the task grants in words: each field, and each record of a column.

What a task grants is tried on both sides: ten times as far off must cost, less than half must not. Of whoever
rounds before the comparison no step away from the value tells it for sure; so the number at the far end of
what rounds to the same, to no, one, two or three decimals or figures, is tried as well, if it is further off
than the task grants. All values of a column are off at once; only what then costs less than it should is
looked at one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal

from msgspec import Struct

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import (
    Leaf,
    Margin,
    granted_margins,
    leaves,
    replaced,
    several_are_right,
    slug,
    spread,
)
from adjudge.audit.probes import Probe, Seen, absurd, decimals_of
from adjudge.audit.sections.measure import EPS, KEPT, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_FAR = 12.0
"""Times what is granted: the right answer of a golden may be off by some of it."""
_MEDIUM, _LOW = 10.0, 2.5
_NEAR = 0.4
_NEARER = 0.15
_MAX_COLUMNS = 6
_MAX_ALONE = 8
_ROUNDINGS = 3
_INSIDE = 0.98
_NOTICED = 0.9


class _Column(Struct):
    """The values of one name, and what the task grants each of them."""

    name: str
    leaves: list[Leaf]
    margins: list[Margin]

    def widest(self, leaf: Leaf) -> float:
        return max(margin.widest(float(leaf.number)) for margin in self.margins)

    def narrowest(self, leaf: Leaf) -> float:
        return min(margin.narrowest(float(leaf.number)) for margin in self.margins)


_Change = Callable[[_Column, Leaf], float | int | None]


def check_granted(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Try each column or field of numbers for which the task says how far off a value may be."""
    for column in _columns(wrongs):
        _check_near(wrongs, column, result)
        if not several_are_right(wrongs.bench.task.instruction):
            _check_far(wrongs, column, result)


def _columns(wrongs: WrongAnswers) -> list[_Column]:
    groups: dict[tuple[str, ...], list[Leaf]] = {}
    for leaf in leaves(wrongs.document.value):
        if leaf.kind == "number" and abs(leaf.number) < 1e15 and leaf.path:
            pattern = tuple("*" if isinstance(step, int) else step for step in leaf.path)
            groups.setdefault(pattern, []).append(leaf)
    names = {pattern: next((step for step in reversed(pattern) if step != "*"), "") for pattern in groups}
    keys = sorted(set(names.values()))
    found = []
    for pattern, group in groups.items():
        margins = (
            granted_margins(wrongs.bench.task.instruction, names[pattern], keys) if names[pattern] else []
        )
        if margins:
            found.append(_Column(".".join(pattern), group, margins))
    return found[:_MAX_COLUMNS]


def _check_far(wrongs: WrongAnswers, column: _Column, result: SectionResult) -> None:
    """Every value but zero further off than granted: whatever then costs too little is tried alone."""
    column = _Column(column.name, [leaf for leaf in column.leaves if leaf.number], column.margins)
    if not column.leaves:
        return
    changes: dict[str, tuple[str, _Change]] = {
        "up": ("above what the task grants", lambda c, leaf: _moved(leaf, _FAR * c.widest(leaf))),
        "down": ("below what the task grants", lambda c, leaf: _moved(leaf, -_FAR * c.widest(leaf))),
    }
    for places in range(_ROUNDINGS + 1):
        what = f"another number with the same {places} decimals"
        changes[f"decimals-{places}"] = (what, _same_decimals(places))
        if places:
            what = f"another number with the same {places} figures"
            changes[f"figures-{places}"] = (what, _same_figures(places))
    moved = {
        name: {leaf: number for leaf in column.leaves if (number := change(column, leaf)) is not None}
        for name, (_, change) in changes.items()
    }
    moved = {name: numbers for name, numbers in moved.items() if numbers and _is_new(name, moved)}
    whole = {leaf: absurd(leaf) for leaf in column.leaves}
    probes = {
        name: _probe(wrongs, f"{slug((column.name,))}/granted-{name}", f"{column.name}: {what}", numbers)
        for name, what, numbers in (
            ("far", "absurd", whole),
            *((name, changes[name][0], numbers) for name, numbers in moved.items()),
        )
    }
    seen = dict(zip(probes, wrongs.bench.run(list(probes.values())), strict=True))
    result.probes += probes.values()
    stake = wrongs.base - seen["far"].reward
    if stake <= EPS or seen["far"].broke:
        return
    for name, numbers in moved.items():
        due = stake * len(numbers) / len(column.leaves)
        kept = share_kept(wrongs.base - seen[name].reward, due)
        if seen[name].broke or kept <= 1 - _NOTICED:
            continue
        if len(column.leaves) == 1 or (kept >= KEPT and len(numbers) == len(column.leaves)):
            if kept >= KEPT and _alone_as_well(wrongs, column, name, changes[name][0], numbers, result):
                _report_far(wrongs, column, probes[name], seen[name], numbers, result)
                return
        elif _one_is_kept(wrongs, column, name, changes[name][0], numbers, result):
            return


def _alone_as_well(
    wrongs: WrongAnswers,
    column: _Column,
    name: str,
    what: str,
    numbers: dict[Leaf, float | int],
    result: SectionResult,
) -> bool:
    """Does one value keep its credit as well? If only all of them do, their differences are what counts."""
    if len(numbers) == 1:
        return True
    leaf = list(numbers)[len(numbers) // 2]
    at = f"{slug(leaf.path)}/granted"
    far = _probe(wrongs, f"{at}-far", f"{leaf.name}: absurd", {leaf: absurd(leaf)})
    off = _probe(wrongs, f"{at}-{name}", f"{leaf.name}: {what}", {leaf: numbers[leaf]})
    seen_far, seen_off = wrongs.bench.run([far, off])
    result.probes += [probe for probe in (far, off) if probe not in result.probes]
    due = wrongs.base - seen_far.reward
    return due <= EPS or share_kept(wrongs.base - seen_off.reward, due) >= KEPT


def _one_is_kept(
    wrongs: WrongAnswers,
    column: _Column,
    name: str,
    what: str,
    numbers: dict[Leaf, float | int],
    result: SectionResult,
) -> bool:
    """Try the values one by one, each against what it costs to be absurd."""
    for leaf in spread(list(numbers), _MAX_ALONE):
        at = f"{slug(leaf.path)}/granted"
        far = _probe(wrongs, f"{at}-far", f"{leaf.name}: absurd", {leaf: absurd(leaf)})
        off = _probe(wrongs, f"{at}-{name}", f"{leaf.name}: {what}", {leaf: numbers[leaf]})
        seen_far, seen_off = wrongs.bench.run([far, off])
        result.probes += [far, off]
        due = wrongs.base - seen_far.reward
        if due <= EPS or seen_far.broke or seen_off.broke:
            continue
        if share_kept(wrongs.base - seen_off.reward, due) >= KEPT:
            _report_far(wrongs, column, off, seen_off, {leaf: numbers[leaf]}, result)
            return True
    return False


def _report_far(
    wrongs: WrongAnswers,
    column: _Column,
    probe: Probe,
    seen: Seen,
    numbers: dict[Leaf, float | int],
    result: SectionResult,
) -> None:
    leaf, number = max(numbers.items(), key=lambda pair: _times(column, *pair))
    times = _times(column, leaf, number)
    if times < _LOW:
        return
    result.findings.append(
        wrongs.bench.finding(
            Severity.MEDIUM if times >= _MEDIUM else Severity.LOW,
            Section.DISCRIMINATION,
            f"{probe.what} keeps the credit, {times:.0f} times as far off as the task grants",
            cause=Cause.TOLERANCE,
            seen=f"{number:.6g} instead of {leaf.number:.6g}; the task grants {column.widest(leaf):.3g}. "
            f"The reward is {seen.reward:g}; the right answer earns {wrongs.base:g}.",
            advice="Compare with the tolerance that the task states, and do not round before comparing.",
            probe=probe,
            before=wrongs.base,
        )
    )


def _check_near(wrongs: WrongAnswers, column: _Column, result: SectionResult) -> None:
    """Values that are less than half as far off as the task grants must not cost anything, on either side."""
    for sign, side in ((1, "above"), (-1, "below")):
        numbers = _nearby(column, sign * _NEAR)
        if not numbers:
            continue
        what = f"{column.name}: {_NEAR:g} of what the task grants {side}"
        probe = _probe(wrongs, f"{slug((column.name,))}/granted-near-{side}", what, numbers)
        [seen] = wrongs.bench.run([probe])
        result.probes.append(probe)
        if wrongs.base - seen.reward <= EPS:
            continue
        for leaf in spread(list(numbers), _MAX_ALONE):
            if _loses_near(wrongs, column, leaf, sign, result):
                return


def _loses_near(wrongs: WrongAnswers, column: _Column, leaf: Leaf, sign: int, result: SectionResult) -> bool:
    """Does this value alone lose at 0.4 of what is granted, and on the other side too, or at a seventh?

    A golden that is itself at the edge of what is granted loses on one side only.
    """
    at, one = slug(leaf.path), _Column(column.name, [leaf], column.margins)
    steps = {"near": sign * _NEAR, "near-other-side": -sign * _NEAR, "nearer": sign * _NEARER}
    probes = {
        name: _probe(
            wrongs, f"{at}/granted-{name}-{sign:+d}", f"{leaf.name}: {step:+g} of what is granted", numbers
        )
        for name, step in steps.items()
        if (numbers := _nearby(one, step))
    }
    seen = dict(zip(probes, wrongs.bench.run(list(probes.values())), strict=True))
    result.probes += probes.values()
    lost = [name for name, after in seen.items() if wrongs.base - after.reward > EPS]
    if "near" not in lost or len(lost) < 2:
        return False
    number = _nearby(one, steps["near"])[leaf]
    result.findings.append(
        wrongs.bench.finding(
            Severity.MEDIUM,
            Section.DISCRIMINATION,
            f"{leaf.name}: loses credit when it is off by less than half of what the task grants",
            cause=Cause.NARROW,
            seen=f"{number:.9g} instead of {leaf.number:.9g}; the task grants {column.narrowest(leaf):.3g}. "
            f"The reward is {seen['near'].reward:g}; the right answer earns {wrongs.base:g}.",
            advice="Compare with the tolerance that the task states.",
            probe=probes["near"],
            before=wrongs.base,
        )
    )
    return True


def _probe(wrongs: WrongAnswers, name: str, what: str, numbers: dict[Leaf, float | int]) -> Probe:
    changes = [
        (leaf.path, leaf.with_number(number) if isinstance(number, float | int) else number)
        for leaf, number in numbers.items()
    ]
    return wrongs.probe(name, what, replaced(wrongs.document.value, changes))


def _times(column: _Column, leaf: Leaf, number: float | int) -> float:
    return abs(number - leaf.number) / column.widest(leaf)


def _nearby(column: _Column, share: float) -> dict[Leaf, float | int]:
    """The values off by a share of what is granted, as fine as they are written; else left out."""
    found: dict[Leaf, float | int] = {}
    for leaf in column.leaves:
        step = share * column.narrowest(leaf)
        if not leaf.number and step:  # what is zero by its formula comes out as a little more or less
            near: float | int = math.trunc(step) if abs(step) >= 1 else step
        elif isinstance(leaf.number, int):  # a share of a whole number may be meant of others alone
            counted = not any(margin.shares for margin in column.margins)
            near = leaf.number + math.trunc(step) if counted else leaf.number
        else:
            near = round(leaf.number + step, max(0, decimals_of(leaf.number)))
        if near != leaf.number and abs(near - leaf.number) <= 1.3 * abs(step):
            found[leaf] = near
    return found


def _moved(leaf: Leaf, step: float) -> float | int | None:
    """The number that is off by a step; None if that would take it to zero or beyond."""
    if (leaf.number + step) * leaf.number <= 0:
        return None
    if isinstance(leaf.number, int):
        return leaf.number + (math.ceil(step) if step > 0 else math.floor(step))
    return round(leaf.number + step, max(decimals_of(leaf.number), -math.floor(math.log10(abs(step))) + 1))


def _same_decimals(places: int) -> _Change:
    return lambda column, leaf: _far_end(column, leaf, Decimal(1).scaleb(-places))


def _same_figures(figures: int) -> _Change:
    def change(column: _Column, leaf: Leaf) -> float | None:
        first = Decimal(repr(float(leaf.number))).adjusted()
        return _far_end(column, leaf, Decimal(1).scaleb(first - figures + 1))

    return change


def _far_end(column: _Column, leaf: Leaf, cell: Decimal) -> float | None:
    """The number furthest from the right one that rounds to the same; None if about as much is granted."""
    if isinstance(leaf.number, int):
        return None
    number = Decimal(repr(leaf.number))
    middle = (
        number.quantize(cell, ROUND_HALF_EVEN) if cell <= 1 else (number / cell).quantize(Decimal(1)) * cell
    )
    away = -1 if number >= middle else 1
    end = float(middle + away * cell * Decimal(repr(_INSIDE / 2)))
    granted = abs(end - leaf.number) <= _LOW * column.widest(leaf)
    return None if granted or end * leaf.number < 0 else end


def _is_new(name: str, moved: dict[str, dict[Leaf, float | int]]) -> bool:
    """Is this another answer than those before it?"""
    before = list(moved)[: list(moved).index(name)]
    return all(moved[other] != moved[name] for other in before)
