"""Which trials are reviewed: a lottery in rounds, in which every trial has tickets and some have more.

What helps most has more tickets: trials on which people contradict the reward or each other, suspected
verifiers, rewards near the middle, trials that nobody has looked at. Each trial also has a lot of its own,
a number from 0 to 1 that never changes. A round has a scale, and draws every trial whose lot is below
`scale * tickets`. Later rounds have larger scales, so they draw more of the same lottery.

So a trial has been drawn by now with the probability `min(1, scale * tickets)`, at the largest scale that it
took part in: exactly, never zero, and whatever other trials were drawn (Poisson sampling with permanent
random numbers). That is what is recorded, again for every drawn trial when a round has raised it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adjudge.ledger import TrialColumns

SUSPECTED = 3.0
CONTRADICTED = 4.0
DOUBTFUL = 1.0
UNSEEN = 1.0
_FEW = 32


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


def lots(seed: int, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """The lot of each trial: from 0 to 1, the same for the same seed and number (splitmix64)."""
    with np.errstate(over="ignore"):
        z = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) / float(1 << 53)


def chance(scale: float | NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability of having been drawn at a scale."""
    return np.minimum(1.0, scale * weights)


def count_kinds(values: NDArray[np.complex128]) -> tuple[NDArray[np.complex128], NDArray[np.int64]]:
    """Each distinct value, in order, and how often it occurs.

    A million trials have a handful of tickets and scales, which are counted one after the other; sorting them
    all would take most of the time of a draw.
    """
    found: list[tuple[complex, int]] = []
    left = values
    while len(left) and len(found) < _FEW:
        others = left[left != left[0]]
        found.append((left[0], len(left) - len(others)))
        left = others
    kinds, counts = np.unique(left, return_counts=True)
    kinds = np.concatenate([np.array([kind for kind, _ in found], np.complex128), kinds])
    counts = np.concatenate([np.array([count for _, count in found], np.int64), counts])
    order = np.argsort(kinds)
    return kinds[order], counts[order]


def next_scale(weights: NDArray[np.float64], before: NDArray[np.float64], size: int) -> float:
    """The scale at which about `size` more trials are drawn than at the scales `before`; 0 for no trials.

    It follows from the tickets alone, not from who was drawn: otherwise probabilities would not be exact.
    """
    if not len(weights):
        return 0.0
    pairs, counts = count_kinds(weights + 1j * before)
    kinds, already = pairs.real, chance(pairs.imag, pairs.real)
    low, high = 0.0, float(1 / kinds.min())
    if (counts * (1 - already)).sum() <= size:
        return high
    for _ in range(60):
        middle = (low + high) / 2
        more = (counts * np.maximum(0, chance(middle, kinds) - already)).sum()
        low, high = (middle, high) if more < size else (low, middle)
    return high
