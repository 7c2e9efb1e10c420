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
from adjudge.stats import VarianceParts, plan_from_parts, plan_power, power_curve

ATTEMPTS = (1, 2, 4, 8)


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
    found = plan_power(
        every.rows(counted & (grouped.codes == code_a)),
        every.rows(counted & (grouped.codes == code_b)),
        delta=margin if margin is not None else delta,
        threshold=threshold,
        power=power,
        method=choices.how,
        gate=margin is not None,
    )
    known = columns.cost_usd[counted & ~np.isnan(columns.cost_usd)]
    return _finished(
        DataPlan(
            goal="difference" if margin is None else "gate",
            sides=(first, second),
            choices=choices,
            plan=found,
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
    return _finished(
        DataPlan(
            goal="gate" if gate else "difference",
            choices=choices,
            plan=found,
            cost_per_trial=cost_per_trial,
            notes=(
                f"Assumed: single attempts succeed with a rate of {rate:g}, and the tasks' true differences "
                f"scatter by {spread:g}. A pilot in the ledger is better than both.",
            ),
        )
    )


def _finished(plan: DataPlan) -> DataPlan:
    """The plan with its power curve and what it would cost."""
    found = plan.plan
    if found.parts is None or not found.delta:
        return plan
    most = 2 * max(found.tasks_needed or 0, found.tasks, 10)
    steps = sorted({max(2, round(most * share / 20)) for share in range(1, 21)})
    now = (found.parts.attempts_a + found.parts.attempts_b) / 2
    attempts = sorted({*ATTEMPTS, round(now)})
    curve = power_curve(found.parts, deltas=[found.delta], tasks=steps, attempts=attempts, level=found.level)
    cost = None
    if plan.cost_per_trial is not None and found.tasks_needed is not None:
        per_task = found.parts.attempts_a + found.parts.attempts_b
        cost = plan.cost_per_trial * found.tasks_needed * per_task
    return plan.model_copy(update={"curve": curve, "cost": cost})
