"""How much data would settle a question, from a pilot's differences or from assumptions about them.

A plan from a pilot simulates the test that will be used (`flips.py`) on data like the pilot's: tasks (whole
clusters, if there are any) are drawn from it with chances tilted so that their mean is the difference asked
about. So ties stay ties, and rewards of 0 or 1 stay such. If no tilt reaches that mean, the differences are
shifted to it. Without a simulation, or from assumptions alone, the formula of `power.py` is used; a test
holds the two together.

For a gate, the differences are drawn as they are around a mean of zero, and what is to be shown is that they
lie above -margin. If most of them are ties, it also takes enough tasks to rule out a rare total loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydantic import Field

from adjudge.contracts import StrictModel
from adjudge.stats.means.bootstrap import cluster_sums
from adjudge.stats.means.errors import standard_error
from adjudge.stats.means.quantiles import two_sided_t, two_sided_z
from adjudge.stats.method import DEFAULT, Method, check_level
from adjudge.stats.pairs.flips import TIE
from adjudge.stats.pairs.sides import Pairs, align, reduce_side
from adjudge.stats.planning.power import (
    VarianceParts,
    detectable_difference,
    fewest,
    fewest_groups,
    power_of,
    required_attempts,
    required_tasks,
)
from adjudge.stats.trial_table import FloatArray, TaskTable, TrialTable, exact_mean

REPLICATES = 400
FLIPS = 199
EXACT_UP_TO = 10
"""Groups of which a simulation tries all flips."""
MOST_SIMULATED = 400
"""Groups; beyond, the formula is as good and the simulation slow."""


class PowerPlan(StrictModel):
    """What this data could show, and what would show `delta`; None, with a reason, if nobody can tell."""

    level: float
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


class PowerPoint(StrictModel):
    """One point of a power curve."""

    tasks: int
    attempts: float
    delta: float
    power: float


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
    plan = PowerPlan(level=method.level, power=power, tasks=tasks, delta=delta)
    if tasks < 2:
        return plan.model_copy(update={"reason": "fewer than two shared tasks show no variance to plan with"})
    pilot = _pilot(pairs)
    if len(pilot.sums) < 2:
        return plan.model_copy(update={"reason": "one cluster shows no variance to plan with"})
    if pilot.error is None:
        return plan.model_copy(update={"reason": "the differences show no variance to plan with"})
    parts = _parts(pairs, pilot)
    clusters = None if pairs.a.cluster is None else len(pilot.sums)
    plan = plan.model_copy(update={"parts": parts, "clusters": clusters})
    wanted = delta if delta is not None else abs(exact_mean(pairs.difference))
    if simulate and len(pilot.sums) <= MOST_SIMULATED:
        plan = _simulated_plan(plan, parts, replace(pilot, tilt=not gate), wanted, method)
    else:
        plan = plan_from_parts(tasks, parts, delta=wanted, power=power, level=method.level, clusters=clusters)
    if gate and wanted > 0 and (pairs.difference == 0).mean() > 0.5:
        rare = math.ceil(two_sided_z(method.level) ** 2 * (1 - wanted) / wanted * parts.tasks_per_cluster)
        needed = max(rare, plan.tasks_needed or 0)
        plan = plan.model_copy(
            update={"tasks_needed": needed, "clusters_needed": _clusters(needed, parts, clusters)}
        )
    return plan


def plan_from_parts(
    tasks: int,
    parts: VarianceParts,
    *,
    delta: float,
    power: float = 0.8,
    level: float = 0.95,
    clusters: int | None = None,
) -> PowerPlan:
    """Plan by the formula, from a variance that is known or assumed. A `delta` of zero allows no plan."""
    check_level(power)
    plan = PowerPlan(
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


@dataclass(frozen=True, eq=False)
class Pilot:
    """The groups that a simulation draws from: sums of differences, and numbers of tasks."""

    sums: FloatArray
    sizes: FloatArray
    error: float | None
    tilt: bool = True
    """May chances be tilted to reach a mean? Else the differences are shifted."""


def simulated_power(
    pilot: Pilot, delta: float, groups: int, *, level: float, seed: int = 0, shrink: float = 1.0
) -> float:
    """The share of simulated benchmarks of `groups` groups in which the flips show `delta`.

    `shrink` scales the spread around the mean, as more attempts would.
    """
    if groups < fewest_groups(level) or delta == 0:
        return 0.0
    rng = np.random.Generator(np.random.PCG64([seed, groups]))
    chances, shift = _tilted(pilot, delta)
    edges = np.cumsum(chances)
    rows = np.searchsorted(edges, rng.random((groups, REPLICATES)) * edges[-1], side="right")
    rows = np.minimum(rows, len(edges) - 1)
    sizes = pilot.sizes[rows]
    drawn = pilot.sums[rows] + (shift - delta) * sizes
    drawn = drawn * shrink + delta * sizes
    return float(np.mean(_shown(drawn * math.copysign(1.0, delta), level, rng)))


def _shown(drawn: FloatArray, level: float, rng: np.random.Generator) -> FloatArray:
    """In which columns of groups x replicates the flips show a mean above zero."""
    groups, tail = len(drawn), (1 - level) / 2
    total = drawn.sum(axis=0)
    if tail < 4 / FLIPS and groups > EXACT_UP_TO:
        # So far out too few flips fall; Student's test of the same groups comes close there.
        squares = np.maximum((drawn**2).sum(axis=0), TIE)
        share = np.clip(total**2 / squares, 0, groups - 1e-9)
        t = np.sqrt(share * (groups - 1) / (groups - share))
        far = (total > 0) & (t >= two_sided_t(level, groups - 1))
        return np.asarray(far, np.float64)
    if groups <= EXACT_UP_TO:
        signs = 1.0 - 2.0 * ((np.arange(2**groups)[:, None] >> np.arange(groups)) & 1)
        hits = (signs @ drawn >= total - 1e-9).sum(axis=0) / len(signs)
    else:
        signs = 1.0 - 2.0 * rng.integers(0, 2, (FLIPS, groups))
        hits = (1 + (signs @ drawn >= total - 1e-9).sum(axis=0)) / (1 + FLIPS)
    return np.asarray(hits <= tail + TIE, np.float64)


def _tilted(pilot: Pilot, delta: float) -> tuple[FloatArray, float]:
    """Chances for the pilot's groups that make the mean `delta`; or equal ones, and the shift that does."""
    sums, sizes = pilot.sums, pilot.sizes
    even = np.full(len(sums), 1.0 / len(sums))
    terms = sums - delta * sizes
    if pilot.tilt and terms.min() < 0 < terms.max():
        scale = float(np.abs(terms).max())
        low, high = -40.0 / scale, 40.0 / scale
        for _ in range(100):
            middle = (low + high) / 2
            tilted = np.exp(middle * terms - np.max(middle * terms))
            low, high = (middle, high) if float((tilted * terms).sum()) < 0 else (low, middle)
        chances = tilted / tilted.sum()
        # A tilt that leaves next to nothing of the pilot would plan with a handful of its tasks.
        if 1 / float((chances**2).sum()) >= len(sums) / 4:
            return chances, 0.0
    return even, delta - float(sums.sum() / sizes.sum())


