"""What each statistic of agreement adds up over trials, and the two disagreements it makes of the sums.

Every one is 1 - observed/expected. They differ in what a trial adds and in what chance expects:
kappa from how often each of two raters uses each category, alpha from how often all raters together do, AC1
from how evenly categories are used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from msgspec import Struct

from adjudge.errors import UsageError
from adjudge.stats.reviews.ratings import MISSING, Ratings
from adjudge.stats.trial_table import FloatArray

Weights = Literal["linear", "quadratic"]


class Measure(Struct, frozen=True, eq=False):
    """What one statistic adds up over trials, and what it makes of the sums."""

    features: FloatArray
    """Trials x features."""
    disagreement: Callable[[FloatArray], tuple[FloatArray, FloatArray]]
    """From sums (rows x features) to the observed and the expected disagreement; NaN if undefined."""
    largest: float = 1.0
    """The most that one trial can add to the mean observed disagreement."""


def kappa_measure(found: Ratings, weights: Weights | None) -> Measure:
    q = len(found.categories)
    index = np.arange(q)
    apart = np.abs(index[:, None] - index[None, :]) / max(q - 1, 1)
    cost = apart**2 if weights == "quadratic" else apart if weights == "linear" else (apart > 0).astype(float)
    cells = np.zeros((len(found.codes), q * q))
    cells[np.arange(len(found.codes)), found.codes[:, 0] * q + found.codes[:, 1]] = 1.0

    def disagreement(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        joint = sums.reshape(-1, q, q) / sums.sum(axis=1)[:, None, None]
        left, right = joint.sum(axis=2), joint.sum(axis=1)
        observed = (joint * cost).sum(axis=(1, 2))
        expected = (left[:, :, None] * right[:, None, :] * cost).sum(axis=(1, 2))
        constant = (left.max(axis=1) == 1) | (right.max(axis=1) == 1)
        return observed, np.where(constant, np.nan, expected)

    return Measure(cells, disagreement)


def ac1_measure(found: Ratings) -> Measure:
    """Disagreement from trials with two ratings or more; how often a category is used, from all."""
    q = len(found.categories)
    counts = found.counts
    raters = counts.sum(axis=1, keepdims=True)
    paired = raters >= 2
    pairs = np.where(paired, raters * (raters - 1), 1.0)
    apart = np.where(paired, 1 - (counts * (counts - 1)).sum(axis=1, keepdims=True) / pairs, 0.0)
    features = np.concatenate((np.ones_like(raters), paired, apart, counts / raters), axis=1)

    def disagreement(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        use = sums[:, 3:] / sums[:, :1]
        chance = (use * (1 - use)).sum(axis=1) / max(q - 1, 1)
        twice = np.where(sums[:, 1] > 0, sums[:, 1], np.nan)
        return sums[:, 2] / twice, 1 - chance

    return Measure(features, disagreement)


def alpha_measure(found: Ratings, *, ordinal: bool) -> Measure:
    """Nominal and ordinal alpha from the coincidences: how often each two categories met on a trial."""
    q = len(found.categories)
    counts = found.counts
    raters = counts.sum(axis=1)
    met = counts[:, :, None] * (counts[:, None, :] - np.eye(q)) / (raters - 1)[:, None, None]

    def disagreement(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        met = sums.reshape(-1, q, q)
        use = met.sum(axis=2)
        n = use.sum(axis=1)
        cost = _ordinal_cost(use) if ordinal else 1.0 - np.eye(q)[None]
        observed = (met * cost).sum(axis=(1, 2)) / n
        expected = (use[:, :, None] * use[:, None, :] * cost).sum(axis=(1, 2)) / (n * (n - 1))
        return observed, expected

    use = met.sum(axis=(0, 2))[None]
    largest = float(_ordinal_cost(use).max()) if ordinal and q else 1.0
    return Measure(met.reshape(len(met), q * q), disagreement, largest)


def _ordinal_cost(use: FloatArray) -> FloatArray:
    """Squared count of ratings between two categories, ends counted half; one matrix per row of `use`."""
    middle = np.cumsum(use, axis=1) - use / 2
    return (middle[:, :, None] - middle[:, None, :]) ** 2


def interval_alpha_measure(found: Ratings) -> Measure:
    """Alpha with squared distances: sums and sums of squares are enough, however many values there are."""
    if not all(isinstance(c, int | float | np.number) for c in found.categories):
        raise UsageError("the interval metric needs numbers", found=found.categories, allowed="int or float")
    scale = np.array([*found.categories, np.nan], dtype=np.float64)
    values = scale[found.codes]  # -1, missing, picks the NaN at the end
    given = found.codes != MISSING
    values = np.where(given, values - np.nanmean(values) if given.any() else 0.0, 0.0)
    raters = given.sum(axis=1).astype(np.float64)
    total, squares = values.sum(axis=1), (values**2).sum(axis=1)
    apart = 2 * (raters * squares - total**2) / (raters - 1)
    features = np.stack((raters, total, squares, apart), axis=1)

    def disagreement(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        n = sums[:, 0]
        expected = 2 * (n * sums[:, 2] - sums[:, 1] ** 2) / (n * (n - 1))
        return sums[:, 3] / n, np.where(expected > 1e-12, expected, 0.0)

    spread = float(values[given].max() - values[given].min()) if given.any() else 0.0
    return Measure(features, disagreement, spread**2)
