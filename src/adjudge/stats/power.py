"""How small a difference the data could show, and how much more data would settle it.

The difference of two agents on a task varies for three reasons: the tasks differ in which agent they suit
(variance w²), and each agent's attempts differ among themselves (s_A², s_B²). So with n tasks and K attempts
n = (z_(a/2) + z_b)² (w² + s_A²/K_A + s_B²/K_B) / delta². More attempts shrink only the last two terms.
"""

from __future__ import annotations

import math

import numpy as np
from pydantic import Field

from adjudge.contracts import StrictModel
from adjudge.errors import UsageError
from adjudge.stats.method import DEFAULT, Method, check_level
from adjudge.stats.quantiles import normal_quantile, two_sided_z
from adjudge.stats.sides import Pairs, align
from adjudge.stats.trial_table import TaskTable, TrialTable, exact_mean, task_table
from adjudge.stats.units import mean_of_units


class VarianceParts(StrictModel):
    """Why the difference of two agents varies from task to task."""

    between: float = Field(ge=0)
    """w²: tasks suit one agent more than the other. Holds all the variance where no task was repeated."""
    within_a: float = Field(default=0.0, ge=0)
    """s_A²: how much A's attempts at one task differ; likewise `within_b`."""
    within_b: float = Field(default=0.0, ge=0)
    attempts_a: float = Field(default=1.0, gt=0)
    """K_A: attempts a task (the harmonic mean, where tasks have unequal numbers)."""
    attempts_b: float = Field(default=1.0, gt=0)
    design_effect: float = Field(default=1.0, gt=0)
    """How much clusters inflate the variance of the mean; 1 without clusters."""

    @property
    def total(self) -> float:
        """The variance of one task's difference, as it counts towards the mean."""
        noise = self.within_a / self.attempts_a + self.within_b / self.attempts_b
        return self.design_effect * (self.between + noise)


class PowerPlan(StrictModel):
    """What this data could show, and what would show `delta`; None, with a reason, where nobody can tell."""

    level: float
    power: float
    tasks: int = Field(ge=0)
    """How many tasks the two share now."""
    delta: float | None = None
    """The difference that is to be shown."""
    parts: VarianceParts | None = None
    detectable: float | None = None
    """The smallest difference that this many tasks and attempts show with this power."""
    tasks_needed: int | None = None
    """Tasks that show `delta`, at the present number of attempts."""
    attempts_needed: int | None = None
    """Attempts a task and side that show `delta` on the present tasks; None where no number does."""
    reason: str | None = None


def required_tasks(delta: float, parts: VarianceParts, *, level: float = 0.95, power: float = 0.8) -> float:
    """n of the formula, before rounding up. A `delta` of zero is refused: no amount of data shows it."""
    if delta == 0:
        raise UsageError("no number of tasks shows a difference of zero", found=delta)
    return _z(level, power) ** 2 * parts.total / delta**2


def detectable_difference(
    tasks: int, parts: VarianceParts, *, level: float = 0.95, power: float = 0.8
) -> float:
    """The formula solved for delta: the smallest difference that `tasks` (one or more) show."""
    return _z(level, power) * math.sqrt(parts.total / tasks)


def required_attempts(
    delta: float, tasks: int, parts: VarianceParts, *, level: float = 0.95, power: float = 0.8
) -> float | None:
    """The formula solved for K = K_A = K_B. None where the tasks themselves vary too much: no K is enough."""
    room = tasks * delta**2 / (_z(level, power) ** 2 * parts.design_effect) - parts.between
    noise = parts.within_a + parts.within_b
    return noise / room if room > 0 and noise > 0 else None


def plan_power(
    a: TrialTable,
    b: TrialTable,
    *,
    delta: float | None = None,
    threshold: float | None = None,
    power: float = 0.8,
    method: Method = DEFAULT,
) -> PowerPlan:
    """Plan from the data at hand; `delta` defaults to the difference observed.

    One shared task, or differences that are all equal, show no variance and allow no plan. An observed
    difference of zero leaves only `detectable`.
    """
    check_level(power)
    level = method.level
    pairs = align(*(task_table(side, policy=method.policy, threshold=threshold) for side in (a, b)))
    tasks = len(pairs.difference)
    plan = PowerPlan(level=level, power=power, tasks=tasks, delta=delta)
    if tasks < 2:
        return plan.model_copy(update={"reason": "fewer than two shared tasks show no variance to plan with"})
    unit = mean_of_units(pairs.difference, pairs.a.cluster, low=-1.0, high=1.0, method=Method(level=level))
    if unit.standard_error is None:
        why = unit.reason or "the differences show no variance to plan with"
        return plan.model_copy(update={"reason": why})
    parts = _parts(pairs, unit.standard_error)
    found = {"parts": parts, "detectable": detectable_difference(tasks, parts, level=level, power=power)}
    delta = delta if delta is not None else abs(unit.value)
    if delta == 0:
        why = "the observed difference is zero: no number of tasks shows it"
        return plan.model_copy(update={**found, "reason": why})
    attempts = required_attempts(delta, tasks, parts, level=level, power=power)
    return plan.model_copy(
        update={
            **found,
            "delta": delta,
            "tasks_needed": max(2, math.ceil(required_tasks(delta, parts, level=level, power=power))),
            "attempts_needed": None if attempts is None else max(1, math.ceil(attempts)),
        }
    )


def _parts(pairs: Pairs, standard_error: float) -> VarianceParts:
    """Split the variance of the differences. No repeated task: nothing is known within, all is between.

    The parts add up to the variance that was seen. Where the attempts alone would make for more, which is
    chance, they are scaled down to it and nothing is left between.
    """
    d = pairs.difference
    mean = exact_mean(d)
    total = math.fsum(((d - mean) ** 2).tolist()) / (len(d) - 1)
    within = [_mean_within(table) for table in (pairs.a, pairs.b)]
    attempts = [1.0 / exact_mean(1.0 / table.attempts) for table in (pairs.a, pairs.b)]
    noise = within[0] / attempts[0] + within[1] / attempts[1]
    fits = min(1.0, total / noise) if noise else 1.0
    return VarianceParts(
        between=max(0.0, total - noise),
        within_a=within[0] * fits,
        within_b=within[1] * fits,
        attempts_a=attempts[0],
        attempts_b=attempts[1],
        design_effect=1.0 if pairs.a.cluster is None else standard_error**2 * len(d) / total,
    )


def _mean_within(table: TaskTable) -> float:
    repeated = table.within[~np.isnan(table.within)]
    return exact_mean(repeated) if len(repeated) else 0.0


def _z(level: float, power: float) -> float:
    return two_sided_z(level) + normal_quantile(power)
