"""How much data would settle a question, from a pilot's differences or from assumptions about them.

A plan from a pilot simulates the test that will be used, or the verdict of the gate, on data like the pilot's
(`simulated.py`). Without a simulation, or from assumptions alone, the formula of `power.py` is used; a test
holds the two together.

For a gate the question is how likely a candidate without a loss is to pass. The formula then also asks for
enough tasks to rule out a rare total loss, if most differences are ties.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from pydantic import Field

from adjudge.contracts import StrictModel
from adjudge.stats.means.bootstrap import cluster_sums
from adjudge.stats.means.errors import standard_error
from adjudge.stats.means.quantiles import two_sided_z
from adjudge.stats.method import DEFAULT, Method, check_level
from adjudge.stats.pairs.sides import Pairs, align, reduce_side
from adjudge.stats.planning.power import (
    VarianceParts,
    detectable_difference,
    fewest,
    power_of,
    required_attempts,
    required_tasks,
)
from adjudge.stats.planning.simulated import REPLICATES, Pilot, simulated_gate, simulated_power
from adjudge.stats.trial_table import FloatArray, TaskTable, TrialTable, exact_mean

MOST_ATTEMPTS = 1024
MOST_SIMULATED = 400
"""Groups; beyond, the formula is as good and the simulation slow."""
GATES, CLUSTERED_GATES = 200, 100
"""Replicates of a gate, whose verdict takes longer to simulate than the flips alone."""


class PowerPlan(StrictModel):
    """What this data could show, and what would show `delta`; None, with a reason, if nobody can tell."""

    goal: Literal["difference", "gate"] = "difference"
    """To show a difference; or, without a loss, to pass a gate, whose margin then stands for `delta`."""
    level: float
    """With many pairs, the one at which Holm tests this pair."""
    power: float
    tasks: int = Field(ge=0)
    """How many tasks the two share now."""
    clusters: int | None = None
    delta: float | None = None
    """The difference that is to be shown."""
    parts: VarianceParts | None = None
    detectable: float | None = None
    """The smallest difference that this many tasks and attempts show with this power."""
    tasks_needed: int | None = None
    """Tasks that show `delta`, at the present number of attempts."""
    clusters_needed: int | None = None
    """Clusters that these are, if they have the sizes of those at hand."""
    attempts_needed: int | None = None
    """Attempts per task and side that show `delta` on the present tasks; None if no number does."""
    power_now: float | None = None
    """The chance that the present tasks and attempts show `delta`."""
    method: str = "formula"
    reason: str | None = None


def plan_power(
    a: TrialTable,
    b: TrialTable,
    *,
    delta: float | None = None,
    threshold: float | None = None,
    power: float = 0.8,
    method: Method = DEFAULT,
    simulate: bool = True,
    gate: bool = False,
) -> PowerPlan:
    """Plan from the data at hand; `delta` defaults to the difference observed. For a `gate` it is the margin.

    One shared task, or differences that are all equal, show no variance and allow no plan. An observed
    difference of zero leaves only `detectable`.
    """
    check_level(power)
    sides = (reduce_side(side, policy=method.policy, threshold=threshold) for side in (a, b))
    pairs = align(*(side.table for side in sides))
    tasks = len(pairs.difference)
    plan = PowerPlan(
        goal="gate" if gate else "difference", level=method.level, power=power, tasks=tasks, delta=delta
    )
    if tasks < 2:
        return plan.model_copy(update={"reason": "fewer than two shared tasks show no variance to plan with"})
    pilot = pilot_of(pairs, gate=gate)
    if len(pilot.sums) < 2:
        return plan.model_copy(update={"reason": "one cluster shows no variance to plan with"})
    if pilot.error is None and not (gate and simulate and not pairs.difference.any()):
        return plan.model_copy(update={"reason": "the differences show no variance to plan with"})
    parts = _parts(pairs, pilot)
    clusters = None if pairs.a.cluster is None else len(pilot.sums)
    plan = plan.model_copy(update={"parts": parts, "clusters": clusters})
    wanted = delta if delta is not None else abs(exact_mean(pairs.difference))
    if simulate and len(pilot.sums) <= MOST_SIMULATED:
        return _simulated_plan(plan, parts, pilot, wanted, method)
    ties = float((pairs.difference == 0).mean())
    return plan_from_parts(
        tasks, parts, delta=wanted, power=power, level=method.level, clusters=clusters, gate=gate, ties=ties
    )


def plan_from_parts(
    tasks: int,
    parts: VarianceParts,
    *,
    delta: float,
    power: float = 0.8,
    level: float = 0.95,
    clusters: int | None = None,
    gate: bool = False,
    ties: float = 0.0,
) -> PowerPlan:
    """Plan by the formula, from a variance that is known or assumed. A `delta` of zero allows no plan.

    If more than half of the tasks are `ties`, a gate also has to rule out that a rare kind is lost in full.
    """
    check_level(power)
    plan = PowerPlan(
        goal="gate" if gate else "difference",
        level=level,
        power=power,
        tasks=tasks,
        clusters=clusters,
        parts=parts,
        detectable=detectable_difference(tasks, parts, level=level, power=power) if tasks else None,
    )
    if delta == 0:
        why = "the observed difference is zero: no number of tasks shows it"
        return plan.model_copy(update={"reason": why})
    needed = required_tasks(delta, parts, level=level, power=power)
    if gate and ties > 0.5 and needed is not None:
        needed = max(needed, _to_rule_out_rare(delta, parts, level))
    attempts = required_attempts(delta, tasks, parts, level=level, power=power) if tasks else None
    return plan.model_copy(
        update={
            "delta": delta,
            "tasks_needed": needed,
            "clusters_needed": _clusters(needed, parts, clusters),
            "attempts_needed": attempts,
            "power_now": power_of(delta, tasks, parts, level=level) if tasks else None,
        }
    )


def _to_rule_out_rare(margin: float, parts: VarianceParts, level: float) -> int:
    """Tasks of which none is lost, so that Wilson puts the share that would be below the margin."""
    return math.ceil(two_sided_z(level) ** 2 * (1 - margin) / margin * parts.tasks_per_cluster)


def pilot_power(
    pilot: Pilot, plan: PowerPlan, delta: float, groups: int, *, seed: int, shrink: float = 1.0
) -> float:
    """The simulated chance that so many groups reach the plan's goal."""
    if plan.goal == "gate":
        often = _replicates(plan, pilot)
        return simulated_gate(
            pilot, delta, groups, level=plan.level, seed=seed, shrink=shrink, replicates=often
        )
    return simulated_power(pilot, delta, groups, level=plan.level, seed=seed, shrink=shrink)


