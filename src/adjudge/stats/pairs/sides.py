"""The two sides of a comparison: each agent reduced to tables once, then cut to the tasks that both have.

An agent that is compared with many others is reduced only once; that is what makes all pairs of many
agents affordable.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from adjudge.stats.estimate import Bounds, Coverage, Policy
from adjudge.stats.pairs.flips import TIE
from adjudge.stats.trial_table import (
    FloatArray,
    Status,
    TaskTable,
    TrialTable,
    coverage_of,
    exact_mean,
    failures_worth_one,
    task_table,
)


class Side(Struct, frozen=True, eq=False):
    """One agent's tasks with a result; and all of them, with every machinery failure worth 0, and worth 1."""

    table: TaskTable
    worst: TaskTable
    best: TaskTable


class Pairs(Struct, frozen=True, eq=False):
    """Two tables cut down to the tasks they share, row by row."""

    a: TaskTable
    b: TaskTable

    @property
    def difference(self) -> FloatArray:
        """By task; means that are equal but for rounding, such as that of 0.1 and 0.7 and 0.4, are tied."""
        found = self.a.mean - self.b.mean
        return np.where(np.abs(found) <= TIE, 0.0, found)

    @property
    def coverage(self) -> Coverage:
        """Of both sides' trials on these tasks."""
        return coverage_of(self.a.statuses.sum(axis=0) + self.b.statuses.sum(axis=0))


def reduce_side(trials: TrialTable, *, policy: Policy = "zero", threshold: float | None = None) -> Side:
    """Reduce one agent's trials for comparison. A task that failed in every attempt has no result."""
    table = task_table(trials, policy=policy, threshold=threshold)
    if trials.coverage.verifier_failed == 0:
        return Side(table, table, table)
    worst = table if policy == "zero" else task_table(trials, threshold=threshold)
    failed = table.statuses[:, Status.VERIFIER_FAILED] == table.statuses.sum(axis=1)
    known = replace(table.rows(~failed), excluded=table.excluded + int(failed.sum()))
    return Side(known, worst, failures_worth_one(worst))


def align(a: TaskTable, b: TaskTable) -> Pairs:
    """The rows of the tasks that both tables have; maybe none. Clusters that only B knows count for A too."""
    _, at_a, at_b = np.intersect1d(a.task, b.task, assume_unique=True, return_indices=True)
    left, right = a.rows(at_a), b.rows(at_b)
    if left.cluster is None and right.cluster is not None:
        left = replace(left, cluster=right.cluster, cluster_key=right.cluster_key)
    return Pairs(left, right)


def bounds_of_difference(a: Side, b: Side) -> Bounds | None:
    """The difference with A's machinery failures worth 0 and B's worth 1, and the other way round.

    Over the tasks that both attempted, including those that `exclude` leaves out. None if the machinery
    failed on none of them.
    """
    low, high = align(a.worst, b.best), align(a.best, b.worst)
    if not len(low.difference) or (a.worst is a.best and b.worst is b.best):
        return None
    ends = exact_mean(low.a.mean) - exact_mean(low.b.mean), exact_mean(high.a.mean) - exact_mean(high.b.mean)
    return Bounds(low=ends[0], high=ends[1]) if ends[0] < ends[1] else None
