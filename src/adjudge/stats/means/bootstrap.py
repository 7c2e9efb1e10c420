"""The BCa bootstrap: resample units (or whole clusters), correct the percentiles for bias and skew.

`bca_interval` is the arithmetic, from replicates that somebody drew; `bootstrap_mean` draws them for the
mean of a few units. Replicates that are all equal carry no interval, and `None` says so.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from adjudge.contracts import Interval
from adjudge.stats.means.draws import index_blocks
from adjudge.stats.means.quantiles import normal_quantile, normal_tail
from adjudge.stats.method import DEFAULT, Method
from adjudge.stats.trial_table import FloatArray, IntArray

RESAMPLES = 9999


def bca_interval(
    value: float,
    replicates: FloatArray,
    jackknife: FloatArray,
    *,
    level: float = 0.95,
    weights: FloatArray | None = None,
) -> Interval | None:
    """Efron's bias-corrected and accelerated interval; None if the replicates show no spread.

    `jackknife` holds the estimate with each unit left out; `weights` says how many units each stands for.
    """
    below = (np.count_nonzero(replicates < value) + np.count_nonzero(replicates <= value)) / 2
    if not 0 < below < len(replicates) or replicates.min() == replicates.max():
        return None
    bias = normal_quantile(below / len(replicates))
    weights = np.ones(len(jackknife)) if weights is None else weights
    pull = math.fsum((weights * jackknife).tolist()) / math.fsum(weights.tolist()) - jackknife
    squares = math.fsum((weights * pull**2).tolist())
    skew = 0.0 if squares == 0 else math.fsum((weights * pull**3).tolist()) / (6 * squares**1.5)

    def end(p: float) -> float:
        shifted = bias + normal_quantile(p)
        return float(np.quantile(replicates, normal_tail(bias + shifted / (1 - skew * shifted))))

    low, high = end((1 - level) / 2), end((1 + level) / 2)
    if not low < high:
        return None
    return Interval(low=low, high=high, level=level, method=f"BCa bootstrap, {len(replicates)} resamples")


def bootstrap_mean(
    values: FloatArray,
    cluster: IntArray | None = None,
    *,
    method: Method = DEFAULT,
) -> Interval | None:
    """BCa interval for the mean of `values`; whole clusters are drawn if there are any.

    None if there are fewer than two units to draw from, or if no spread shows.
    """
    if cluster is None:
        sums, sizes = np.sort(values), np.ones(len(values))
    else:
        sums, sizes = cluster_sums(values, cluster), np.bincount(cluster).astype(np.float64)
        order = np.lexsort((sizes, sums))  # by what they hold, so that no name decides what is drawn
        sums, sizes = sums[order], sizes[order]
    units = len(sums)
    if units < 2:
        return None
    total, count = math.fsum(sums.tolist()), math.fsum(sizes.tolist())
    blocks = index_blocks(method.seed, method.draws(RESAMPLES), units)
    replicates = np.concatenate([sums[rows].sum(axis=1) / sizes[rows].sum(axis=1) for rows in blocks])
    return bca_interval(total / count, replicates, (total - sums) / (count - sizes), level=method.level)


def cluster_sums(values: FloatArray, cluster: IntArray) -> FloatArray:
    """The sum of each cluster's values, rounded once: neither row order nor a change of signs can matter."""
    together = values[np.argsort(cluster, kind="stable")].tolist()
    ends = np.cumsum(np.bincount(cluster)).tolist()
    return np.array([math.fsum(together[a:b]) for a, b in pairwise([0, *ends])])
