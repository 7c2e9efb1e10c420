"""pass@k and pass^k from stored rewards: does one of k attempts succeed, do all k of them?

Of a task's n attempts, c succeeded (reward at or above the threshold). Over all ways to pick k of the n,
the share with at least one success is 1 - C(n-c, k)/C(n, k), the share with nothing but successes
C(c, k)/C(n, k): unbiased for any n >= k, which 1 - (1 - c/n)^k is not. A task with fewer than k attempts
cannot say and is left out. If such tasks are the hard ones, the number is too high: so a caveat says how many
they are and how they fared, `left_out` lists them, and `largest_k` is the k up to which every task counts.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from adjudge.errors import UsageError
from adjudge.stats.estimate import Bounds, Estimate
from adjudge.stats.means.mean import count, estimate_over_tasks
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

    Undefined, with a reason, if no task has k attempts. `k` below 1 is refused.
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

    Undefined, with a reason, if no task has k attempts. `k` below 1 is refused.
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
    caveats = _caveats(table, enough, name, k)
    most = int(table.attempts.max()) if len(table) else 0
    return estimate_over_tasks(
        trials,
        enough,
        _chances(enough, k, every),
        f"{name} at reward >= {threshold:g}, averaged over tasks",
        bounds=_bounds(trials, k, threshold, every),
        method=method,
        caveats=caveats,
        missing=f"no task has {k} attempts; the most is {most}",
    )


class ShortTask(Struct, frozen=True):
    """A task with too few attempts for a k."""

    task: int | str
    attempts: int
    successes: int


def left_out(
    trials: TrialTable, k: int, *, threshold: float = 1.0, method: Method = DEFAULT
) -> tuple[ShortTask, ...]:
    """The tasks that pass@k and pass^k leave out, those with the smallest share of successes first."""
    table = task_table(trials, policy=method.policy, threshold=threshold)
    short = table.rows(table.attempts < k)
    successes = np.rint(short.mean * short.attempts).astype(np.int64)
    order = np.lexsort((short.task, short.attempts, short.mean))
    return tuple(
        ShortTask(short.task[at].item(), int(short.attempts[at]), int(successes[at])) for at in order
    )


def largest_k(trials: TrialTable, *, method: Method = DEFAULT) -> int | None:
    """The largest k for which pass@k counts every task; None without a task."""
    attempts = task_table(trials, policy=method.policy).attempts
    return int(attempts.min()) if len(attempts) else None


def _caveats(table: TaskTable, enough: TaskTable, name: str, k: int) -> tuple[str, ...]:
    short = table.rows(table.attempts < k)
    if not len(short) or not len(enough):
        return ()
    fewest = int(table.attempts.min())
    other = f"; {name.rstrip('0123456789')}{fewest} counts every task" if fewest > 1 else ""
    return (
        f"{name} counts {len(enough)} of {count(len(table), 'task')}: {len(short)} with fewer than {k} "
        f"attempts left out, which pass {100 * exact_mean(short.mean):.0f} % of their attempts, against "
        f"{100 * exact_mean(enough.mean):.0f} % of those counted{other}",
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
    """Over the tasks with k attempts of any kind; None if there are none, or no machinery failure."""
    if trials.coverage.verifier_failed == 0:
        return None
    low, high = (task_table(trials.assume(worth), threshold=threshold) for worth in (0.0, 1.0))
    low, high = low.rows(low.attempts >= k), high.rows(high.attempts >= k)
    if not len(low):
        return None
    return Bounds(low=exact_mean(_chances(low, k, every)), high=exact_mean(_chances(high, k, every)))
