"""Which trials are reviewed: a lottery in rounds, in which every trial has a ticket and some have more.

What helps most has more tickets: trials on which people contradict the reward or each other, suspected
verifiers, rewards near the middle, trials that nobody has looked at. In a round each trial is drawn by itself
with the probability `min(1, scale * tickets)`. So that probability is known, is never zero, and does not
depend on which other trials were drawn (Poisson sampling). Over several rounds a trial is drawn at all with
one minus the product of its chances to be passed over; that is what is recorded with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from adjudge.ledger import TrialColumns

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

SUSPECTED = 3.0
CONTRADICTED = 4.0
DOUBTFUL = 1.0
UNSEEN = 1.0


@dataclass(frozen=True)
class Drawn:
    """A round: which rows were drawn, and how probable it was that each is drawn by now."""

    rows: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    scale: float


def tickets(
    columns: TrialColumns, contradicted: Iterable[int] = (), seen: Iterable[int] = ()
) -> NDArray[np.float64]:
    """How many tickets each trial has: one, and more for what helps. The last two are numbers of trials."""
    found = np.ones(len(columns))
    names = columns.outcome.categories
    if "suspected" in names:
        found[columns.outcome.codes == names.index("suspected")] += SUSPECTED
    found[(columns.reward > 0.25) & (columns.reward < 0.75)] += DOUBTFUL
    found[~np.isin(columns.trial, list(seen))] += UNSEEN
    found[np.isin(columns.trial, list(contradicted))] += CONTRADICTED
    return found


def draw_round(weights: NDArray[np.float64], size: int, earlier: Sequence[float], chance: Generator) -> Drawn:
    """Draw about `size` trials by their tickets. `earlier` are the scales of the rounds before.

    Every trial still in the pool was passed over in those rounds. No trials give an empty round.
    """
    if not len(weights):
        return Drawn(np.empty(0, np.int64), np.empty(0), 0.0)
    scale = scale_for(weights, size)
    now = np.minimum(1.0, scale * weights)
    rows = np.flatnonzero(chance.random(len(weights)) < now)
    if not len(rows):  # a round that draws nobody would be drawn again, and that would be another lottery
        rows = np.array([chance.choice(len(weights), p=weights / weights.sum())])
    passed_over = np.ones(len(weights))
    for before in (*earlier, scale):
        passed_over *= 1 - np.minimum(1.0, before * weights)
    return Drawn(rows, (1 - passed_over)[rows], scale)


def scale_for(weights: NDArray[np.float64], size: int) -> float:
    """The scale at which `min(1, scale * tickets)` adds up to `size`; all are drawn if there are no more."""
    if len(weights) <= size:
        return float(1 / weights.min())
    low, high = 0.0, float(1 / weights.min())
    for _ in range(60):
        middle = (low + high) / 2
        if np.minimum(1.0, middle * weights).sum() < size:
            low = middle
        else:
            high = middle
    return high
