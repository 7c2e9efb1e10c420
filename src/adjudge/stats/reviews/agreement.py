"""Do raters agree more than chance would have them? Cohen's kappa, Krippendorff's alpha, Gwet's AC1.

All are 1 - observed/expected disagreement, functions of sums over trials (`disagreement.py`). So a
bootstrap only adds up features again, and the jackknife subtracts one trial's. Trials of one task, or of one
template, are agreed about together: with `cluster` (one code per row) whole clusters are drawn.

Kappa and alpha take chance from how often each category was used, and so are undefined if nothing
varies and jumpy if nearly everything passes. AC1 stays stable there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from adjudge.contracts import Interval
from adjudge.stats.estimate import Estimate
from adjudge.stats.means.bootstrap import bca_interval
from adjudge.stats.means.draws import index_blocks
from adjudge.stats.means.mean import count
from adjudge.stats.means.quantiles import steady, two_sided_z
from adjudge.stats.method import DEFAULT, Method
from adjudge.stats.reviews.disagreement import (
    Measure,
    Weights,
    ac1_measure,
    alpha_measure,
    interval_alpha_measure,
    kappa_measure,
)
from adjudge.stats.reviews.ratings import Ratings, Table, encode
from adjudge.stats.trial_table import FloatArray

RESAMPLES = 1999
Metric = Literal["nominal", "ordinal", "interval"]


def cohen_kappa(
    a: Sequence[Any],
    b: Sequence[Any],
    *,
    weights: Weights | None = None,
    categories: Sequence[Any] | None = None,
    cluster: Sequence[Any] | None = None,
    method: Method = DEFAULT,
) -> Estimate:
    """Cohen's kappa of two raters; weighted by the distance of ordered categories if asked.

    Trials that either has not rated are left out and counted. A rater who always says the same has no kappa.
    """
    found = encode(list(zip(a, b, strict=True)), categories=categories).paired
    name = f"Cohen's kappa, {weights} weights" if weights else "Cohen's kappa"
    constant = [
        f"rater {'AB'[i]} gave all {len(found.codes)} trials the same rating"
        for i in (0, 1)
        if len(found.codes) and (found.codes[:, i] == found.codes[0, i]).all()
    ]
    reason = f"{constant[0]}: chance and skill cannot be told apart" if constant else None
    return _estimate(
        found, kappa_measure(found, weights), name, reason=reason, method=method, cluster=cluster
    )


def krippendorff_alpha(
    table: Table,
    *,
    metric: Metric = "nominal",
    categories: Sequence[Any] | None = None,
    cluster: Sequence[Any] | None = None,
    method: Method = DEFAULT,
) -> Estimate:
    """Krippendorff's alpha of any number of raters, with missing ratings; `table` has one row per trial.

    `interval` needs numbers. Ratings that are all the same leave nothing to disagree about: no alpha.
    """
    found = encode(table, categories=categories).paired
    measure = (
        interval_alpha_measure(found)
        if metric == "interval"
        else alpha_measure(found, ordinal=metric == "ordinal")
    )
    return _estimate(found, measure, f"Krippendorff's alpha, {metric}", method=method, cluster=cluster)


def gwet_ac1(
    table: Table,
    *,
    categories: Sequence[Any] | None = None,
    cluster: Sequence[Any] | None = None,
    method: Method = DEFAULT,
) -> Estimate:
    """Gwet's AC1 of any number of raters, with missing ratings; stable when nearly all pass.

    Chance depends on how many categories there are, used or not: give `categories`. With one, no AC1.
    """
    found = encode(table, categories=categories)
    reason = None
    if len(found.categories) == 1:
        reason = f"only the category {found.categories[0]} occurs: name all categories to define chance"
    return _estimate(found, ac1_measure(found), "Gwet's AC1", reason=reason, method=method, cluster=cluster)


def _estimate(
    found: Ratings,
    measure: Measure,
    name: str,
    *,
    method: Method,
    cluster: Sequence[Any] | None,
    reason: str | None = None,
) -> Estimate:
    n = len(found.paired.codes)
    notes = []
    if found.missing:
        notes.append(f"{count(found.missing, 'rating')} missing or deferred")
    if found.short:
        notes.append(f"{count(found.short, 'trial')} with fewer than two ratings cannot show agreement")
    common: dict[str, Any] = {
        "level": method.level,
        "method": name,
        "n": n,
        "unit": "trials",
        "notes": tuple(notes),
    }
    if n < 2:
        reason = "only one trial has two ratings" if n else "no trial has two ratings"
        return Estimate(value=None, reason=reason, **common)
    features = measure.features
    if cluster is not None:
        common["unit"] = "trials"
        features = _by_cluster(found, features, cluster)
        common["clusters"] = len(features)
        if len(features) < 2:
            reason = "every trial lies in one cluster, which shows no spread"
            return Estimate(value=None, reason=reason, **common)
    # In the order of what they hold, so that row order cannot matter.
    features = features[np.lexsort(features.T)]
    total = features.sum(axis=0, keepdims=True)
    observed, expected = (float(part[0]) for part in measure.disagreement(total))
    if reason or not expected > 0:
        reason = reason or "every rating is the same: there is nothing to disagree about"
        return Estimate(value=None, reason=reason, **common)
    value = steady(1 - observed / expected)
    if observed == 0:
        interval = _perfect(measure.largest / expected, len(features), method.level)
        return Estimate(value=1.0, interval=interval, **common)
    interval_or_none, undefined = _bootstrap(measure, features, value, method)
    if undefined:
        common["notes"] = (
            *notes,
            f"undefined in {undefined} of {method.draws(RESAMPLES)} resamples, which are left out",
        )
    why = (
        None
        if interval_or_none
        else "too many resamples leave it undefined, or show no spread, for an interval"
    )
    return Estimate(value=value, interval=interval_or_none, seed=method.seed, reason=why, **common)


def _by_cluster(found: Ratings, features: FloatArray, cluster: Sequence[Any]) -> FloatArray:
    """Add up the features of each cluster's trials: the bootstrap then draws whole clusters."""
    rows = found.rows if len(found.rows) == len(features) else found.paired.rows
    codes = np.unique(np.asarray(cluster)[rows], return_inverse=True)[1]
    order = np.lexsort((*features.T, codes))  # sums must not depend on row order
    sums = np.zeros((int(codes.max()) + 1, features.shape[1]))
    np.add.at(sums, codes[order], features[order])
    return sums