def _replicates(plan: PowerPlan, pilot: Pilot) -> int:
    if plan.goal == "difference":
        return REPLICATES
    return CLUSTERED_GATES if pilot.clustered else GATES


def _simulated_plan(
    plan: PowerPlan, parts: VarianceParts, pilot: Pilot, delta: float, method: Method
) -> PowerPlan:
    """The plan by simulation; the formula says where to begin."""
    per_group = plan.tasks / len(pilot.sums)

    def power(delta: float, groups: int, shrink: float = 1.0) -> float:
        return pilot_power(pilot, plan, delta, groups, seed=method.seed, shrink=shrink)

    now = len(pilot.sums)
    found: dict[str, object] = {
        "method": f"simulated {_replicates(plan, pilot)} times",
        "detectable": _smallest_delta(lambda d: power(d, now) >= plan.power),
    }
    if delta == 0:
        why = "the observed difference is zero: no number of tasks shows it"
        return plan.model_copy(update={**found, "reason": why})
    by_formula = required_tasks(delta, parts, level=plan.level, power=plan.power) if parts.total else 1
    begin = max(1, round((by_formula or MOST_SIMULATED) / per_group))
    groups = (
        fewest(lambda g: power(delta, g) >= plan.power, MOST_SIMULATED, start=max(1, begin // 2))
        if (begin <= MOST_SIMULATED)
        else None
    )
    tasks = by_formula if groups is None else math.ceil(groups * per_group)
    if groups is None and plan.goal == "gate":
        tasks = max(tasks or 0, _to_rule_out_rare(delta, parts, plan.level))

    def shrunk(attempts: float) -> bool:
        smaller = math.sqrt(parts.with_attempts(attempts).total / parts.total)
        return power(delta, now, smaller) >= plan.power

    repeats_help = parts.within_a + parts.within_b > 0 and shrunk(MOST_ATTEMPTS)
    return plan.model_copy(
        update={
            **found,
            "delta": delta,
            "tasks_needed": tasks,
            "clusters_needed": _clusters(tasks, parts, plan.clusters)
            if groups is None
            else (None if plan.clusters is None else groups),
            "attempts_needed": fewest(shrunk, MOST_ATTEMPTS) if repeats_help else None,
            "power_now": power(delta, now),
        }
    )


def _smallest_delta(enough: Callable[[float], bool]) -> float | None:
    """In steps of 1/256, by halving; None if not even 1 is enough."""
    found = fewest(lambda k: enough(k / 256), 256, start=256)
    return None if found is None else found / 256


def _clusters(tasks: int | None, parts: VarianceParts, clusters: int | None) -> int | None:
    if tasks is None or clusters is None:
        return None
    return math.ceil(tasks / parts.tasks_per_cluster)


def pilot_of(pairs: Pairs, *, gate: bool) -> Pilot:
    """What a simulation draws from: the differences of two tasks or more, by cluster if there are any.

    For a difference they point the way they were seen to: to show that B is better takes as much as it takes
    to show it of A with the sides exchanged. A gate is about the candidate, whichever way that lies.
    """
    d, cluster = pairs.difference, pairs.a.cluster
    if not gate and _points_down(d):
        d = -d
    if cluster is None:
        sums = np.sort(d)
        return Pilot((), sums, np.ones(len(d)), standard_error(d, exact_mean(d))[0])
    codes = np.unique(cluster, return_inverse=True)[1].astype(np.int64)
    sums, sizes = cluster_sums(d, codes), np.bincount(codes).astype(np.float64)
    order = np.lexsort((sizes, sums))
    error = standard_error(d, exact_mean(d), codes)[0] if len(sums) > 1 else None
    groups = tuple(np.sort(d[codes == code]) for code in order.tolist())
    return Pilot(groups, sums[order], sizes[order], error, clustered=True)


def _points_down(d: FloatArray) -> bool:
    mean = exact_mean(d)
    return mean < 0 or (mean == 0 and tuple(np.sort(-d)) > tuple(np.sort(d)))


def _parts(pairs: Pairs, pilot: Pilot) -> VarianceParts:
    """Split the variance of the differences. No repeated task: nothing is known within, all is between.

    The parts add up to the variance that was seen. If the attempts alone would make for more, which is
    chance, they are scaled down to it and nothing is left between.
    """
    d = pairs.difference
    mean = exact_mean(d)
    total = math.fsum(((d - mean) ** 2).tolist()) / (len(d) - 1)
    within = [_mean_within(table) for table in (pairs.a, pairs.b)]
    attempts = [1.0 / exact_mean(1.0 / table.attempts) for table in (pairs.a, pairs.b)]
    noise = within[0] / attempts[0] + within[1] / attempts[1]
    fits = min(1.0, total / noise) if noise else 1.0
    clustered = pairs.a.cluster is not None and pilot.error is not None and total > 0
    return VarianceParts(
        between=max(0.0, total - noise),
        within_a=within[0] * fits,
        within_b=within[1] * fits,
        attempts_a=attempts[0],
        attempts_b=attempts[1],
        design_effect=pilot.error**2 * len(d) / total if clustered and pilot.error else 1.0,
        tasks_per_cluster=len(d) / len(pilot.sums),
    )


def _mean_within(table: TaskTable) -> float:
    repeated = table.within[~np.isnan(table.within)]
    return exact_mean(repeated) if len(repeated) else 0.0
