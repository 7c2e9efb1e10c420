"""The mean over units (tasks, mostly), its standard error, and the interval that suits the values.

Every mean of per-task values - rewards, pass@k, differences of two agents - goes through `mean_of_units`,
so that there is one definition of its error (`errors.py`).
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct

from adjudge.contracts import Interval
from adjudge.errors import UsageError
from adjudge.stats.means.bootstrap import bootstrap_mean
from adjudge.stats.means.errors import effective_clusters, standard_error
from adjudge.stats.means.intervals import (
    clopper_pearson_interval,
    equal_values_interval,
    score_interval,
    t_interval,
    wide_wilson_interval,
    wilson_interval,
)
from adjudge.stats.method import DEFAULT, Method
from adjudge.stats.trial_table import Codes, FloatArray, exact_mean

ENOUGH = 10
"""Tasks, or clusters of equal size, from which on intervals of a mean cover what they promise."""


class UnitMean(Struct, frozen=True):
    """The mean over units, its error and interval; `reason` if either is absent."""

    value: float
    standard_error: float | None
    interval: Interval | None
    clusters: int | None
    seed: int | None = None
    reason: str | None = None
    caveats: tuple[str, ...] = ()


def mean_of_units(
    values: FloatArray,
    cluster: Codes | None = None,
    *,
    low: float = 0.0,
    high: float = 1.0,
    method: Method = DEFAULT,
    unit: str = "task",
) -> UnitMean:
    """The mean of at least one value between `low` and `high`, one per unit.

    One unit, or one cluster, has no standard error and no interval. Values without spread have no standard
    error (zero would claim certainty), and an interval from `equal_values_interval`.
    """
    mean = exact_mean(values)
    level, kind = method.level, method.interval
    codes = None if cluster is None else np.unique(cluster, return_inverse=True)[1].astype(np.int64)
    groups = len(values) if codes is None else int(codes.max()) + 1
    clusters = None if codes is None else groups
    binary = codes is None and (low, high) == (0, 1) and bool(np.isin(values, (0.0, 1.0)).all())
    if kind in ("wilson", "exact") and not binary:
        raise UsageError(
            f"the {kind!r} interval is for independent values of 0 or 1",
            allowed="'score', 't' or 'bca' here",
            remedy="Set a threshold and take one attempt per task, or choose another method.",
        )
    if groups < 2:
        only = f"one {unit} has" if len(values) == 1 else f"one cluster of {len(values)} {unit}s has"
        reason = f"{only} no standard error: it cannot show how much others would differ"
        return UnitMean(mean, None, None, clusters, reason=reason)
    error, df = standard_error(values, mean, codes)
    caveats = few_caveat(
        groups if codes is None else min(effective_clusters(codes), df + 1), codes is not None
    )
    caveats += _spike_caveat(
        values, caveats, groups if codes is None else effective_clusters(codes), high - low
    )
    if binary and kind in ("score", "wilson"):
        wilson = wide_wilson_interval if kind == "score" else wilson_interval
        interval = wilson(round(mean * groups), groups, level=level)
        return UnitMean(mean, error, interval, None, caveats=caveats)
    if kind == "exact":
        interval = clopper_pearson_interval(round(mean * groups), groups, level=level)
        return UnitMean(mean, error, interval, None)
    if error is None:
        alike = groups if codes is None else effective_clusters(codes)
        interval = equal_values_interval(mean, alike, level=level, low=low, high=high)
        return UnitMean(mean, None, interval, clusters, caveats=caveats)
    if kind == "bca":
        drawn = bootstrap_mean(values, codes, method=method)
        why_not = None if drawn else "too few distinct resamples for a bootstrap interval"
        return UnitMean(mean, error, drawn, clusters, method.seed, why_not, caveats)
    if kind == "t":
        interval = t_interval(mean, error, df, level=level, low=low, high=high)
    else:
        cautious = error * _caution(values, mean)
        interval = score_interval(mean, cautious, df, level=level, low=low, high=high)
    return UnitMean(mean, error, interval, clusters, caveats=caveats)


def few_caveat(alike: float, clustered: bool, *, enough: float = ENOUGH) -> tuple[str, ...]:
    """What to say beside an interval from fewer tasks, or clusters that weigh like fewer, than are enough."""
    if alike >= enough:
        return ()
    unseen = 100 * (1 - 0.05 ** (1 / alike))
    who = f"the clusters weigh like {alike:.0f} of equal size" if clustered else f"only {alike:.0f} tasks"
    return (
        f"{who}: a kind that makes up {unseen:.0f} % of all tasks may be missing, which no interval shows",
    )


def _spike_caveat(values: FloatArray, said: tuple[str, ...], alike: float, width: float) -> tuple[str, ...]:
    """What to say if most values are one and the same and the others lie close by.

    One far away, as a task that always fails among tasks that nearly always pass, would move the mean by more
    than the whole interval. With 1 to 50 attempts per task and a rate of 99 %, 10 to 19 % of intervals miss
    (benchmarks/simulate.py).
    """
    common = float(np.median(values))
    same = int(np.count_nonzero(values == common))
    farthest = float(np.abs(values - common).max())
    if said or 2 * same <= len(values) or not 0 < farthest < width / 4:
        return ()
    unseen = 100 * (1 - 0.05 ** (1 / alike))
    return (
        f"{same:,} of {len(values):,} have exactly {common:g}, and no other is further than {farthest:.3g} "
        f"from it: a kind that makes up {unseen:.2g} % of all tasks and lies far away may be missing, which "
        "no interval shows",
    )


def _caution(values: FloatArray, mean: float) -> float:
    """What to multiply the error by if more than half of the values are one and the same; else 1.

    The few others then make up the whole spread, and the ones not seen yet may lie further out: with nearly
    all rewards 1, the plain interval covers 91 % at 50 tasks. So up to one pseudo-value joins them, as far
    from the common value as the farthest seen; its weight grows from 0, if half of the values are the
    same, to 1, if all are (benchmarks/simulate.py, "nearly all 1").
    """
    n = len(values)
    common = float(np.median(values))  # whatever more than half of the values are is their median
    weight = 2 * np.count_nonzero(values == common) / n - 1
    if weight <= 0:
        return 1.0
    squares = math.fsum(((values - mean) ** 2).tolist())
    farthest = float(np.abs(values - common).max())
    return math.sqrt((squares + weight * farthest**2) / (n - 1 + weight) / (squares / (n - 1)))
