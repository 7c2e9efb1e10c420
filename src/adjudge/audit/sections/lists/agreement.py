"""Numbers that agree with each other and with nothing else, and lists that pay for what is in them.

A balance that closes, a total that is the sum of its parts: a verifier that checks only that takes the same
table at half the size. A list of remarks of which each earns a little makes up for all that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import (
    Leaf,
    Path,
    leaves,
    name_paths,
    replaced,
    several_are_right,
    slug,
    unwrapped,
)
from adjudge.audit.probes import Probe, absurd, all_wrong, scaled
from adjudge.audit.sections.measure import EPS, KEPT, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.audit.sections.weighing import weigh_share
from adjudge.contracts import Severity

_FACTORS = (0.5, 2)
_MOST_COLUMNS = 4
_WORTH = 0.1
_FREE_SCALE = re.compile(
    r"\bup to (?:a |an |some )?(?:\w+ )?(?:scale|factor|constant|multiple)\b|\bproportion(?:al|s)\b"
    r"|\bany multiple\b"
    r"|\barbitrary units\b|\bnormali[sz]ed?\b|\bratios?\b|\bin any unit\b",
    re.I,
)
_FREE_LEVEL = re.compile(
    r"\brelative to\b|\bup to (?:a |an )?(?:additive )?(?:constant|offset|shift)\b|\bdifferences? between\b"
    r"|\barbitrary (?:zero|offset|origin|datum|reference|constant)\b|\bany (?:zero|origin|datum|offset)\b",
    re.I,
)
"""The task asks for differences, wherever they begin."""
_LEAST_NUMBERS = 3
_ITEMS = 40
_ADVICE = (
    "Compare what the task gives with the task's own values, and what follows from it with the right result; "
    "that the values agree with each other is not enough."
)
_SCALE_ADVICE = (
    "Compare each value with its reference: a correlation, or a ratio of two of them, has no scale."
)


def asks_for_ratios(instruction: str) -> bool:
    """Does the task ask for how numbers stand to each other, and for no more?"""
    return _FREE_SCALE.search(unwrapped(instruction)) is not None


def check_agreement(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Every number by the same factor, where numbers out of step lose.

    If zeros pass, they agree with each other as well, and are put down to it. If they do not, a correlation
    or a ratio may be all that is looked at; then one column by a factor is tried, too.
    """
    tried = [wrongs.whole.get(name) for name in ("absurd-numbers", "all-zeros", "all-half")]
    far, zeros, half = (None if one is None else one[1].reward for one in tried)
    if far is None or zeros is None or half is None or not wrongs.document.structured:
        return
    worth = wrongs.base - far
    if worth < _WORTH or share_kept(wrongs.base - half, worth) >= 0.5:
        return  # then the tolerance is what is wide
    zeros_pass = share_kept(wrongs.base - zeros, worth) >= 0.5
    if not zeros_pass and asks_for_ratios(wrongs.bench.task.instruction):
        return
    names = name_paths(wrongs.document.value)
    numbers = [leaf for leaf in leaves(wrongs.document.value) if leaf.kind == "number" and leaf.number]
    numbers = [leaf for leaf in numbers if leaf.path not in names]
    groups = {"every number": numbers}
    if not zeros_pass:
        groups |= _columns(numbers)
    for name, group in list(groups.items())[:_MOST_COLUMNS]:
        if len(group) >= _LEAST_NUMBERS and _in_step(wrongs, name, group, worth, result, zeros=zeros_pass):
            return


def _absurd(wrongs: WrongAnswers, numbers: Sequence[Leaf]) -> Any:
    """Far off, and every other one only half: what are all far off by nearly one factor still correlate."""
    changes = [
        (leaf.path, absurd(leaf) if place % 2 else leaf.with_number(scaled(leaf.number, 0.4)))
        for place, leaf in enumerate(numbers)
    ]
    return replaced(wrongs.document.value, changes)


def _columns(numbers: Sequence[Leaf]) -> dict[str, list[Leaf]]:
    """The numbers of each column of a list of records, which stand under one name."""
    found: dict[str, list[Leaf]] = {}
    for leaf in numbers:
        if any(isinstance(step, int) for step in leaf.path) and isinstance(leaf.path[-1], str):
            found.setdefault(f"every {leaf.path[-1]}", []).append(leaf)
    return found


