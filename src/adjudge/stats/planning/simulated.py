"""Power by simulation: the very test, or the very verdict of a gate, on benchmarks drawn from a pilot.

Tasks (whole clusters, if there are any) are drawn from the pilot's differences, with chances tilted so that
their mean is the one asked about. So ties stay ties, and rewards of 0 or 1 stay such. If no tilt reaches a
mean, the differences are shifted to it.

For a gate there is no loss: the mean is zero. If no tilt reaches that, each difference is as likely d as -d.
Passed is what `DifferenceTest.interval` puts above -margin: what the flips put there, and either the cautious
interval does so too or the flips show an improvement.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from msgspec import Struct

from adjudge.stats.means.errors import NO_SPREAD
from adjudge.stats.means.intervals import equal_values_interval, wide_wilson_interval
from adjudge.stats.means.quantiles import two_sided_t
from adjudge.stats.method import DEFAULT
from adjudge.stats.pairs.difference import cautious_ends
from adjudge.stats.pairs.flips import TIE
from adjudge.stats.pairs.skew import most_pseudo_groups
from adjudge.stats.planning.power import fewest_groups
from adjudge.stats.trial_table import FloatArray, IntArray

REPLICATES = 400
FLIPS = 199
EXACT_UP_TO = 10
"""Groups of which a simulation tries all flips."""


class Pilot(Struct, frozen=True, eq=False):
    """The groups that a simulation draws from."""

    groups: tuple[FloatArray, ...]
    """The differences of each cluster's tasks; empty without clusters."""
    sums: FloatArray
    sizes: FloatArray
    error: float | None
    """Of the mean; None if the differences show no spread."""
    clustered: bool = False


def simulated_power(
    pilot: Pilot,
    delta: float,
    groups: int,
    *,
    level: float,
    seed: int = 0,
    shrink: float = 1.0,
    replicates: int = REPLICATES,
) -> float:
    """The share of simulated benchmarks of `groups` groups in which the flips show `delta`.

    `shrink` scales the spread around the mean, as more attempts would.
    """
    if groups < fewest_groups(level) or delta == 0:
        return 0.0
    rng = np.random.Generator(np.random.PCG64([seed, groups]))
    chances, shift = _tilted(pilot, delta)
    rows = _drawn(rng, chances, groups, replicates)
    sizes = pilot.sizes[rows]
    drawn = pilot.sums[rows] + ((shift or 0.0) - delta) * sizes
    drawn = drawn * shrink + delta * sizes
    return float(np.mean(_shown(drawn * math.copysign(1.0, delta), level, rng)))


def simulated_gate(
    pilot: Pilot,
    margin: float,
    groups: int,
    *,
    level: float,
    seed: int = 0,
    shrink: float = 1.0,
    replicates: int = REPLICATES,
) -> float:
    """The share of simulated benchmarks of `groups` groups, without a loss, that pass a gate of `margin`."""
    if groups < 2 or margin == 0:
        return 0.0
    rng = np.random.Generator(np.random.PCG64([seed, groups]))
    chances, shift = _tilted(pilot, 0.0)
    rows = _drawn(rng, chances, groups, replicates)
    signs: FloatArray = np.full(rows.shape, shrink)
    if shift is not None:
        signs = signs * (1.0 - 2.0 * rng.integers(0, 2, rows.shape))
    sizes, sums = pilot.sizes[rows], pilot.sums[rows] * signs
    above = (
        _shown(sums + margin * sizes, level, rng)
        if groups >= fewest_groups(level)
        else (sums / sizes).min(axis=0) > -margin
    )
    better = _shown(sums, level, rng)
    asked = np.flatnonzero((above > 0) & (better == 0))
    if pilot.clustered:
        lows = np.array([_cautious_low(pilot, rows[:, at], signs[:, at], level) for at in asked])
    else:
        lows = cautious_lows(sums[:, asked], level)
    passed = int(((above > 0) & (better > 0)).sum()) + int((lows > -margin).sum())
    return passed / replicates


def cautious_lows(values: FloatArray, level: float) -> FloatArray:
    """The lower of `cautious_ends` of each column of differences, all at once; a test compares the two."""
    gains, losses = np.maximum(values, 0.0), np.maximum(-values, 0.0)
    (up, up_low, _), (down, _, down_high) = (_part_ends(part, level) for part in (gains, losses))
    above, below = gains - up, losses - down
    squares = (above**2).sum(axis=0) * (below**2).sum(axis=0)
    together = np.where(
        squares > NO_SPREAD**2, (above * below).sum(axis=0) / np.sqrt(np.maximum(squares, NO_SPREAD**2)), 0.0
    )
    a, b = up - up_low, down_high - down
    low = up - down - np.sqrt(np.maximum(0.0, a**2 + b**2 - 2 * together * a * b))
    return np.asarray(np.maximum(-1.0, np.minimum(low, _skewed_lows(values, level))), np.float64)


def _skewed_lows(values: FloatArray, level: float) -> FloatArray:
    """The lower of `skewed_ends` of each column; 1 for columns without spread."""
    n = len(values)
    mean = values.mean(axis=0)
    left = values - mean
    squares = (left**2).sum(axis=0)
    spread = np.sqrt(np.maximum(squares / (n - 1), NO_SPREAD**2))
    weight = np.clip(-(left**3).mean(axis=0) / spread**3, 0.0, most_pseudo_groups(n))
    far = left.min(axis=0)
    half = two_sided_t(level, n - 1) * np.sqrt(squares * n / (n - 1) + weight * far**2)
    still = np.sqrt(squares / (n - 1) / n) <= NO_SPREAD
    return np.asarray(np.where(still, 1.0, mean + (weight * far - half) / (n + weight)), np.float64)


