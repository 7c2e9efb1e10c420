"""Points of a power curve: what more tasks, or more attempts, would do.

A curve is made in the way its plan was made, so that the two cannot disagree: from a pilot by the very
simulation, with the same seed; from assumptions by the formula. Beyond the groups that a plan simulates,
both take the formula.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from adjudge.contracts import StrictModel
from adjudge.stats.method import DEFAULT, Method
from adjudge.stats.pairs.sides import align, reduce_side
from adjudge.stats.planning.plan import MOST_SIMULATED, PowerPlan, pilot_of, pilot_power
from adjudge.stats.planning.power import VarianceParts, power_of
from adjudge.stats.planning.simulated import Pilot
from adjudge.stats.trial_table import TrialTable


class PowerPoint(StrictModel):
    """One point of a power curve."""

    tasks: int
    attempts: float
    delta: float
    power: float
    simulated: bool = False
    """By the test itself; else by the formula."""


def power_curve(
    parts: VarianceParts,
    *,
    deltas: Sequence[float],
    tasks: Sequence[int],
    attempts: Sequence[float] = (),
    level: float = 0.95,
) -> tuple[PowerPoint, ...]:
    """Power by the formula, for each difference, number of attempts (if given) and number of tasks."""
    return tuple(
        PowerPoint(tasks=n, attempts=k, delta=delta, power=power_of(delta, n, with_k, level=level))
        for delta in deltas
        for k, with_k in ([(k, parts.with_attempts(k)) for k in attempts] or [(parts.attempts_a, parts)])
        for n in tasks
    )


def pilot_curve(
    a: TrialTable,
    b: TrialTable,
    plan: PowerPlan,
    *,
    tasks: Sequence[int],
    attempts: Sequence[float],
    threshold: float | None = None,
    method: Method = DEFAULT,
) -> tuple[PowerPoint, ...]:
    """Power for the plan's difference or margin, as `plan_power` made the plan of these two; maybe none.

    With clusters, numbers of tasks are rounded up to those of whole clusters.
    """
    parts, delta = plan.parts, plan.delta
    if parts is None or not delta:
        return ()
    if plan.method == "formula":
        return power_curve(parts, deltas=[delta], tasks=tasks, attempts=attempts, level=plan.level)
    sides = (reduce_side(side, policy=method.policy, threshold=threshold) for side in (a, b))
    pilot = pilot_of(align(*(side.table for side in sides)), gate=plan.goal == "gate")
    per_group = plan.tasks / len(pilot.sums)
    sizes = {math.ceil(g * per_group): g for g in (math.ceil(n / per_group - 1e-9) for n in tasks)}
    return tuple(
        _point(pilot, plan, n, groups, attempts=k, parts=parts, delta=delta, seed=method.seed)
        for k in attempts
        for n, groups in sorted(sizes.items())
    )


def _point(
    pilot: Pilot,
    plan: PowerPlan,
    tasks: int,
    groups: int,
    *,
    attempts: float,
    parts: VarianceParts,
    delta: float,
    seed: int,
) -> PowerPoint:
    with_attempts = parts.with_attempts(attempts)
    if groups > MOST_SIMULATED:
        power = power_of(delta, tasks, with_attempts, level=plan.level)
        return PowerPoint(tasks=tasks, attempts=attempts, delta=delta, power=power)
    shrink = math.sqrt(with_attempts.total / parts.total) if parts.total else 1.0
    power = pilot_power(pilot, plan, delta, groups, seed=seed, shrink=shrink)
    return PowerPoint(tasks=tasks, attempts=attempts, delta=delta, power=power, simulated=True)
