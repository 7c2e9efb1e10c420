"""Two numbers in each other's place, within an object and between records."""

from __future__ import annotations

import re
from itertools import pairwise

from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Section
from adjudge.audit.documents import (
    allows,
    get,
    leaves,
    several_are_right,
    slug,
)
from adjudge.audit.probes import (
    swapped,
)
from adjudge.audit.sections.measure import FieldTrial, WrongAnswers, share_kept
from adjudge.audit.sections.result import SectionResult
from adjudge.contracts import Severity

_HERE = Section.DISCRIMINATION
_MAX_SWAPS = 3
_EITHER = re.compile(
    r"\b(?:pairs?|the two|both|either (?:order|way|direction)|(?:which|who|what)\b[^.]{0,40}\bfirst"
    r"|directions?|undirected|swapp?ed|exchanged|interchangeabl[ey])\b",
    re.I,
)
"""What a sentence speaks of that allows one field of a pair in the place of the other."""
_SIDES = re.compile(
    r"(?:^|(?<=[_\W]))(?:first|second|one|two|left|right|from|to|source|target|start|end|[a-z])(?=$|[_\W])|\d+",
    re.I,
)


def check_swaps(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Exchange neighbours within an object, and the numbers of a column between two records."""
    scored = [
        t
        for t in wrongs.fields
        if t.scored
        and not t.anything_goes
        and t.leaf.kind == "number"
        and t.leaf.path
        and not t.kept("half")  # then each may lie within the tolerance of the other
    ]
    pairs = [
        (one, other)
        for one, other in pairwise(scored)
        if one.leaf.path[:-1] == other.leaf.path[:-1]
        and abs(one.leaf.number - other.leaf.number) > 0.3 * max(abs(one.leaf.number), abs(other.leaf.number))
        and not isinstance(one.leaf.path[-1], int)
        and not _either_way(wrongs.bench.task.instruction, one, other)
    ][:_MAX_SWAPS]
    pairs += _between_records(wrongs, scored)
    probes = [
        wrongs.probe(
            f"swap/{slug(one.leaf.path)}-{slug(other.leaf.path)}"[:100],
            f"{one.leaf.name} and {other.leaf.name} exchanged",
            swapped(wrongs.document.value, one.leaf, other.leaf),
        )
        for one, other in pairs
    ]
    result.probes += probes
    for (one, other), probe, seen in zip(pairs, probes, wrongs.bench.run(probes), strict=True):
        stake = min(wrongs.base, max(one.stake, other.stake))
        if len({one.leaf.path[:-1], other.leaf.path[:-1]}) > 1:  # two records are wrong, and no more is due
            stake = min(stake, 2 * max(one.due, other.due))
        kept = share_kept(wrongs.base - seen.reward, stake)
        wrongs.lost.append(1 - kept)
        if kept >= 0.75:
            plan = several_are_right(wrongs.bench.task.instruction)  # another one may be as good, or nearly
            result.findings.append(
                wrongs.bench.finding(
                    Severity.LOW if plan else Severity.MEDIUM,
                    _HERE,
                    f"{one.leaf.name} and {other.leaf.name} may be exchanged",
                    cause=Cause.SWAPPED,
                    seen=f"{one.leaf.value} and {other.leaf.value} in each other's place still "
                    f"score {seen.reward:g}.",
                    advice="Look each value up by its own name.",
                    probe=probe,
                    before=wrongs.base,
                )
            )


def _either_way(instruction: str, one: FieldTrial, other: FieldTrial) -> bool:
    """Does the task allow two fields that are called alike (`first_id`, `second_id`) in either order?"""
    stems = {_SIDES.sub("", str(trial.leaf.path[-1])) for trial in (one, other)}
    return len(stems) == 1 and allows(_EITHER, instruction, choice=True)


def _between_records(wrongs: WrongAnswers, scored: list[FieldTrial]) -> list[tuple[FieldTrial, FieldTrial]]:
    """The same column of two records that are told apart by a name: whose value is it?

    The other record is the one that differs most; it need not be one of which the fields were tried.
    """
    found = [leaf for leaf in leaves(wrongs.document.value) if leaf.kind == "number" and len(leaf.path) > 1]
    for one in scored:
        path = one.leaf.path
        if len(path) < 2 or not isinstance(path[-1], str):
            continue
        column = [leaf for leaf in found if leaf.path[-1] == path[-1] and leaf.path[:-2] == path[:-2]]
        other = max(column, key=lambda leaf: abs(leaf.number - one.leaf.number), default=one.leaf)
        if abs(one.leaf.number - other.number) <= 0.3 * max(abs(one.leaf.number), abs(other.number)):
            continue
        records = [get(wrongs.document.value, leaf.path[:-1]) for leaf in (one.leaf, other)]
        names = [
            [cell for cell in record.values() if isinstance(cell, str)]
            for record in records
            if isinstance(record, dict)
        ]
        if len(names) == 2 and names[0] != names[1]:
            like = FieldTrial(other, one.base, costs=one.costs, numbers=one.numbers, items=one.items)
            return [(one, next((trial for trial in scored if trial.leaf == other), like))]
    return []
