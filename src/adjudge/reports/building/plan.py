"""How many tasks, attempts and clusters would do: from a pilot in the ledger, or from assumptions."""

from __future__ import annotations

import math

import numpy as np

from adjudge.errors import UsageError
from adjudge.ledger import TrialColumns, TrialFilter
from adjudge.reports.building.comparison import pick_sides
from adjudge.reports.building.groups import group, trials_of
from adjudge.reports.building.provenance import plain_filter
from adjudge.reports.building.ruler import ruler_notes, same_ruler
from adjudge.reports.building.selection import scope_notes
from adjudge.reports.models.choices import Choices
from adjudge.reports.models.comparison import DataPlan
from adjudge.stats import PowerPlan, VarianceParts, pilot_curve, plan_from_parts, plan_power, power_curve

ATTEMPTS = (1, 2, 4, 8)
FORMULA_STEPS, SIMULATED_STEPS = 20, 8
"""Numbers of tasks along a power curve, but for those that the plan names."""


def plan_from_pilot(
    columns: TrialColumns,
    a: str,
    b: str,
    choices: Choices,
    *,
    delta: float | None = None,
    margin: float | None = None,
    power: float = 0.8,
    threshold: float | None = None,
    wanted: TrialFilter | None = None,
) -> DataPlan:
    """Plan from two sides in the ledger; without `delta` and `margin` for the difference observed."""
    grouped = group(columns, choices.group_by)
    sides = pick_sides(grouped, columns, choices.group_by, (a, b))
    every = trials_of(columns, choices.cluster)
    counted, ruler = same_ruler(columns, grouped, sides, any_verifier=False)
    (first, code_a), (second, code_b) = sides.items()
    left, right = (every.rows(counted & (grouped.codes == code)) for code in (code_a, code_b))
    found = plan_power(
        left,
        right,
        delta=margin if margin is not None else delta,
        threshold=threshold,
        power=power,
        method=choices.how,
        gate=margin is not None,
    )
    tasks, attempts = _grid(found)
    curve = pilot_curve(
        left, right, found, tasks=tasks, attempts=attempts, threshold=threshold, method=choices.how
    )
    known = columns.cost_usd[counted & ~np.isnan(columns.cost_usd)]
    return _with_cost(
        DataPlan(
            goal="difference" if margin is None else "gate",
            sides=(first, second),
            choices=choices,
            plan=found,
            curve=curve,
            cost_per_trial=math.fsum(known.tolist()) / len(known) if len(known) else None,
            notes=(*ruler_notes(ruler), *scope_notes(choices, wanted)),
            filter=plain_filter(wanted),
        )
    )


def plan_from_assumptions(
    choices: Choices,
    *,
    delta: float,
    tasks: int = 0,
    attempts: int = 1,
    rate: float = 0.5,
    spread: float = 0.3,
    power: float = 0.8,
    gate: bool = False,
    cost_per_trial: float | None = None,
) -> DataPlan:
    """Plan without data: how far single attempts scatter follows from a success `rate`, how far the tasks'
    differences do from `spread`, their standard deviation beyond that."""
    if not 0 < rate < 1:
        raise UsageError("not a rate", field="--rate", found=rate, allowed="a number between 0 and 1")
    noise = rate * (1 - rate)
    parts = VarianceParts(
        between=spread**2, within_a=noise, within_b=noise, attempts_a=attempts, attempts_b=attempts
    )
    found = plan_from_parts(tasks, parts, delta=delta, power=power, level=choices.level, gate=gate)
    points, repeats = _grid(found)
    return _with_cost(
        DataPlan(
            goal="gate" if gate else "difference",
            choices=choices,
            plan=found,
            curve=power_curve(parts, deltas=[delta], tasks=points, attempts=repeats, level=choices.level),
            cost_per_trial=cost_per_trial,
            notes=(
                f"Assumed: single attempts succeed with a rate of {rate:g}, and the tasks' true differences "
                f"scatter by {spread:g}. A pilot in the ledger is better than both.",
            ),
        )
    )


def _grid(plan: PowerPlan) -> tuple[list[int], list[float]]:
    """Numbers of tasks and of attempts to draw; what the plan speaks of is always among them."""
    if plan.parts is None:
        return [], []
    steps = FORMULA_STEPS if plan.method == "formula" else SIMULATED_STEPS
    most = 2 * max(plan.tasks_needed or 0, plan.tasks, 10)
    even = {max(2, round(most * step / steps)) for step in range(1, steps + 1)}
    named = {n for n in (plan.tasks_needed, plan.tasks) if n}
    now = plan.parts.attempts
    others = (k for k in ATTEMPTS if abs(k - now) > 1e-9)
    return sorted(even | named), sorted((*others, now))


def _with_cost(plan: DataPlan) -> DataPlan:
    """The plan with what it would cost, if that is known."""
    found = plan.plan
    if plan.cost_per_trial is None or found.tasks_needed is None or found.parts is None:
        return plan
    per_task = found.parts.attempts_a + found.parts.attempts_b
    return plan.model_copy(update={"cost": plan.cost_per_trial * found.tasks_needed * per_task})
