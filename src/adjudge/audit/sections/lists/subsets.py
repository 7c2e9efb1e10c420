"""Some of the numbers by one factor: a schedule for another loan, a recipe for twice as many.

What is checked against itself alone closes for any size, if what counts (1, 2, 3) and what is a rate stays as
it is. All columns and fields but those are tried together, then with one of them left alone at a time, as
long as that wins credit back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import Leaf, leaves, replaced, several_are_right, stated_factor
from adjudge.audit.probes import Probe, Seen, absurd, scaled
from adjudge.audit.sections.lists.agreement import asks_for_ratios
from adjudge.audit.sections.measure import EPS, KEPT, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

Group = tuple[str | int, ...]
_FACTORS = (2, 0.5)
_MOST_GROUPS = 9
_MOST_RUNS = 30
_WORTH = 0.1
_RATE = re.compile(r"rate|percent|pct|share|ratio|fraction|factor|efficien|probab|yield|%", re.I)
_CHOSEN = re.compile(
    r"\byours to choose\b|\bfree to (?:choose|pick)\b|\byou (?:may|can) (?:choose|pick)\b"
    r"|\bof your (?:own )?choice\b|\bup to you\b|\bany (?:valid|feasible|legal|possible)\b"
    r"|\bfeasible\b|\bas you (?:like|please|wish)\b|\b(?:design|propose|invent|make up)\b",
    re.I,
)
"""The task leaves values to the agent, so that several answers are right."""


def left_open(instruction: str) -> bool:
    """Does the task leave values to the agent?"""
    return several_are_right(instruction) or _CHOSEN.search(instruction) is not None


def check_subsets(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Report numbers that keep the credit at twice or half their size, if others stay as they are."""
    instruction = wrongs.bench.task.instruction
    if not wrongs.document.structured or asks_for_ratios(instruction) or left_open(instruction):
        return
    if any(f.cause in (Cause.AGREES, Cause.SCALE) for f in result.findings):
        return
    if _is_rough(wrongs):
        return
    groups = _groups(wrongs)
    sizes = [key for key, group in groups.items() if not _counts(group)]
    amounts = [key for key in sizes if not _is_rate(key, groups[key])]
    if not 2 <= len(sizes) <= _MOST_GROUPS:
        return
    control = _probe(wrongs, groups, sizes, None)
    probes = [
        _probe(wrongs, groups, chosen, factor)
        for chosen in ((sizes, amounts) if 2 <= len(amounts) < len(sizes) else (sizes,))
        for factor in _FACTORS
    ]
    result.probes += [control, *probes]
    out_of_step, *seen = wrongs.bench.run([control, *probes])
    floor = out_of_step.reward
    best = max(range(len(probes)), key=lambda place: seen[place].reward)
    if wrongs.base - floor < _WORTH or seen[best].broke or seen[best].reward <= floor + EPS:
        return
    chosen = sizes if best < len(_FACTORS) else amounts
    found = _fewer(wrongs, groups, chosen, _FACTORS[best % len(_FACTORS)], probes[best], seen[best], result)
    if found is not None:
        _report(wrongs, groups, *found, result)


def _is_rough(wrongs: WrongAnswers) -> bool:
    """May each number be half or twice the right one, by itself?"""
    if (stated_factor(wrongs.bench.task.instruction) or 1.0) >= max(_FACTORS):
        return True
    far, half = (wrongs.whole.get(name) for name in ("absurd-numbers", "all-half"))
    worth = 0.0 if far is None else wrongs.base - far[1].reward
    return half is not None and worth > EPS and share_kept(wrongs.base - half[1].reward, worth) >= 0.5


def _groups(wrongs: WrongAnswers) -> dict[Group, list[Leaf]]:
    """Numbers that differ only in the record in which they stand; of many single ones, those of an object."""
    numbers = [x for x in leaves(wrongs.document.value) if x.kind == "number" and x.number and x.path]
    found: dict[Group, list[Leaf]] = {}
    for leaf in numbers:
        found.setdefault(_pattern(leaf), []).append(leaf)
    if len(found) > _MOST_GROUPS:
        found = {}
        for leaf in numbers:
            listed = any(isinstance(step, int) for step in leaf.path)
            found.setdefault(_pattern(leaf) if listed else leaf.path[:-1], []).append(leaf)
    return found


