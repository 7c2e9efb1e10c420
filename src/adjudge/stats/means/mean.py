"""Mean reward: attempts first, then tasks; and how any per-task number of trials becomes an `Estimate`."""

from __future__ import annotations

from typing import Any

from adjudge.stats.estimate import Bounds, Estimate
from adjudge.stats.means.units import mean_of_units
from adjudge.stats.method import DEFAULT, Method
from adjudge.stats.trial_table import (
    FloatArray,
    TaskTable,
    TrialTable,
    exact_mean,
    failures_worth_one,
    task_table,
)


def mean_reward(
    trials: TrialTable,
    *,
    threshold: float | None = None,
    method: Method = DEFAULT,
) -> Estimate:
    """The mean reward over tasks; with a `threshold`, the pass rate: the share of attempts at or above it.

    No trials, or none with a result, give no value; one task gives a value without interval. Bounds are there
    if the machinery failed.
    """
    what = "mean reward" if threshold is None else f"share of attempts with reward >= {threshold:g}"
    table = task_table(trials, policy=method.policy, threshold=threshold)
    return estimate_over_tasks(
        trials,
        table,
        table.mean,
        f"{what}, attempts averaged by task, then tasks",
        bounds=_bounds(trials, table, threshold),
        method=method,
    )


def estimate_over_tasks(
    trials: TrialTable,
    table: TaskTable,
    values: FloatArray,
    what: str,
    *,
    bounds: Bounds | None,
    method: Method,
    caveats: tuple[str, ...] = (),
    missing: str | None = None,
) -> Estimate:
    """Average `values`, one per row of `table`, into an `Estimate` that says what it stands on.

    If nothing is left to average, or nothing but machinery failures, there is no value: the
    specification's 0.0 would be the machine's result, not the agent's. `missing` words the first case.
    """
    coverage = trials.coverage
    excluded = f"{count(table.excluded, 'task')} left out: every attempt failed in the machinery"
    common: dict[str, Any] = {
        "level": method.level,
        "method": what,
        "coverage": coverage,
        "policy": table.policy,
        "cluster_key": table.cluster_key,
        "notes": (excluded,) if table.excluded else (),
        "caveats": caveats,
    }
    reason = None
    if not len(trials):
        reason = "there are no trials"
    elif coverage.verifier_failed == coverage.trials:
        reason = (
            f"the machinery failed in {all_of(coverage.trials, 'trial')}: nothing is known about the rewards"
        )
    elif not len(values):
        reason = missing or "no task has an attempt that counts"
    if reason:
        return Estimate(value=None, n=0, bounds=bounds, reason=reason, **common)
    unit = mean_of_units(values, table.cluster, method=method)
    return Estimate(
        value=unit.value,
        interval=unit.interval,
        standard_error=unit.standard_error,
        n=len(values),
        bounds=bounds,
        seed=unit.seed,
        clusters=unit.clusters,
        reason=unit.reason,
        **{**common, "caveats": (*caveats, *unit.caveats)},
    )


def _bounds(trials: TrialTable, table: TaskTable, threshold: float | None) -> Bounds | None:
    """The mean with every machinery failure worth 0, and worth 1; None if there is none."""
    if trials.coverage.verifier_failed == 0:
        return None
    zero = table if table.policy == "zero" else task_table(trials, threshold=threshold)
    return Bounds(low=exact_mean(zero.mean), high=exact_mean(failures_worth_one(zero).mean))


def count(n: int, noun: str) -> str:
    """`1 task`, `2 tasks`."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def all_of(n: int, noun: str) -> str:
    """`the only trial`, `all 3 trials`."""
    return f"the only {noun}" if n == 1 else f"all {n} {noun}s"
