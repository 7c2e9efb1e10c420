"""Power: the formula, its inverses, and a plan made from trials."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import UsageError
from adjudge.stats import TrialTable, VarianceParts, pilot_curve, plan_power, power_curve
from adjudge.stats.planning.power import (
    detectable_difference,
    fewest_groups,
    power_of,
    required_attempts,
    required_tasks,
)


def test_one_attempt_agrees_with_the_noncentral_t() -> None:
    """scipy: nct.sf(t.isf(0.025, n - 1), n - 1, delta/sd * sqrt(n)); 284 tasks are the first with 80 %."""
    parts = VarianceParts(between=0.09)
    for tasks, delta, expected in ((10, 0.3, 0.8031), (20, 0.15, 0.5645), (50, 0.06, 0.2832)):
        assert power_of(delta, tasks, parts) == pytest.approx(expected, abs=0.002)
    needed = required_tasks(0.05, parts)
    assert needed == pytest.approx(284.5, abs=1)
    assert detectable_difference(285, parts) == pytest.approx(0.05, rel=1e-3)


def test_no_plan_asks_for_fewer_tasks_than_flips_need() -> None:
    """At 95 % it takes 6: two of 2^6 flips are 3 %, two of 2^5 more than 5. At 99.9 %, 11."""
    assert (fewest_groups(0.95), fewest_groups(0.999)) == (6, 11)
    assert required_tasks(0.9, VarianceParts(between=0.0001)) == 6
    assert power_of(0.9, 5, VarianceParts(between=0.0001)) == 0.0


def test_attempts_shrink_only_the_noise_within_tasks() -> None:
    """w² = 0.01, s_A² = 0.2, s_B² = 0.1, K_A = 4, K_B = 2: 0.01 + 0.05 + 0.05 = 0.11."""
    parts = VarianceParts(between=0.01, within_a=0.2, within_b=0.1, attempts_a=4, attempts_b=2)
    assert parts.total == pytest.approx(0.11)
    assert parts.with_attempts(10).total == pytest.approx(0.04)


def test_the_inverses_invert() -> None:
    parts = VarianceParts(between=0.01, within_a=0.2, within_b=0.1, attempts_a=3, attempts_b=3)
    n = required_tasks(0.1, parts)
    assert n is not None
    assert power_of(0.1, n - 1, parts) < 0.8 <= power_of(0.1, n, parts)
    k = required_attempts(0.1, 50, parts)
    assert k is not None
    assert power_of(0.1, 50, parts.with_attempts(k - 1)) < 0.8 <= power_of(0.1, 50, parts.with_attempts(k))
    delta = detectable_difference(50, parts)
    assert delta is not None
    assert power_of(delta, 50, parts) == pytest.approx(0.8, abs=1e-4)


def test_no_number_of_attempts_replaces_tasks() -> None:
    """10 tasks, w² = 0.09: even without noise within, 0.1 needs some 73 tasks."""
    parts = VarianceParts(between=0.09, within_a=0.1, within_b=0.1)
    assert required_attempts(0.1, 10, parts) is None
    assert required_tasks(0.1, VarianceParts(between=0.09)) == pytest.approx(73, abs=1)


def test_a_curve_rises_with_tasks_and_attempts() -> None:
    parts = VarianceParts(between=0.02, within_a=0.2, within_b=0.2)
    curve = power_curve(parts, deltas=(0.1,), tasks=(10, 40, 160), attempts=(1, 8))
    assert [(point.tasks, point.attempts) for point in curve] == [
        (10, 1),
        (40, 1),
        (160, 1),
        (10, 8),
        (40, 8),
        (160, 8),
    ]
    few, many = [p.power for p in curve[:3]], [p.power for p in curve[3:]]
    assert few == sorted(few)
    assert all(a < b for a, b in zip(few, many, strict=True))


def test_plan_splits_the_variance_of_the_data() -> None:
    """Two attempts a task. A: 1,0 | 1,0 | 1,1 and B: 0,0 | 0,0 | 1,0.

    within A: (0.5 + 0.5 + 0)/3 = 1/3; within B: (0 + 0 + 0.5)/3 = 1/6. Differences 0.5, 0.5, 0.5 have no
    variance, so a fourth task with A = 0,0 and B = 1,1 (difference -1) is added: within A 1/4, B 1/8;
    differences 0.5, 0.5, 0.5, -1 have variance 0.5625; w² = 0.5625 - 1/8 - 1/16 = 0.375.
    """
    tasks = [1, 1, 2, 2, 3, 3, 4, 4]
    a = TrialTable.of(tasks, [1, 0, 1, 0, 1, 1, 0, 0])
    b = TrialTable.of(tasks, [0, 0, 0, 0, 1, 0, 1, 1])
    plan = plan_power(a, b, delta=0.25, simulate=False)
    assert plan.parts is not None
    assert plan.parts.within_a == pytest.approx(1 / 4)
    assert plan.parts.within_b == pytest.approx(1 / 8)
    assert plan.parts.between == pytest.approx(0.375)
    assert plan.detectable is None  # four tasks show nothing at all
    assert plan.tasks_needed == required_tasks(0.25, VarianceParts(between=0.5625))
    assert plan.attempts_needed is None  # four tasks differ too much among themselves


def test_attempts_never_make_for_more_variance_than_was_seen() -> None:
    """Means 0.5, 0.5, 0.5, 1 against 0: the differences have variance 0.0625.

    A's attempts 1,0 | 1,0 | 1,0 | 1,1 have 0.375 within, which alone would make for 0.1875. So two attempts
    are scaled to 0.0625, and nothing is left between tasks.
    """
    tasks = [1, 1, 2, 2, 3, 3, 4, 4]
    plan = plan_power(TrialTable.of(tasks, [1, 0, 1, 0, 1, 0, 1, 1]), TrialTable.of([1, 2, 3, 4], [0.0] * 4))
    assert plan.parts is not None
    assert plan.parts.between == 0.0
    assert plan.parts.within_a == pytest.approx(0.125)
    assert plan.parts.total == pytest.approx(0.0625)


def test_clusters_ask_for_more_tasks() -> None:
    """Pairs of tasks with the same difference carry half the information: the design effect is about 2."""
    d = [0.5, 0.5, 0.1, 0.1, 0.3, 0.3, 0.9, 0.9]
    a = TrialTable.of(range(8), d, cluster=[0, 0, 1, 1, 2, 2, 3, 3])
    b = TrialTable.of(range(8), [0.0] * 8)
    plan = plan_power(a, b, delta=0.1)
    assert plan.parts is not None
    # clustered: sqrt(4/3 * sum (2 r)²)/8; independent: s/sqrt(8); ratio of squares = (4/3 * 2)/(8/7) = 7/3
    assert plan.parts.design_effect == pytest.approx(7 / 3)


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        (TrialTable.of([], []), TrialTable.of([], []), "fewer than two shared tasks"),
        (TrialTable.of([1], [1]), TrialTable.of([1], [0]), "fewer than two shared tasks"),
        (TrialTable.of([1, 2], [1, 1]), TrialTable.of([1, 2], [0, 0]), "no variance"),
        (TrialTable.of([1, 2], [1, 0], cluster=[1, 1]), TrialTable.of([1, 2], [0, 0]), "one cluster"),
        (TrialTable.of([1, 2], [1, 0]), TrialTable.of([1, 2], [0, 1]), "observed difference is zero"),
    ],
)
def test_no_plan_says_why(a: TrialTable, b: TrialTable, says: str) -> None:
    plan = plan_power(a, b)
    assert plan.tasks_needed is None
    assert plan.reason is not None
    assert says in plan.reason


def test_a_plan_for_a_gate_counts_what_ties_hide() -> None:
    """190 ties, 5 wins, 5 losses of 200: to rule out a rare loss of 2 % takes z² * 0.98/0.02 = 189 tasks."""
    values = [0.0] * 190 + [1.0] * 5 + [-1.0] * 5
    a = TrialTable.of(range(200), [(1 + v) / 2 for v in values])
    b = TrialTable.of(range(200), [0.5] * 200)
    plan = plan_power(a, b, delta=0.02, gate=True)
    assert plan.tasks_needed is not None
    assert plan.tasks_needed >= 189


def test_plans_are_simulated_from_the_pilot() -> None:
    """Rewards of 0 or 1 that differ on 12 tasks of 40, 9 to 3: the plan keeps them 0 or 1."""
    a = TrialTable.of(range(40), [1] * 9 + [0] * 3 + [1] * 28)
    b = TrialTable.of(range(40), [0] * 9 + [1] * 3 + [1] * 28)
    plan = plan_power(a, b)
    assert plan.method == "simulated 400 times"
    assert plan.delta == pytest.approx(0.15)
    assert plan.power_now is not None
    assert plan.tasks_needed is not None
    assert plan.power_now < 0.8
    assert 60 < plan.tasks_needed < 140
    assert plan_power(a, b) == plan


def test_zero_is_not_a_difference_to_show() -> None:
    with pytest.raises(UsageError, match="difference of zero"):
        required_tasks(0, VarianceParts(between=0.1))


@pytest.mark.parametrize("gate", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_the_curve_of_a_pilot_passes_through_its_plan(gate: bool, clustered: bool) -> None:
    """The same simulation with the same seed: what the plan says of now and of the tasks needed is on it."""
    rng = np.random.default_rng(4)
    cluster = np.arange(24) // 2 if clustered else None
    a = TrialTable.of(range(24), rng.random(24).round(1), cluster=cluster)
    b = TrialTable.of(range(24), (a.reward - rng.normal(0, 0.2, 24)).clip(0, 1).round(1), cluster=cluster)
    plan = plan_power(a, b, delta=0.15, gate=gate)
    assert plan.method.startswith("simulated")
    assert plan.tasks_needed is not None
    curve = pilot_curve(a, b, plan, tasks=[24, plan.tasks_needed], attempts=[1])
    by_tasks = {point.tasks: point for point in curve}
    assert by_tasks[24].power == plan.power_now
    assert by_tasks[plan.tasks_needed].power >= plan.power
    assert all(point.simulated for point in curve)


@pytest.mark.parametrize("delta", [None, 0.1])
def test_a_plan_is_the_same_whichever_side_comes_first(delta: float | None) -> None:
    """Skewed differences: tilted the other way they would ask for another number of tasks."""
    rng = np.random.default_rng(8)
    drawn = np.where(rng.random(30) < 0.2, 0.9, 0.1) + rng.uniform(-0.05, 0.05, 30)
    a, b = TrialTable.of(range(30), drawn), TrialTable.of(range(30), rng.uniform(0.1, 0.2, 30))
    assert plan_power(a, b, delta=delta) == plan_power(b, a, delta=delta)
    assert plan_power(a, b, delta=0.1, gate=True) != plan_power(b, a, delta=0.1, gate=True)


def test_unequal_attempts_count_like_so_many_on_both_sides() -> None:
    parts = VarianceParts(between=0.1, within_a=0.2, within_b=0.1, attempts_a=50, attempts_b=1)
    assert parts.with_attempts(parts.attempts).total == pytest.approx(parts.total)
    assert VarianceParts(between=0.1, attempts_a=3, attempts_b=1).attempts == 2