def _pattern(leaf: Leaf) -> Group:
    return tuple("*" if isinstance(step, int) else step for step in leaf.path)


def _counts(group: Sequence[Leaf]) -> bool:
    """Is it a running number: 1, 2, 3?"""
    numbers = [leaf.number for leaf in group]
    return len(numbers) > 2 and all(b - a == 1 for a, b in pairwise(numbers))


def _is_rate(key: Group, group: Sequence[Leaf]) -> bool:
    return bool(_RATE.search(str(key[-1]) if key else "")) or all(abs(leaf.number) <= 1 for leaf in group)


def _probe(
    wrongs: WrongAnswers, groups: dict[Group, list[Leaf]], chosen: Sequence[Group], factor: float | None
) -> Probe:
    """The chosen groups by a factor; None for each number out of step with the others."""
    numbers = [leaf for key in chosen for leaf in groups[key]]
    if factor is None:
        changed = [
            (x.path, absurd(x) if place % 2 else x.with_number(scaled(x.number, 0.4)))
            for place, x in enumerate(numbers)
        ]
    else:
        changed = [(x.path, x.with_number(scaled(x.number, factor))) for x in numbers]
    how = {None: "out of step", 2: "twice the right ones", 0.5: "half the right ones"}[factor]
    places = [number for number, key in enumerate(groups) if key in chosen]
    name = f"subset.{'.'.join(map(str, places))}-{'absurd' if factor is None else f'{factor:g}'}"
    return wrongs.probe(name, f"{_named(chosen)} {how}", replaced(wrongs.document.value, changed))


def _named(chosen: Sequence[Group]) -> str:
    names = [str(key[-1]) if key and key[-1] != "*" else "numbers" for key in chosen]
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _fewer(
    wrongs: WrongAnswers,
    groups: dict[Group, list[Leaf]],
    chosen: list[Group],
    factor: float,
    probe: Probe,
    seen: Seen,
    result: SectionResult,
) -> tuple[list[Group], Probe, Seen] | None:
    """Leave one group after the other alone, while that wins credit; None if it does not win all of it."""
    runs = 0
    while seen.reward < wrongs.base - EPS:
        smaller = [[key for key in chosen if key != one] for one in chosen]
        runs += len(smaller)
        if len(chosen) <= 2 or runs > _MOST_RUNS:
            return None
        probes = [_probe(wrongs, groups, part, factor) for part in smaller]
        result.probes += probes
        tried = wrongs.bench.run(probes)
        best = max(range(len(probes)), key=lambda place: tried[place].reward)
        if tried[best].broke or tried[best].reward <= seen.reward + EPS:
            return None
        chosen, probe, seen = smaller[best], probes[best], tried[best]
    return chosen, probe, seen


def _report(
    wrongs: WrongAnswers,
    groups: dict[Group, list[Leaf]],
    chosen: list[Group],
    probe: Probe,
    seen: Seen,
    result: SectionResult,
) -> None:
    """Only if these very numbers cost something out of step, and each is not free by itself."""
    control = _probe(wrongs, groups, chosen, None)
    [lost] = wrongs.bench.run([control])
    result.probes.append(control)
    worth = wrongs.base - lost.reward
    wrongs.lost.append(0.0)
    if worth < _WORTH or lost.broke or share_kept(wrongs.base - seen.reward, worth) < KEPT:
        return
    result.findings.append(
        wrongs.bench.finding(
            Severity.MEDIUM,
            Section.DISCRIMINATION,
            f"{probe.what} score {seen.reward:g}",
            cause=Cause.AGREES,
            seen=f"Out of step with each other these numbers cost {worth:.3g} of the reward; by one "
            "factor they cost nothing: they are compared with each other, and not with what is right.",
            advice="Compare what the task gives with the task's own values, and what follows from it with "
            "the right result; that the values agree with each other is not enough.",
            probe=probe,
            before=wrongs.base,
        )
    )
