"""Trials as columns, and their reduction to one row per task: where every estimate of a reward starts.

The task is the unit. Attempts at one task are averaged first, because they say nothing new about how the
agent does on other tasks. An output that does not parse is worth 0.0 by the specification. A machinery
failure is worth what the `Policy` says; `TrialTable.assume` gives the trials as they would be, had it been
worth something else.

Sums are taken in an order that depends on the values alone, so no result depends on row order or on how
tasks are numbered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from adjudge.errors import UsageError
from adjudge.stats.estimate import Coverage, Policy

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Codes = npt.NDArray[Any]
"""Integers or strings that name something; equal means the same thing."""


class Status(IntEnum):
    """What became of a trial. An output that does not parse is worth 0.0 whether or not a verifier ran."""

    SCORED = 0
    UNPARSEABLE = 1
    VERIFIER_FAILED = 2


def status_codes(output_parseable: npt.ArrayLike, verifier_completed: npt.ArrayLike) -> npt.NDArray[np.int8]:
    """The status of each trial from its two validity flags."""
    completed = np.where(np.asarray(verifier_completed, bool), Status.SCORED, Status.VERIFIER_FAILED)
    return np.where(np.asarray(output_parseable, bool), completed, Status.UNPARSEABLE).astype(np.int8)


class TrialTable(Struct, frozen=True, eq=False):
    """The trials of one agent as columns of equal length; make it with `TrialTable.of`, which checks them."""

    task: Codes
    reward: FloatArray
    status: npt.NDArray[np.int8]
    cluster: Codes | None = None
    cluster_key: str | None = None

    @classmethod
    def of(
        cls,
        task: npt.ArrayLike,
        reward: npt.ArrayLike,
        *,
        status: npt.ArrayLike | None = None,
        cluster: npt.ArrayLike | None = None,
        cluster_key: str | None = None,
    ) -> TrialTable:
        """Check and convert the columns; all scored if no `status` is given. No trials at all is allowed.

        The reward of a trial that is not scored is ignored, whatever it is.
        """
        tasks = np.asarray(task)
        rewards = np.array(reward, dtype=np.float64)
        statuses = np.zeros(len(tasks), np.int8) if status is None else np.asarray(status).astype(np.int8)
        clusters = None if cluster is None else np.asarray(cluster)
        for name, column in (("reward", rewards), ("status", statuses), ("cluster", clusters)):
            if column is not None and column.shape != tasks.shape:
                raise UsageError(
                    "columns must be of equal length",
                    field=name,
                    found=column.shape,
                    allowed=f"{tasks.shape}, as `task`",
                )
        unscored = statuses != Status.SCORED
        if not np.isin(statuses, [int(s) for s in Status]).all():
            raise UsageError("not a status", field="status", found=int(statuses.max()), allowed="0, 1 or 2")
        rewards[unscored] = 0.0
        wrong = ~((rewards >= 0) & (rewards <= 1))
        if wrong.any():
            raise UsageError(
                "a reward is out of range",
                field="reward",
                found=float(rewards[wrong][0]),
                allowed="a finite number from 0 to 1",
            )
        return cls(tasks, rewards + 0.0, statuses, clusters, cluster_key)

    def rows(self, index: npt.NDArray[Any]) -> TrialTable:
        """These rows only."""
        cluster = None if self.cluster is None else self.cluster[index]
        return TrialTable(self.task[index], self.reward[index], self.status[index], cluster, self.cluster_key)

    def assume(self, reward: float) -> TrialTable:
        """The trials as they would be, had each machinery failure earned `reward`."""
        failed = self.status == Status.VERIFIER_FAILED
        return TrialTable(
            self.task,
            np.where(failed, reward, self.reward),
            np.where(failed, np.int8(Status.SCORED), self.status),
            self.cluster,
            self.cluster_key,
        )

    @property
    def coverage(self) -> Coverage:
        return coverage_of(np.bincount(self.status, minlength=3))

    def __len__(self) -> int:
        return len(self.task)


def coverage_of(counts: npt.NDArray[Any]) -> Coverage:
    """The coverage that says how many trials have each `Status`, in its order."""
    return Coverage(scored=int(counts[0]), unparseable=int(counts[1]), verifier_failed=int(counts[2]))


def split(trials: TrialTable, group: npt.ArrayLike) -> dict[Any, TrialTable]:
    """The trials of each group (an agent, a category), keyed by its code, in the order of the codes.

    No trials have no groups.
    """
    codes, inverse, sizes = np.unique(np.asarray(group), return_inverse=True, return_counts=True)
    order = np.argsort(inverse, kind="stable")
    ends = np.cumsum(sizes)
    return {
        code.item(): trials.rows(order[end - size : end])
        for code, size, end in zip(codes, sizes, ends, strict=True)
    }


class TaskTable(Struct, frozen=True, eq=False):
    """One row per task, sorted by task code; only tasks with at least one attempt that counts."""

    task: Codes
    mean: FloatArray
    """Over the attempts that count."""
    attempts: IntArray
    """How many attempts count."""
    within: FloatArray
    """The variance between the attempts that count; NaN if there is only one."""
    statuses: IntArray
    """Tasks x 3: how many attempts of any kind have each `Status`."""
    cluster: Codes | None
    cluster_key: str | None
    coverage: Coverage
    policy: Policy
    excluded: int
    """How many tasks have no attempt that counts."""

    def rows(self, index: npt.NDArray[Any]) -> TaskTable:
        """These rows only; coverage stays that of all trials."""
        return replace(
            self,
            task=self.task[index],
            mean=self.mean[index],
            attempts=self.attempts[index],
            within=self.within[index],
            statuses=self.statuses[index],
            cluster=None if self.cluster is None else self.cluster[index],
        )

    def __len__(self) -> int:
        return len(self.task)


def task_table(trials: TrialTable, *, policy: Policy = "zero", threshold: float | None = None) -> TaskTable:
    """Average the attempts of each task. With a `threshold`, a reward at or above it counts 1.0, else 0.0.

    A threshold of zero is refused, because nothing would fail it. No trials give a table of no rows. Under
    `exclude`, a task that the machinery failed in every attempt has no row.
    """
    reward = trials.reward
    if threshold is not None:
        if not 0 < threshold <= 1:
            raise UsageError(
                "not a threshold for success", found=threshold, allowed="a number above 0 and up to 1"
            )
        reward = np.where((trials.status == Status.SCORED) & (reward >= threshold), 1.0, 0.0)
    failed = trials.status == Status.VERIFIER_FAILED
    codes, inverse = np.unique(trials.task, return_inverse=True)
    cluster = None if trials.cluster is None else _cluster_of_tasks(trials.cluster, inverse, len(codes))
    counted = np.arange(len(reward)) if policy == "zero" else np.flatnonzero(~failed)
    mean, within, attempts = _means(reward[counted], inverse[counted], len(codes))
    keep = attempts > 0
    cells = np.bincount(3 * inverse + trials.status, minlength=3 * len(codes))
    statuses = cells.astype(np.int64).reshape(len(codes), 3)
    return TaskTable(
        task=codes[keep],
        mean=mean[keep],
        attempts=attempts[keep],
        within=within[keep],
        statuses=statuses[keep],
        cluster=None if cluster is None else cluster[keep],
        cluster_key=trials.cluster_key,
        coverage=trials.coverage,
        policy=policy,
        excluded=int((~keep).sum()),
    )


def failures_worth_one(table: TaskTable) -> TaskTable:
    """A table made under `zero`, had every machinery failure earned 1 instead of 0."""
    lost = table.statuses[:, Status.VERIFIER_FAILED]
    return replace(table, mean=np.minimum(table.mean + lost / table.attempts, 1.0))


def _means(reward: FloatArray, inverse: IntArray, tasks: int) -> tuple[FloatArray, FloatArray, IntArray]:
    """Mean, variance and count of the rewards of each task, whatever the row order."""
    order = np.lexsort((reward, inverse))
    reward, inverse = reward[order], inverse[order]
    attempts = np.bincount(inverse, minlength=tasks)
    total = np.bincount(inverse, weights=reward, minlength=tasks)
    ends = np.cumsum(attempts)
    present = attempts > 0
    mean = np.full(tasks, np.nan)
    # The mean of equal rewards is that reward, not one rounding error beside it.
    mean[present] = np.clip(
        total[present] / attempts[present], reward[(ends - attempts)[present]], reward[ends[present] - 1]
    )
    squares = np.bincount(inverse, weights=(reward - mean[inverse]) ** 2, minlength=tasks)
    within = np.full(tasks, np.nan)
    repeated = attempts > 1
    within[repeated] = squares[repeated] / (attempts[repeated] - 1)
    return mean, within, attempts.astype(np.int64)


def _cluster_of_tasks(cluster: Codes, inverse: IntArray, tasks: int) -> Codes:
    """The cluster of each task; a task in two clusters is refused."""
    first = np.zeros(tasks, np.int64)
    first[inverse[::-1]] = np.arange(len(inverse))[::-1]
    if (cluster != cluster[first[inverse]]).any():
        raise UsageError(
            "a task lies in two clusters",
            field="cluster",
            remedy="Give every trial of a task the same cluster, or make the seed part of the task's id.",
        )
    return cluster[first]


def exact_mean(values: FloatArray | Sequence[float]) -> float:
    """The mean of at least one value, the same in every order; equal values give that very value."""
    array = np.asarray(values, np.float64)
    mean = math.fsum(array.tolist()) / len(array)
    return float(min(max(mean, array.min()), array.max()))
