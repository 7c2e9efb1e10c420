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
from adjudge.stats.trial_table import Codes, FloatArray

UNKNOWN = (
    "nobody recorded how the reviewed trials were chosen: those picked by disagreement or by reward say "
    "nothing about the rest"
)


def reviewed_mean(
    labels: npt.ArrayLike,
    chances: npt.ArrayLike | None,
    *,
    cluster: Sequence[Any] | Codes | None = None,
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


def effective_number(chances: FloatArray, cluster: Sequence[Any] | Codes | None) -> float:
    """How many reviews (or clusters of them) of equal weight these weigh like."""
    weight = 1 / chances
    if cluster is not None:
        codes = np.unique(np.asarray(cluster), return_inverse=True)[1].astype(np.int64)
        weight = cluster_sums(weight, codes)
    return float(weight.sum() ** 2 / (weight**2).sum())


def effective_counts(
    hits: npt.ArrayLike, chances: npt.ArrayLike, cluster: Sequence[Any] | Codes | None = None
) -> tuple[float, float]:
    """Of how many independent trials, drawn alike, how many would be hits: as sure as these are.

    The share is weighted by one over the chances; the number is that of coin flips with its variance. (0, 0)
    of nothing. A share of 0 or 1 shows no variance: then the number is that of equal weights.
    """
    hit = np.asarray(hits, np.float64)
    if not len(hit):
        return 0.0, 0.0
    chance = np.broadcast_to(np.asarray(chances, np.float64), hit.shape)
    weight = 1 / chance
    share = float((weight * hit).sum() / weight.sum())
    alike = effective_number(chance, cluster)
    residual = weight * (hit - share)
    if cluster is not None:
        residual = cluster_sums(
            residual, np.unique(np.asarray(cluster), return_inverse=True)[1].astype(np.int64)
        )
    variance = float((residual**2).sum() / weight.sum() ** 2)
    n = alike if variance <= NO_SPREAD**2 else share * (1 - share) / variance
    return share * n, n


def why_not_a_sample(chances: npt.ArrayLike, population: int) -> str | None:
    """Why reviews with these chances do not describe a population of so many trials; None if they may.

    One over the chances adds up to the number of trials, give or take what a draw leaves to chance. If it
    does not, some trials could not have been chosen (only disagreements were), or the chances are wrong.
    """
    chance = np.asarray(chances, np.float64)
    stands_for = float((1 / chance).sum())
    slack = 4 * math.sqrt(float(((1 - chance) / chance**2).sum())) + 1e-6 * population
    if abs(stands_for - population) <= slack:
        return None
    return (
        f"the {len(chance):,} trials chosen with a known probability stand, by their probabilities, for "
        f"{stands_for:,.0f} of {population:,} trials: "
        + (
            "the others could not have been chosen, or their probabilities are not recorded"
            if stands_for < population
            else "they were chosen more than once, or their probabilities are too small"
        )
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
