"""pass@k and pass^k from stored rewards: does one of k attempts succeed, do all k of them?

Of a task's n attempts, c succeeded (reward at or above the threshold). Over all ways to pick k of the n,
the share with at least one success is 1 - C(n-c, k)/C(n, k), the share with nothing but successes
C(c, k)/C(n, k): unbiased for any n >= k, where 1 - (1 - c/n)^k is not. A task with fewer than k attempts
cannot say, and is left out and counted.
"""

from __future__ import annotations

import numpy as np

from adjudge.errors import UsageError
from adjudge.stats.estimate import Bounds, Estimate
from adjudge.stats.mean import count, estimate_over_tasks
from adjudge.stats.method import DEFAULT, Method
from adjudge.stats.trial_table import FloatArray, TaskTable, TrialTable, exact_mean, task_table


def pass_at_k(
    trials: TrialTable,
    k: int,
    *,
    threshold: float = 1.0,
    method: Method = DEFAULT,
) -> Estimate:
    """The chance that at least one of k attempts succeeds, averaged over tasks with k attempts or more.

    Undefined, with a reason, where no task has k attempts. `k` below 1 is refused.
    """
    return _estimate(trials, k, every=False, threshold=threshold, method=method)


def pass_hat_k(
    trials: TrialTable,
    k: int,
    *,
    threshold: float = 1.0,
    method: Method = DEFAULT,
) -> Estimate:
    """pass^k, the chance that all of k attempts succeed, averaged over tasks with k attempts or more.

    Undefined, with a reason, where no task has k attempts. `k` below 1 is refused.
    """
    return _estimate(trials, k, every=True, threshold=threshold, method=method)


def _estimate(
    trials: TrialTable,
    k: int,
    *,
    every: bool,
    threshold: float,
    method: Method,
) -> Estimate:
    name = f"pass^{k}" if every else f"pass@{k}"
    if k < 1:
        raise UsageError(f"{name} needs at least one attempt", found=k, allowed="a whole number of 1 or more")
    table = task_table(trials, policy=method.policy, threshold=threshold)
    enough = table.rows(table.attempts >= k)
    short = len(table) - len(enough)
    notes = (f"{count(short, 'task')} left out: fewer than {k} attempts",) if short else ()
    most = int(table.attempts.max()) if len(table) else 0
    return estimate_over_tasks(
        trials,
        enough,
        _chances(enough, k, every),
        f"{name} at reward >= {threshold:g}, averaged over tasks",
        bounds=_bounds(trials, k, threshold, every),
        method=method,
        notes=notes,
        missing=f"no task has {k} attempts; the most is {most}",
    )


def _chances(table: TaskTable, k: int, every: bool) -> FloatArray:
    """C(x, k)/C(n, k) = product of (x - j)/(n - j): x the successes for pass^k, the failures for pass@k."""
    n = table.attempts.astype(np.float64)
    successes = np.rint(table.mean * n)
    wanted = successes if every else n - successes
    share = np.ones(len(n))
    for j in range(k):
        share *= np.maximum(wanted - j, 0.0) / (n - j)
    return share if every else 1.0 - share


def _bounds(trials: TrialTable, k: int, threshold: float, every: bool) -> Bounds | None:
    """Over the tasks with k attempts of any kind; None where there are none, or no machinery failure."""
    if trials.coverage.verifier_failed == 0:
        return None
    low, high = (task_table(trials.assume(worth), threshold=threshold) for worth in (0.0, 1.0))
    low, high = low.rows(low.attempts >= k), high.rows(high.attempts >= k)
    if not len(low):
        return None
    return Bounds(low=exact_mean(_chances(low, k, every)), high=exact_mean(_chances(high, k, every)))
