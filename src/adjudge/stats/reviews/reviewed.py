"""What people would say of all trials, from the few they reviewed, if it is known how those were chosen.

Reviews are seldom a random sample: people look where verifier and judge disagree, or where the reward is low.
Their plain mean then describes what was picked. If each trial's probability of being chosen is known, a
review counts by its inverse (Horvitz and Thompson; as a ratio, Hájek), which undoes the choice. If it is not
known, there is no estimate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError
from adjudge.stats.estimate import Estimate
from adjudge.stats.means.bootstrap import cluster_sums
from adjudge.stats.means.errors import NO_SPREAD
from adjudge.stats.means.intervals import equal_values_interval, score_interval
from adjudge.stats.method import DEFAULT, Method
from adjudge.stats.trial_table import FloatArray

UNKNOWN = (
    "nobody recorded how the reviewed trials were chosen: those picked by disagreement or by reward say "
    "nothing about the rest"
)


def reviewed_mean(
    labels: npt.ArrayLike,
    chances: npt.ArrayLike | None,
    *,
    cluster: Sequence[Any] | None = None,
    method: Method = DEFAULT,
) -> Estimate:
    """The mean label, in [0, 1], over all trials that could have been chosen for review.

    `chances` are the probabilities with which the reviewed trials were chosen, above 0 and up to 1; a single
    number if all had the same; None if they are not known, which gives no estimate. No labels give none
    either, and one label, or one cluster, a value without interval.
    """
    y = np.asarray(labels, np.float64)
    common: dict[str, Any] = {"level": method.level, "n": len(y), "unit": "reviews"}
    how = "mean over all trials, reviews weighted by one over their chance of being chosen"
    if chances is None:
        return Estimate(value=None, method=how, reason=UNKNOWN, **common)
    if not len(y):
        return Estimate(value=None, method=how, reason="there are no reviews", **common)
    chance = np.broadcast_to(np.asarray(chances, np.float64), y.shape)
    if not ((chance > 0) & (chance <= 1)).all() or not ((y >= 0) & (y <= 1)).all():
        raise UsageError(
            "a label or a chance is out of range", allowed="labels 0 to 1, chances above 0, up to 1"
        )
    codes = np.arange(len(y)) if cluster is None else np.unique(np.asarray(cluster), return_inverse=True)[1]
    order = np.lexsort((y, chance, codes))
    y, chance, codes = y[order], chance[order], codes[order].astype(np.int64)
    weight = 1 / chance
    total = math.fsum(weight.tolist())
    value = min(1.0, max(0.0, math.fsum((weight * y).tolist()) / total))
    groups = int(codes.max()) + 1
    clusters = None if cluster is None else groups
    if groups < 2:
        reason = "one review has no standard error" if len(y) == 1 else "one cluster has no standard error"
        return Estimate(value=value, method=how, reason=reason, clusters=clusters, **common)
    sums = cluster_sums(weight * (y - value), codes)
    shares = cluster_sums(weight, codes) / total
    # As for clusters of unequal size: a group that weighs much takes its own residual away.
    squares = math.fsum((sums**2 / np.maximum(1 - shares, 1 / groups)).tolist())
    error = math.sqrt(squares) / total
    alike = 1 / math.fsum((shares**2).tolist())
    if error <= NO_SPREAD:
        interval = equal_values_interval(value, alike, level=method.level, low=0.0, high=1.0)
        return Estimate(value=value, interval=interval, method=how, clusters=clusters, **common)
    interval = score_interval(value, error, max(1.0, alike - 1), level=method.level, low=0.0, high=1.0)
    return Estimate(
        value=value, interval=interval, standard_error=error, method=how, clusters=clusters, **common
    )


def inclusion_chances(strata: Sequence[Any], chosen: Sequence[bool]) -> FloatArray:
    """The chance of each trial to be chosen, if a known number was drawn at random within each stratum.

    `strata` and `chosen` are of all trials: say, the verifier's verdict, and whether the trial was reviewed.
    A stratum of which nothing was drawn has a chance of 0: its trials are not described by the others.
    """
    codes = np.unique(np.asarray(strata), return_inverse=True)[1]
    drawn = np.bincount(codes, weights=np.asarray(chosen, np.float64))
    chances: FloatArray = (drawn / np.bincount(codes))[codes]
    return chances
