"""Prediction-powered mean: all the scores of a verifier or judge, plus a few labels by people.

The score f is there for every trial, the label Y for a few. The mean label is
l * mean(f unlabelled) + mean(Y - l * f labelled): whatever bias f has, the labelled trials take out. The
weight l = Cov(Y, f)/((1 + n/N) Var f) makes the variance smallest (PPI++): a useless f gets l = 0, which
leaves the plain mean of the labels.

That takes the labelled trials for a random sample. If they were chosen with unequal chances, each counts by
one over its chance, and the mean score is that of all trials, labelled or not (the difference estimator of
survey sampling). Trials of one cluster, such as attempts at one task, count as one in the error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError
from adjudge.stats.estimate import Estimate
from adjudge.stats.means.intervals import equal_values_interval, score_interval, t_interval
from adjudge.stats.method import DEFAULT, Method
from adjudge.stats.reviews.reviewed import effective_number, reviewed_mean
from adjudge.stats.trial_table import Codes, FloatArray, exact_mean


def prediction_powered_mean(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    unlabelled_scores: npt.ArrayLike,
    *,
    chances: npt.ArrayLike | None = None,
    cluster: Sequence[Any] | Codes | None = None,
    method: Method = DEFAULT,
) -> Estimate:
    """The mean of what people would label, in [0, 1]; `labels` and `scores` are of the same trials.

    `chances` are those with which the labelled trials were chosen, if they were not all the same; `cluster`
    is that of each labelled trial.

    No labels: undefined. One label: a value without interval. No unlabelled scores, or a constant score: the
    plain mean of the labels. No spread left at all: the interval for equal values. A mean beyond the range
    is cut off there.
    """
    level = method.level
    y, f, g = (np.asarray(x, np.float64) for x in (labels, scores, unlabelled_scores))
    if y.shape != f.shape or y.ndim != 1 or g.ndim != 1:
        raise UsageError("each label needs the score of the same trial", found=(y.shape, f.shape, g.shape))
    if not all(((x >= 0) & (x <= 1)).all() for x in (y, f, g)):
        raise UsageError("a label or a score is out of range", allowed="finite numbers from 0 to 1")
    n, rest = len(y), len(g)
    if n < 2:
        reason = "there are no labels" if n == 0 else "one label has no standard error"
        value = None if n == 0 else float(y[0])
        return Estimate(value=value, level=level, method="mean label", n=n, unit="labels", reason=reason)
    if chances is not None or cluster is not None:
        return _weighted(y, f, g, chances, cluster, method)
    order = np.lexsort((f, y))
    y, f, g = y[order], f[order], np.sort(g)
    weight = _weight(y, f, g)
    df = n - 1 if weight == 0 else n - 2  # the weight is estimated from the same labels
    value = exact_mean(y - weight * f) + (weight * exact_mean(g) if rest else 0.0)
    value = min(1.0, max(0.0, value))
    residual = _variance(y - weight * f) * (n - 1) / df
    # One score alone shows no variance of its own; with the labelled ones it does.
    unlabelled = _variance(g if rest > 1 else np.concatenate((f, g)))
    error = math.sqrt(residual / n + (weight**2 * unlabelled / rest if rest else 0.0))
    if error <= 1e-12:
        interval = equal_values_interval(value, n, level=level, low=0.0, high=1.0)
    else:  # the score interval has no width of its own at the range's edge, where Student's is cut off
        make = score_interval if 0 < value < 1 else t_interval
        interval = make(value, error, df, level=level, low=0.0, high=1.0)
    return Estimate(
        value=value,
        interval=interval,
        standard_error=error if error > 1e-12 else None,
        level=level,
        method=f"prediction-powered mean, weight {weight:.6g}, {rest} trials with a score alone",
        n=n,
        unit="labels",
    )


def _weighted(
    y: FloatArray,
    f: FloatArray,
    g: FloatArray,
    chances: npt.ArrayLike | None,
    cluster: Sequence[Any] | Codes | None,
    method: Method,
) -> Estimate:
    """Labels that count by one over their chances, around the mean score of all trials."""
    chance = np.broadcast_to(np.asarray(1.0 if chances is None else chances, np.float64), y.shape)
    if not ((chance > 0) & (chance <= 1)).all():
        raise UsageError("a chance is out of range", allowed="above 0, up to 1")
    weight = _weight(y, f, g)
    every = np.sort(np.concatenate((f, g)))
    # Shifted into [0, 1], so that the weighted mean of residuals has the errors of a reviewed mean.
    residual = y - weight * f
    low, high = min(0.0, -weight), 1.0 + max(0.0, -weight)
    scaled = (residual - low) / (high - low)
    mean = reviewed_mean(scaled.clip(0, 1), chance, cluster=cluster, method=method)
    value = low + (high - low) * (mean.value or 0.0) + weight * exact_mean(every)
    value = min(1.0, max(0.0, value))
    how = (
        f"prediction-powered mean, weight {weight:.6g}, labels by one over their chance, {len(every)} scores"
    )
    common: dict[str, Any] = {"level": method.level, "method": how, "n": len(y), "unit": "labels"}
    if mean.interval is None:
        return Estimate(value=value, reason=mean.reason, clusters=mean.clusters, **common)
    if mean.standard_error is None:
        alike = effective_number(chance, cluster)
        interval = equal_values_interval(value, alike, level=method.level, low=0.0, high=1.0)
        return Estimate(value=value, interval=interval, clusters=mean.clusters, **common)
    own = (high - low) * mean.standard_error
    error = math.sqrt(own**2 + weight**2 * _variance(every) / len(every))
    df = max(1.0, effective_number(chance, cluster) - (1 if weight == 0 else 2))
    make = score_interval if 0 < value < 1 else t_interval
    interval = make(value, error, df, level=method.level, low=0.0, high=1.0)
    return Estimate(value=value, interval=interval, standard_error=error, clusters=mean.clusters, **common)


def _weight(y: FloatArray, f: FloatArray, g: FloatArray) -> float:
    """The weight of the score; zero if it is constant, or if too little is there to weigh it by."""
    spread = _variance(np.concatenate((f, g)))
    if not len(g) or len(y) < 3 or spread <= 1e-15:
        return 0.0
    residual = f - exact_mean(f)
    covariance = math.fsum(((y - exact_mean(y)) * residual).tolist()) / (len(y) - 1)
    return covariance / ((1 + len(y) / len(g)) * spread)


def _variance(x: FloatArray) -> float:
    mean = exact_mean(x)
    return math.fsum(((x - mean) ** 2).tolist()) / (len(x) - 1)
