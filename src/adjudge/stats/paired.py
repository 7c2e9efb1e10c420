"""Two agents on the tasks they share: the difference A - B, its interval, and whether it could be chance.

Pairing removes the difficulty of the tasks, which is most of the noise. Tasks that only one side has are
dropped and counted: a mean over different tasks compares the tasks. A task code means the same task on
both sides.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import Field

from adjudge.contracts import StrictModel
from adjudge.stats.bootstrap import cluster_sums
from adjudge.stats.estimate import Estimate
from adjudge.stats.mean import all_of, count
from adjudge.stats.method import DEFAULT, Method
from adjudge.stats.permutation import DRAWS, PValue, mcnemar_p, sign_flip_p
from adjudge.stats.sides import Pairs, Side, align, bounds_of_difference, reduce_side
from adjudge.stats.trial_table import FloatArray, TaskTable, TrialTable, coverage_of, exact_mean
from adjudge.stats.units import mean_of_units


class McNemar(StrictModel):
    """Tasks that one side alone passes, and their p; for one attempt a task and side, worth 0 or 1."""

    only_a: int = Field(ge=0)
    only_b: int = Field(ge=0)
    p: float = Field(ge=0, le=1)


class PairedComparison(StrictModel):
    """What the shared tasks say about A against B."""

    difference: Estimate
    """A - B; its coverage counts the trials of both sides on the shared tasks."""
    p: float | None = Field(default=None, ge=0, le=1)
    p_method: str | None = None
    p_reason: str | None = None
    mcnemar: McNemar | None = None
    wins: int = Field(default=0, ge=0)
    """Shared tasks on which A's mean reward is higher."""
    losses: int = Field(default=0, ge=0)
    ties: int = Field(default=0, ge=0)
    shared: int = Field(ge=0)
    only_a: int = Field(default=0, ge=0)
    """Tasks dropped because B has no result for them; likewise `only_b`."""
    only_b: int = Field(default=0, ge=0)
    mean_a: float | None = None
    """Over the shared tasks; likewise `mean_b`."""
    mean_b: float | None = None


def paired_difference(
    a: TrialTable,
    b: TrialTable,
    *,
    threshold: float | None = None,
    method: Method = DEFAULT,
) -> PairedComparison:
    """Compare A with B on the tasks both have. Without a shared task there is no difference, and a reason.

    One shared task has a difference but neither interval nor p. Differences that are all zero have an
    interval that is not [0, 0], and p = 1. Where trials carry clusters (A's first), whole ones flip together.
    """
    return compare_sides(
        reduce_side(a, policy=method.policy, threshold=threshold),
        reduce_side(b, policy=method.policy, threshold=threshold),
        threshold=threshold,
        method=method,
    )


def compare_sides(
    a: Side,
    b: Side,
    *,
    threshold: float | None,
    method: Method,
) -> PairedComparison:
    """`paired_difference` of sides that were reduced before, under one policy and threshold."""
    pairs = align(a.table, b.table)
    d, cluster = pairs.difference, pairs.a.cluster
    dropped: dict[str, Any] = {
        "shared": len(d),
        "only_a": len(a.table) - len(d),
        "only_b": len(b.table) - len(d),
    }
    common: dict[str, Any] = {
        "level": method.level,
        "method": _method(threshold),
        "coverage": pairs.coverage,
        "policy": a.table.policy,
        "cluster_key": pairs.a.cluster_key,
        "bounds": bounds_of_difference(a, b),
        "notes": _notes(a.table, b.table, dropped),
    }
    reason = _why_undefined(a, b, pairs)
    if reason:
        difference = Estimate(value=None, n=0, reason=reason, **common)
        return PairedComparison(difference=difference, p_reason=reason, **dropped)
    unit = mean_of_units(
        d,
        cluster,
        low=-1.0,
        high=1.0,
        method=method,
        unit="shared task",
    )
    p = _p_value(d, cluster, unit.clusters, method)
    difference = Estimate(
        value=unit.value,
        interval=unit.interval,
        standard_error=unit.standard_error,
        n=len(d),
        unit="shared tasks",
        seed=unit.seed if unit.seed is not None else (p.seed if p else None),
        clusters=unit.clusters,
        reason=unit.reason,
        **common,
    )
    return PairedComparison(
        difference=difference,
        p=p.value if p else None,
        p_method=p.method if p else None,
        p_reason=None if p else unit.reason,
        mcnemar=_mcnemar(pairs) if cluster is None and p else None,
        wins=int((d > 0).sum()),
        losses=int((d < 0).sum()),
        ties=int((d == 0).sum()),
        mean_a=exact_mean(pairs.a.mean),
        mean_b=exact_mean(pairs.b.mean),
        **dropped,
    )


def _method(threshold: float | None) -> str:
    what = "mean reward" if threshold is None else f"share of attempts with reward >= {threshold:g}"
    return f"paired difference in {what}, attempts averaged by task, then shared tasks"


def _notes(left: TaskTable, right: TaskTable, dropped: dict[str, int]) -> tuple[str, ...]:
    notes = []
    for side, number in (("A", dropped["only_a"]), ("B", dropped["only_b"])):
        if number:
            notes.append(f"{count(number, 'task')} dropped from the pairing: only {side} has a result there")
    for side, table in (("A", left), ("B", right)):
        if table.excluded:
            notes.append(
                f"{count(table.excluded, 'task')} of {side} left out: every attempt failed in the machinery"
            )
    return tuple(notes)


def _why_undefined(a: Side, b: Side, pairs: Pairs) -> str | None:
    for name, side in (("A", a), ("B", b)):
        if not side.trials:
            return f"{name} has no trials"
    if not len(pairs.difference):
        return "A and B share no task with a result on both sides"
    for name, table in (("A", pairs.a), ("B", pairs.b)):
        coverage = coverage_of(table.statuses.sum(axis=0))
        if coverage.verifier_failed == coverage.trials:
            return (
                f"the machinery failed in {all_of(coverage.trials, 'trial')} of {name} on the shared tasks: "
                "nothing is known about the rewards"
            )
    return None


def _p_value(d: FloatArray, cluster: Any, clusters: int | None, method: Method) -> PValue | None:
    """None where a standard error is undefined as well: one task, or one cluster, decides nothing."""
    groups = len(d) if clusters is None else clusters
    if groups < 2:
        return None
    sums = d if cluster is None else cluster_sums(d, np.unique(cluster, return_inverse=True)[1])
    return sign_flip_p(sums, seed=method.seed, draws=method.draws(DRAWS))


def _mcnemar(pairs: Pairs) -> McNemar | None:
    x, y = pairs.a.mean, pairs.b.mean
    single = (pairs.a.attempts == 1).all() and (pairs.b.attempts == 1).all()
    if not (single and np.isin(x, (0, 1)).all() and np.isin(y, (0, 1)).all()):
        return None
    only_a, only_b = int((x > y).sum()), int((x < y).sum())
    return McNemar(only_a=only_a, only_b=only_b, p=mcnemar_p(only_a, only_b).value)