def _in_step(
    wrongs: WrongAnswers,
    name: str,
    numbers: Sequence[Leaf],
    worth: float,
    result: SectionResult,
    *,
    zeros: bool,
) -> bool:
    """Are numbers all half, or all twice, as good as the right ones?"""
    begin = "in-step" if name == "every number" else f"in-step.{slug((name.removeprefix('every '),))}"
    whole = name == "every number"
    if not whole:
        far = wrongs.probe(f"{begin}-absurd", f"{name} absurd", _absurd(wrongs, numbers))
        [lost] = wrongs.bench.run([far])
        result.probes.append(far)
        worth = wrongs.base - lost.reward
        if worth < _WORTH or lost.broke:
            return False
    probes = [
        wrongs.probe(
            f"{begin}-{number + 1}",
            f"{name} {'half' if factor < 1 else 'twice'} the right one",
            replaced(wrongs.document.value, [(x.path, x.with_number(x.number * factor)) for x in numbers]),
        )
        for number, factor in enumerate(_FACTORS)
    ]
    instruction = wrongs.bench.task.instruction
    if not whole and not several_are_right(instruction) and not _FREE_LEVEL.search(unwrapped(instruction)):
        probes.append(_higher(wrongs, begin, name, numbers))
    result.probes += probes
    cause, advice = (Cause.AGREES, _ADVICE) if zeros else (Cause.SCALE, _SCALE_ADVICE)
    for probe, seen in zip(probes, wrongs.bench.run(probes), strict=True):
        kept = share_kept(wrongs.base - seen.reward, worth)
        least = 1 - EPS if probe.name.endswith("-higher") else KEPT  # a plan that is later is nearly as good
        if kept < least or seen.broke:
            continue
        if zeros:
            result.findings = [
                f.model_copy(update={"cause": cause, "advice": advice}) if f.cause == Cause.ZEROS else f
                for f in result.findings
            ]
        result.findings.append(
            wrongs.bench.finding(
                Severity.MEDIUM,
                Section.DISCRIMINATION,
                f"{probe.what} scores {seen.reward:g}",
                cause=cause,
                seen=f"The numbers are worth {worth:.3g} of the reward, and {kept:.0%} of that is kept: "
                "they are compared with each other, and not with what is right.",
                advice=advice,
                probe=probe,
                before=wrongs.base,
            )
        )
        return True
    return False


def _higher(wrongs: WrongAnswers, begin: str, name: str, numbers: Sequence[Leaf]) -> Probe:
    """Every number of a column higher by as much, for whoever looks at differences or a correlation."""
    by = 0.4 * max(abs(leaf.number) for leaf in numbers)
    by = round(by) or 1 if all(isinstance(leaf.number, int) for leaf in numbers) else round(by, 3) or by
    changed = [(x.path, x.with_number(_sum(x.number, by))) for x in numbers]
    what = f"{name} higher than the right one by the same"
    return wrongs.probe(f"{begin}-higher", what, replaced(wrongs.document.value, changed))


def _sum(number: float | int, by: float | int) -> float | int:
    return number + by if isinstance(by, int) else round(number + by, 6)


def check_bonus(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Every value wrong, and each list of texts full of invented ones."""
    wrong = wrongs.whole.get("all-wrong")
    free = _free_lists(wrongs.document.value)
    if wrong is None or not free:
        return
    items = [f"Remark {number + 1}: this should be looked at once more." for number in range(_ITEMS)]
    value = replaced(all_wrong(wrongs.document.value), [(path, items) for path in free])
    names = ", ".join(str(path[-1]) for path in free[:3])
    probe = wrongs.probe("bonus", f"{_ITEMS} invented texts in {names}, all else wrong,", value, alone=True)
    [seen] = wrongs.bench.run([probe])
    result.probes.append(probe)
    if not seen.broke and seen.reward > wrong[1].reward + EPS:
        share = (seen.reward - wrong[1].reward) / wrongs.base
        weigh_share(wrongs, Cause.ANY_VALUE, probe, seen, share, result)


def _free_lists(value: Any) -> list[Path]:
    """The lists of texts, and the empty ones, that stand under a name and in no record."""
    found: list[Path] = []
    stack: list[tuple[Path, Any]] = [((), value)]
    for path, node in stack:
        if isinstance(node, dict):
            stack += [((*path, key), child) for key, child in node.items()]
        elif isinstance(node, list) and path and all(isinstance(item, str) for item in node):
            found.append(path)
    return found
