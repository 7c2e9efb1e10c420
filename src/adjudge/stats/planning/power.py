"""How likely a difference is to be shown: by a formula, and its inverses.

The difference of two agents on a task varies for three reasons: the tasks differ in which agent they suit
(variance w²), and each agent's attempts differ among themselves (s_A², s_B²). With n tasks and K attempts the
mean has variance (w² + s_A²/K_A + s_B²/K_B)/n, times the design effect of clusters. More attempts shrink only
the last two terms. The power is that of Student's test at so many groups, which sign flips come close to;
and it is zero if so few groups cannot reach the p that is asked for. `plan.py` simulates the flips
themselves.

To pass a gate of a margin is to show that there is no loss of the margin: the same formula, with the margin
plus the true difference for `delta`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from pydantic import Field

from adjudge.contracts import StrictModel
from adjudge.errors import UsageError
from adjudge.stats.means.quantiles import normal_tail, two_sided_t

MOST_TASKS = 10_000_000


class VarianceParts(StrictModel):
    """Why the difference of two agents varies from task to task."""

    between: float = Field(ge=0)
    """w²: tasks suit one agent more than the other. Holds all the variance if no task was repeated."""
    within_a: float = Field(default=0.0, ge=0)
    """s_A²: how much A's attempts at one task differ; likewise `within_b`."""
    within_b: float = Field(default=0.0, ge=0)
    attempts_a: float = Field(default=1.0, gt=0)
    """K_A: attempts per task (the harmonic mean, if tasks have unequal numbers)."""
    attempts_b: float = Field(default=1.0, gt=0)
    design_effect: float = Field(default=1.0, gt=0)
    """How much clusters inflate the variance of the mean; 1 without clusters."""
    tasks_per_cluster: float = Field(default=1.0, gt=0)
    """How many tasks weigh as much as one cluster; 1 without clusters."""

    @property
    def total(self) -> float:
        """The variance of one task's difference, as it counts towards the mean."""
        noise = self.within_a / self.attempts_a + self.within_b / self.attempts_b
        return self.design_effect * (self.between + noise)

    @property
    def attempts(self) -> float:
        """So many attempts on both sides would make for the same variance; their mean if they make none."""
        noise = self.within_a / self.attempts_a + self.within_b / self.attempts_b
        if noise == 0:
            return (self.attempts_a + self.attempts_b) / 2
        return (self.within_a + self.within_b) / noise

    def with_attempts(self, attempts: float) -> VarianceParts:
        """The same with this many attempts per task on both sides."""
        return self.model_copy(update={"attempts_a": attempts, "attempts_b": attempts})


def power_of(delta: float, tasks: int, parts: VarianceParts, *, level: float = 0.95) -> float:
    """The chance that `tasks` tasks show a true difference of `delta` at this level."""
    groups = tasks / parts.tasks_per_cluster
    if groups < fewest_groups(level):
        return 0.0
    if parts.total == 0:
        return 1.0 if delta else 0.0
    df = groups - 1
    critical = two_sided_t(level, df)
    out = abs(delta) / math.sqrt(parts.total / tasks)
    # The noncentral t distribution, nearly: its mean and spread are those of a normal one with these two.
    return normal_tail((out - critical * (1 - 1 / (4 * df))) / math.sqrt(1 + critical**2 / (2 * df)))


def fewest_groups(level: float) -> int:
    """How many tasks (or clusters) it takes to show anything: all flips but two of 2^n must lie inside."""
    return max(2, math.ceil(1 - math.log2(1 - level) - 1e-9))


def required_tasks(
    delta: float, parts: VarianceParts, *, level: float = 0.95, power: float = 0.8
) -> int | None:
    """The fewest tasks that show `delta` with this power; None if more than `MOST_TASKS`.

    A `delta` of zero is refused: no amount of data shows it.
    """
    if delta == 0:
        raise UsageError("no number of tasks shows a difference of zero", found=delta)
    return fewest(lambda n: power_of(delta, n, parts, level=level) >= power, MOST_TASKS)


def required_attempts(
    delta: float, tasks: int, parts: VarianceParts, *, level: float = 0.95, power: float = 0.8
) -> int | None:
    """The fewest attempts per task and side; None if the tasks themselves vary too much for any number."""
    return fewest(lambda k: power_of(delta, tasks, parts.with_attempts(k), level=level) >= power, MOST_TASKS)


def detectable_difference(
    tasks: int, parts: VarianceParts, *, level: float = 0.95, power: float = 0.8
) -> float | None:
    """The smallest difference that `tasks` show with this power; None if not even 1, the largest there is."""
    if power_of(1.0, tasks, parts, level=level) < power:
        return None
    low, high = 0.0, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        enough = power_of(middle, tasks, parts, level=level) >= power
        low, high = (low, middle) if enough else (middle, high)
    return float(f"{high:.6g}")


def fewest(enough: Callable[[int], bool], most: int, *, start: int = 1) -> int | None:
    """The smallest whole number from 1 to `most` that is `enough`, if more is never less; None if none is."""
    low, high = 0, max(1, start)
    while not enough(high):
        if high >= most:
            return None
        low, high = high, min(most, 2 * high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
