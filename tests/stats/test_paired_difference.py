"""Two agents: only shared tasks are compared, what was dropped is said, and chance is given its due."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.stats import (
    GateOutcome,
    Method,
    PairedComparison,
    Status,
    TrialTable,
    gate,
    paired_difference,
    plan_power,
)

BASE = np.array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
STEP = np.array([0.5, -0.25, 0.1, 0.3, 0, 0.2, 0.4, -0.1])
TASKS = [f"t{i}" for i in range(8)]


@pytest.mark.parametrize(("attempts", "other"), [([0.1, 0.7], 0.4), ([0.1, 0.2, 0.3], 0.2)])
def test_means_that_differ_by_rounding_alone_are_tied(attempts: list[float], other: float) -> None:
    a = TrialTable.of([task for task in TASKS for _ in attempts], attempts * len(TASKS))
    result = paired_difference(a, TrialTable.of(TASKS, [other] * len(TASKS)))
    assert (result.wins, result.losses, result.ties) == (0, 0, 8)
    assert result.difference.value == 0


def test_difference_error_and_exact_p() -> None:
    """Mean of STEP = 1.15/8 = 0.14375; numpy std(ddof=1)/sqrt(8).

    scipy permutation_test(permutation_type="samples", n_resamples=inf) on the sum: p = 0.171875 = 44/256.
    """
    result = paired_difference(TrialTable.of(TASKS, BASE + STEP), TrialTable.of(TASKS, BASE))
    estimate = result.difference
    assert estimate.value == pytest.approx(0.14375)
    error = STEP.std(ddof=1) / np.sqrt(8)
    assert estimate.standard_error == pytest.approx(error)
    assert result.p == 0.171875
    assert result.better is None
    assert result.p_method == "sign flips, all 2^7"  # the task without a difference cannot flip
    assert (result.wins, result.losses, result.ties) == (5, 2, 1)
    assert result.mean_a == pytest.approx(0.64375)
    assert result.mean_b == 0.5


def test_pairing_drops_what_only_one_side_has_and_says_so() -> None:
    """Shared: t2 alone would be 1 - 0.25; the unshared ones do not count."""
    result = paired_difference(
        TrialTable.of(["t1", "t2", "t3"], [0, 1, 1]),
        TrialTable.of(["t2", "t3", "t4", "t5"], [0.25, 0.5, 1, 1]),
    )
    assert result.difference.value == pytest.approx((0.75 + 0.5) / 2)
    assert (result.shared, result.only_a, result.only_b) == (2, 1, 2)
    assert result.difference.notes == (
        "1 task dropped from the pairing: only A has a result there",
        "2 tasks dropped from the pairing: only B has a result there",
    )


def test_with_rewards_of_zero_or_one_the_flips_are_mcnemars_test() -> None:
    """statsmodels mcnemar([[5, 9], [2, 4]], exact=True).pvalue = 0.0654296875."""
    a = [1] * 5 + [1] * 9 + [0] * 2 + [0] * 4
    b = [1] * 5 + [0] * 9 + [1] * 2 + [0] * 4
    result = paired_difference(TrialTable.of(range(20), a), TrialTable.of(range(20), b))
    assert (result.wins, result.losses) == (9, 2)
    assert result.p == pytest.approx(0.0654296875)
    assert (result.p_method, result.better) == ("sign flips, all 2^11", None)


def test_five_tasks_show_nothing_however_alike_they_are() -> None:
    """All five differ by +0.30 to +0.32. Of 2^5 flips two are as far out: p = 0.0625; every number agrees."""
    a = TrialTable.of(range(5), [0.8, 0.805, 0.81, 0.815, 0.82])
    b = TrialTable.of(range(5), [0.5] * 5)
    result = paired_difference(a, b)
    assert result.p == 0.0625
    assert result.better is None
    assert result.difference.interval is not None
    assert result.difference.interval.low < 0 < result.difference.interval.high
    assert gate(b, a, margin=0.02).outcome is GateOutcome.UNDECIDED
    assert plan_power(a, b).tasks_needed == 6
    six = paired_difference(
        TrialTable.of(range(6), [0.8, 0.8, 0.805, 0.81, 0.815, 0.82]), TrialTable.of(range(6), [0.5] * 6)
    )
    assert (six.p, six.better) == (2 / 64, "a")
    assert six.difference.interval is not None
    # Of six, the flips reach from least to most; but 3.8415/(6 + 3.8415) of all tasks may be unseen ties.
    assert six.difference.interval.low == pytest.approx(1.85 / 6 * 6 / (6 + 3.841459))


def test_what_few_tasks_show_carries_a_caveat() -> None:
    """Twelve small wins are no chance among equals; but 0.9^12 = 28 %: a tenth of all tasks may be unseen."""
    wins = 0.5 + np.linspace(0.08, 0.12, 12)
    few = paired_difference(TrialTable.of(range(12), wins), TrialTable.of(range(12), [0.5] * 12))
    assert few.better == "a"
    assert few.difference.caveats == (
        "this holds for tasks like these 12: up to 22 % of all tasks may be of a kind that is missing here, "
        "and could reverse it",
    )
    wins = 0.5 + np.linspace(0.08, 0.12, 60)
    many = paired_difference(TrialTable.of(range(60), wins), TrialTable.of(range(60), [0.5] * 60))
    assert (many.better, many.difference.caveats) == ("a", ())


def test_a_task_without_a_result_is_no_tie() -> None:
    """On task 2 every verifier failed, on both sides: 0.0 against 0.0 would be a tie that nobody played."""
    a = TrialTable.of([1, 2, 3], [1, 0, 1], status=[0, 2, 0])
    b = TrialTable.of([1, 2, 3], [0.5, 0, 0.5], status=[0, 2, 0])
    result = paired_difference(a, b)
    assert (result.shared, result.ties, result.difference.value) == (2, 0, 0.5)
    assert result.difference.notes == (
        "1 task of A left out: every attempt failed in the machinery",
        "1 task of B left out: every attempt failed in the machinery",
    )


def test_clusters_flip_together() -> None:
    """Cluster sums of A - B: 0.5 + 0.5 = 1, 0.25 + 0.25 = 0.5. Of 4 flips, ±1.5 are as far out: p = 0.5."""
    a = TrialTable.of([1, 2, 3, 4], [1, 1, 0.75, 0.75], cluster=["x", "x", "y", "y"], cluster_key="template")
    b = TrialTable.of([1, 2, 3, 4], [0.5] * 4)
    result = paired_difference(a, b)
    assert result.p == 0.5
    assert (result.difference.clusters, result.difference.cluster_key) == (2, "template")
    # residuals from 0.375: clusters 2 * 0.125 = 0.25 and -0.25; sqrt(2/1 * 0.125)/4 = 0.125
    assert result.difference.standard_error == pytest.approx(0.125)


def test_clusters_that_only_b_knows_count_too() -> None:
    a = TrialTable.of([1, 2, 3, 4], [1, 1, 0.75, 0.75])
    b = TrialTable.of([1, 2, 3, 4], [0.5] * 4, cluster=["x", "x", "y", "y"], cluster_key="template")
    result = paired_difference(a, b)
    assert (result.p, result.difference.clusters, result.difference.cluster_key) == (0.5, 2, "template")


def test_equal_agents_are_not_proven_equal() -> None:
    """No difference on 10 tasks: u = z²/(10 + z²) = 0.2775, so [-0.2775, 0.2775]; and p = 1."""
    trials = TrialTable.of(range(10), [1, 0] * 5)
    result = paired_difference(trials, trials)
    assert result.difference.value == 0.0
    assert result.difference.interval is not None
    assert result.difference.interval.high == pytest.approx(0.2775328, abs=1e-7)
    assert result.difference.interval.low == -result.difference.interval.high
    assert result.p == 1.0


def test_bounds_let_failures_favour_either_side() -> None:
    """A: 1 and a failure; B: 0.5 and 0.5. Low: (1 + 0)/2 - 0.5 = 0; high: (1 + 1)/2 - 0.5 = 0.5.

    The failed task has no result, so the difference is that of the other, under either policy.
    """
    a = TrialTable.of([1, 2], [1, 0], status=[Status.SCORED, Status.VERIFIER_FAILED])
    b = TrialTable.of([1, 2], [0.5, 0.5])
    for policy, value in (("zero", 0.5), ("exclude", 0.5)):
        estimate = paired_difference(a, b, method=Method(policy=policy)).difference  # type: ignore[arg-type]  # literals
        assert estimate.value == value
        assert estimate.bounds is not None
        assert (estimate.bounds.low, estimate.bounds.high) == (0.0, 0.5)


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        (TrialTable.of([], []), TrialTable.of([1], [1]), "A has no trials that count"),
        (TrialTable.of([1], [1]), TrialTable.of([], []), "B has no trials that count"),
        (TrialTable.of([1], [1]), TrialTable.of([2], [1]), "share no task"),
        (
            TrialTable.of([1], [1]),
            TrialTable.of([1], [0], status=[2]),
            "machinery failed in the only trial of B",
        ),
        (TrialTable.of([1], [1]), TrialTable.of([1], [0]), "one shared task has no standard error"),
        (
            TrialTable.of([1, 2], [1, 0], cluster=[0, 0]),
            TrialTable.of([1, 2], [0, 0]),
            "one cluster of 2 shared tasks has no standard error",
        ),
    ],
)
def test_undefined_says_why(a: TrialTable, b: TrialTable, says: str) -> None:
    result = paired_difference(a, b)
    assert result.difference.reason is not None
    assert says in result.difference.reason
    assert result.difference.interval is None
    assert result.p is None
    assert result.p_reason is not None
    assert PairedComparison.model_validate_json(result.model_dump_json()) == result