def _bootstrap(
    measure: Measure, features: FloatArray, value: float, method: Method
) -> tuple[Interval | None, int]:
    """Resample trials; the interval, and how many resamples left the statistic undefined.

    None if more than a tenth are: those left would be a selection of the data, not a sample of it.
    """
    resamples = method.draws(RESAMPLES)
    patterns, owner, times = np.unique(features, axis=0, return_inverse=True, return_counts=True)
    drawn = []
    for rows in index_blocks(method.seed, resamples, len(features)):
        cells = owner.reshape(-1)[rows] + np.arange(len(rows))[:, None] * len(patterns)
        weights = np.bincount(cells.ravel(), minlength=len(rows) * len(patterns)).reshape(len(rows), -1)
        drawn.append(_ratio(measure, weights.astype(np.float64) @ patterns))
    replicates = np.concatenate(drawn)
    defined = replicates[~np.isnan(replicates)]
    undefined = len(replicates) - len(defined)
    left_out = _ratio(measure, features.sum(axis=0) - patterns)
    known = ~np.isnan(left_out)
    if undefined > resamples / 10 or not known.any():
        return None, undefined
    weights_known = times[known].astype(np.float64)
    return bca_interval(value, defined, left_out[known], level=method.level, weights=weights_known), undefined


def _ratio(measure: Measure, sums: FloatArray) -> FloatArray:
    observed, expected = measure.disagreement(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(expected > 0, 1 - observed / expected, np.nan)
    # Matrix products differ in the last digit from machine to machine; the interval must not.
    return ratio.round(12)


def _perfect(scale: float, n: int, level: float) -> Interval:
    """No disagreement in n trials: Wilson puts the share that would disagree below u = z²/(n + z²)."""
    z = two_sided_z(level)
    low = max(-1.0, 1 - scale * z * z / (n + z * z))
    return Interval(
        low=low, high=1.0, level=level, method="Wilson bound on the share of trials in disagreement"
    )