def _simulated_plan(
    plan: PowerPlan, parts: VarianceParts, pilot: Pilot, delta: float, method: Method
) -> PowerPlan:
    """The plan by simulation; the formula says where to begin."""
    level, seed = method.level, method.seed
    per_group = plan.tasks / len(pilot.sums)

    def enough(delta: float, groups: int, shrink: float = 1.0) -> bool:
        power = simulated_power(pilot, delta, groups, level=level, seed=seed, shrink=shrink)
        return power >= plan.power

    now = len(pilot.sums)
    found: dict[str, object] = {
        "method": f"simulated {REPLICATES} times",
        "detectable": _smallest_delta(lambda d: enough(d, now)),
    }
    if delta == 0:
        why = "the observed difference is zero: no number of tasks shows it"
        return plan.model_copy(update={**found, "reason": why})
    by_formula = required_tasks(delta, parts, level=level, power=plan.power)
    begin = max(1, round((by_formula or MOST_SIMULATED) / per_group))
    groups = (
        fewest(lambda g: enough(delta, g), MOST_SIMULATED, start=max(1, begin // 2))
        if (begin <= MOST_SIMULATED)
        else None
    )
    tasks = by_formula if groups is None else math.ceil(groups * per_group)

    def shrunk(attempts: int) -> bool:
        return enough(delta, now, math.sqrt(parts.with_attempts(attempts).total / parts.total))

    return plan.model_copy(
        update={
            **found,
            "delta": delta,
            "tasks_needed": tasks,
            "clusters_needed": _clusters(tasks, parts, plan.clusters)
            if groups is None
            else (None if plan.clusters is None else groups),
            "attempts_needed": fewest(shrunk, 1024) if parts.within_a + parts.within_b > 0 else None,
            "power_now": simulated_power(pilot, delta, now, level=level, seed=seed),
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


def _pilot(pairs: Pairs) -> Pilot:
    d, cluster = pairs.difference, pairs.a.cluster
    if cluster is None:
        sums = np.sort(d)
        return Pilot(sums, np.ones(len(d)), standard_error(d, exact_mean(d))[0])
    codes = np.unique(cluster, return_inverse=True)[1].astype(np.int64)
    sums, sizes = cluster_sums(d, codes), np.bincount(codes).astype(np.float64)
    order = np.lexsort((sizes, sums))
    error = standard_error(d, exact_mean(d), codes)[0] if len(sums) > 1 else None
    return Pilot(sums[order], sizes[order], error)


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
