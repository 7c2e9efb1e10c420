"""How much a change to the right answer costs, and what is at stake: the arithmetic of discrimination.

`stake` is the most that the reward fell for any change to the same field; a change that keeps more than a
quarter of its stake was not noticed as it should. Fields that cost nothing, whatever stands there, have no
stake and take no part: what a verifier ignores on purpose is not held against it.

One exception: many verifiers refuse the whole answer for a value outside of a range, which says nothing of
what the field is worth. If nearer values cost a part, all the same part, that part is the stake; and of a
value in a list no more than an item's share is ever asked for.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from adjudge.audit.answers import RightAnswer
from adjudge.audit.documents import Document, Leaf, unquoted
from adjudge.audit.probes import Bench, Probe, Seen

EPS = 0.005
KEPT = 0.75
"""From this share of its stake on, a wrong value counts as having kept its credit."""

_CELL = 0.1
"""The least share of its record that one value in it is worth, if the record is worth what any other is."""


class FieldTrial(Struct):
    """One field, the changes made to it, and what each cost."""

    leaf: Leaf
    base: float
    costs: dict[str, float] = field(default_factory=dict)
    probes: dict[str, Probe] = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)
    """The number that a change puts in the place of the right one, if the field is a number."""
    items: int = 1
    """How many items the innermost list has in which it stands; 1 if it stands in none."""

    @property
    def stake(self) -> float:
        """The most that any change of the value cost; what leaving it out cost, if no value mattered.

        A missing field can cost more than the field is worth: the whole answer may no longer be read. So can
        a value that the verifier refuses.
        """
        values = {change: cost for change, cost in self.costs.items() if change != "dropped"}
        most = max([0.0, *values.values()])
        if most <= EPS:
            return max(0.0, self.costs.get("dropped", 0.0))
        if most >= self.base - EPS:
            return self._within_bounds(values) or most
        return most

    def _within_bounds(self, values: dict[str, float]) -> float | None:
        """What wrong numbers cost that are not refused; None if there is no sign of a range.

        The sign: at least two changes cost one and the same part, and no number between them and the right
        one costs everything. (A verifier that likes ten times the value refuses what lies between.) For one
        of n items in a list the share that is due is known, and one change that costs about as much will do.
        """
        partly = {c: cost for c, cost in values.items() if EPS < cost < self.base - EPS and c in self.numbers}
        if not partly or max(partly.values()) - min(partly.values()) > EPS:
            return None
        if self.items > 1 and min(partly.values()) >= 0.5 * self.base / self.items:
            return max(partly.values())
        if len(partly) < 2:
            return None
        reach = [self.leaf.number, *(self.numbers[change] for change in partly)]
        refused = [
            self.numbers[c] for c, cost in values.items() if cost >= self.base - EPS and c in self.numbers
        ]
        if any(min(reach) < number < max(reach) for number in refused):
            return None
        return max(partly.values())

    @property
    def due(self) -> float:
        """What a wrong value should cost: its stake; if that is the whole answer, an item's share of it."""
        refused = self.items > 1 and self.stake >= self.base - EPS
        return self.stake / self.items if refused else self.stake

    @property
    def anything_goes(self) -> bool:
        """Does every change of the value keep the credit, so that only leaving it out costs something?"""
        return all(self.kept(change) for change in self.costs if change != "dropped")

    @property
    def scored(self) -> bool:
        return self.stake > EPS

    @property
    def free(self) -> bool:
        """Did no change cost anything, not even the little that one of hundreds of values is worth?"""
        most = max([0.0, *self.costs.values()])
        return not self.scored and (self.items == 1 or most < _CELL * self.base / self.items)

    def kept(self, change: str) -> bool:
        """Did this change keep (almost) all the credit that the field is worth?"""
        return change in self.costs and self.share_kept(change) >= KEPT

    def share_kept(self, change: str) -> float:
        """1.0 if the change cost nothing, 0.0 if it cost all that the field is worth."""
        return share_kept(self.costs[change], self.due)


def share_kept(cost: float, stake: float) -> float:
    """The share of a stake that is left, cut to [0, 1]; all of it if nothing was at stake or lost.

    One of hundreds of items has a share so small that it is lost in noise; what cost more has lost it.
    """
    if stake <= EPS:
        return 1.0 if cost <= EPS else 0.0
    return min(1.0, max(0.0, 1 - cost / stake))


def fair_share(right: int, wanted: int) -> float:
    """What a list with `right` of `wanted` items and nothing else fairly keeps: 2·r/(r + w), as in F1."""
    return 2 * right / (right + wanted)


class WrongAnswers(Struct):
    """Every wrong answer that was made from one right answer, and what became of it."""

    bench: Bench
    right: RightAnswer
    document: Document
    base: float
    fields: list[FieldTrial] = field(default_factory=list)
    whole: dict[str, tuple[Probe, Seen]] = field(default_factory=dict)
    lost: list[float] = field(default_factory=list)
    """For each wrong answer, the share of what was at stake that it lost: what the score is the mean of."""
    among_files: bool = False
    """Do other files belong to the answer, so that this one is worth a part of it?"""

    def probe(self, name: str, what: str, value: Any, *, alone: bool = False) -> Probe:
        """The value as an answer in the right answer's workspace; or `alone`, without its other files."""
        files = None if alone else self.right.files
        data = unquoted(self.document.render(value))
        return self.bench.answer(f"discrimination/{name}", what, data, files=files)
