"""Power: the formula, its inverses, and a plan made from trials."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import UsageError
from adjudge.stats import TrialTable, plan_power
from adjudge.stats.power import VarianceParts, detectable_difference, required_attempts, required_tasks

Z = 1.959963984540 + 0.841621233573  # 97.5 % and 80 % points of the normal distribution


def test_one_attempt_agrees_with_statsmodels() -> None:
    """statsmodels NormalIndPower(ddof=0).solve_power(0.05/0.3, alpha=0.05, power=0.8, ratio=0) = 282.55898.

    It also counts the negligible chance of a significant result on the wrong side, hence the tolerance.
    """
    parts = VarianceParts(between=0.09)
    assert required_tasks(0.05, parts) == pytest.approx(282.5589779812559, rel=1e-5)
    assert required_tasks(0.05, parts) == pytest.approx(Z**2 * 0.09 / 0.0025)
    # ... solve_power(nobs1=200, ...) * 0.3 = 0.059430536472933046
    assert detectable_difference(200, parts) == pytest.approx(0.059430536472933046, rel=1e-5)


def test_attempts_shrink_only_the_noise_within_tasks() -> None:
    """w² = 0.01, s_A² = 0.2, s_B² = 0.1, K_A = 4, K_B = 2: 0.01 + 0.05 + 0.05 = 0.11."""
    parts = VarianceParts(between=0.01, within_a=0.2, within_b=0.1, attempts_a=4, attempts_b=2)
    assert parts.total == pytest.approx(0.11)
    assert required_tasks(0.1, parts) == pytest.approx(Z**2 * 0.11 / 0.01)


def test_the_inverses_invert() -> None:
    parts = VarianceParts(between=0.01, within_a=0.2, within_b=0.1, attempts_a=3, attempts_b=3)
    n = required_tasks(0.1, parts)
    assert detectable_difference(1, parts) / np.sqrt(n) == pytest.approx(0.1)
    tasks = 50
    k = required_attempts(0.1, tasks, parts)
    assert k is not None
    enough = parts.model_copy(update={"attempts_a": k, "attempts_b": k})
    assert required_tasks(0.1, enough) == pytest.approx(tasks)


def test_no_number_of_attempts_replaces_tasks() -> None:
    """10 tasks, w² = 0.09: even without noise within, 0.1 needs 7.85 * 0.09/0.01 = 71 tasks."""
    assert required_attempts(0.1, 10, VarianceParts(between=0.09, within_a=0.1, within_b=0.1)) is None


def test_plan_splits_the_variance_of_the_data() -> None:
    """Two attempts a task. A: 1,0 | 1,0 | 1,1 and B: 0,0 | 0,0 | 1,0.

    within A: (0.5 + 0.5 + 0)/3 = 1/3; within B: (0 + 0 + 0.5)/3 = 1/6. Differences 0.5, 0.5, 0.5 have no
    variance, so a fourth task with A = 0,0 and B = 1,1 (difference -1) is added: within A 1/4, B 1/8;
    differences 0.5, 0.5, 0.5, -1 have variance 0.5625; w² = 0.5625 - 1/8 - 1/16 = 0.375.
    """
    tasks = [1, 1, 2, 2, 3, 3, 4, 4]
    a = TrialTable.of(tasks, [1, 0, 1, 0, 1, 1, 0, 0])
    b = TrialTable.of(tasks, [0, 0, 0, 0, 1, 0, 1, 1])
    plan = plan_power(a, b, delta=0.25)
    assert plan.parts is not None
    assert plan.parts.within_a == pytest.approx(1 / 4)
    assert plan.parts.within_b == pytest.approx(1 / 8)
    assert plan.parts.between == pytest.approx(0.375)
    assert plan.detectable == pytest.approx(Z * np.sqrt(0.5625 / 4))
    assert plan.tasks_needed == int(np.ceil(Z**2 * 0.5625 / 0.0625))
    assert plan.attempts_needed is None  # four tasks differ too much among themselves


def test_attempts_never_make_for_more_variance_than_was_seen() -> None:
    """Means 0.5, 0.5, 0.5, 1 against 0: the differences have variance 0.0625.

    A's attempts 1,0 | 1,0 | 1,0 | 1,1 have 0.375 within, which alone would make for 0.1875. So two attempts
    are scaled to 0.0625, nothing is left between tasks, and what could be shown is Z s/sqrt(4).
    """
    tasks = [1, 1, 2, 2, 3, 3, 4, 4]
    plan = plan_power(TrialTable.of(tasks, [1, 0, 1, 0, 1, 0, 1, 1]), TrialTable.of([1, 2, 3, 4], [0.0] * 4))
    assert plan.parts is not None
    assert plan.parts.between == 0.0
    assert plan.parts.within_a == pytest.approx(0.125)
    assert plan.detectable == pytest.approx(Z * np.sqrt(0.0625 / 4))


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


def test_zero_is_not_a_difference_to_show() -> None:
    with pytest.raises(UsageError, match="difference of zero"):
        required_tasks(0, VarianceParts(between=0.1))