def _part_ends(values: FloatArray, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean, lower and upper end of each column, as `mean_of_units` gives them for independent tasks."""
    n = len(values)
    mean = values.mean(axis=0)
    squares = ((values - mean) ** 2).sum(axis=0)
    common = np.median(values, axis=0)
    weight = np.maximum(0.0, 2 * (values == common).sum(axis=0) / n - 1)
    far = np.abs(values - common).max(axis=0)
    variance = np.maximum((squares + weight * far**2) / (n - 1 + weight) / n, TIE**2)
    effective = np.maximum(mean * (1 - mean) / variance, TIE)
    q = two_sided_t(level, n - 1)
    centre = (mean + q * q / (2 * effective)) / (1 + q * q / effective)
    half = (
        q
        / (1 + q * q / effective)
        * np.sqrt(np.maximum(0.0, mean * (1 - mean) / effective + q * q / (4 * effective**2)))
    )
    low, high = np.maximum(0.0, centre - half), np.minimum(1.0, centre + half)
    still = np.sqrt(squares / (n - 1) / n) <= NO_SPREAD
    binary = ((values == 0) | (values == 1)).all(axis=0)
    for at in np.flatnonzero(still | binary):
        ends = (
            _wilson_ends(round(float(mean[at]) * n), n, level)
            if binary[at]
            else _equal_ends(float(mean[at]), n, level)
        )
        low[at], high[at] = ends
    return mean, low, high


@lru_cache(maxsize=4096)
def _wilson_ends(successes: int, n: int, level: float) -> tuple[float, float]:
    found = wide_wilson_interval(successes, n, level=level)
    return found.low, found.high


def _equal_ends(value: float, n: int, level: float) -> tuple[float, float]:
    found = equal_values_interval(value, n, level=level, low=0.0, high=1.0)
    return found.low, found.high


def _cautious_low(pilot: Pilot, rows: IntArray, signs: FloatArray, level: float) -> float:
    values = np.concatenate([pilot.groups[row] * sign for row, sign in zip(rows, signs, strict=True)])
    codes = np.repeat(np.arange(len(rows)), pilot.sizes[rows].astype(np.int64))
    return cautious_ends(values, codes, level, DEFAULT)[0]


def _drawn(rng: np.random.Generator, chances: FloatArray, groups: int, replicates: int) -> IntArray:
    """Which groups of the pilot each replicate has: groups x replicates."""
    edges = np.cumsum(chances)
    rows = np.searchsorted(edges, rng.random((groups, replicates)) * edges[-1], side="right")
    return np.asarray(np.minimum(rows, len(edges) - 1), np.int64)


def _shown(drawn: FloatArray, level: float, rng: np.random.Generator) -> FloatArray:
    """In which columns of groups x replicates the flips show a mean above zero."""
    groups, tail = len(drawn), (1 - level) / 2
    total = drawn.sum(axis=0)
    if tail < 4 / FLIPS and groups > EXACT_UP_TO:
        # So far out too few flips fall; Student's test of the same groups comes close there.
        squares = np.maximum((drawn**2).sum(axis=0), TIE)
        share = np.clip(total**2 / squares, 0, groups - 1e-9)
        t = np.sqrt(share * (groups - 1) / (groups - share))
        far = (total > 0) & (t >= two_sided_t(level, groups - 1))
        return np.asarray(far, np.float64)
    if groups <= EXACT_UP_TO:
        signs = 1.0 - 2.0 * ((np.arange(2**groups)[:, None] >> np.arange(groups)) & 1)
        hits = (signs @ drawn >= total - 1e-9).sum(axis=0) / len(signs)
    else:
        signs = 1.0 - 2.0 * rng.integers(0, 2, (FLIPS, groups))
        hits = (1 + (signs @ drawn >= total - 1e-9).sum(axis=0)) / (1 + FLIPS)
    return np.asarray(hits <= tail + TIE, np.float64)


def _tilted(pilot: Pilot, delta: float) -> tuple[FloatArray, float | None]:
    """Chances for the pilot's groups that make the mean `delta`; or equal ones, and the shift that does."""
    sums, sizes = pilot.sums, pilot.sizes
    even = np.full(len(sums), 1.0 / len(sums))
    terms = sums - delta * sizes
    if not terms.any():
        return even, None
    if terms.min() < 0 < terms.max():
        scale = float(np.abs(terms).max())
        low, high = -40.0 / scale, 40.0 / scale
        for _ in range(100):
            middle = (low + high) / 2
            tilted = np.exp(middle * terms - np.max(middle * terms))
            low, high = (middle, high) if float((tilted * terms).sum()) < 0 else (low, middle)
        chances = tilted / tilted.sum()
        # A tilt that leaves next to nothing of the pilot would plan with a handful of its tasks.
        if 1 / float((chances**2).sum()) >= len(sums) / 4:
            return chances, None
    return even, delta - float(sums.sum() / sizes.sum())
