"""Mean reward: attempts are averaged first, clusters widen the error, failures of the machine stand apart."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import UsageError
from adjudge.stats import Estimate, Method, Status, TrialTable, mean_reward, split, status_codes, task_table

REWARDS = [1, 0.5, 0.75, 0, 1, 0.25, 1, 1, 0.5, 0.9]
CLUSTERS = [0, 0, 0, 1, 1, 2, 2, 2, 3, 3]
TASKS = list(range(10))


def ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def test_the_standard_error_is_that_of_the_task_means() -> None:
    """numpy: x.mean() = 0.69, x.std(ddof=1)/sqrt(10) = 0.11421227799341209; scipy 1.17 t.interval, 9 df."""
    estimate = mean_reward(TrialTable.of(TASKS, REWARDS), method=Method(interval="t"))
    assert estimate.value == pytest.approx(0.69, abs=1e-15)
    assert estimate.standard_error == pytest.approx(0.11421227799341209, rel=1e-13)
    assert ends(estimate) == pytest.approx((0.43163387725770296, 0.9483661227422971), rel=1e-11)
    assert (estimate.n, estimate.unit, estimate.clusters) == (10, "tasks", None)


def test_equal_clusters_have_the_error_of_statsmodels() -> None:
    """Pairs of tasks: residual sums 0.12, -0.63, -0.13, 0.62, 0.02 from the mean 0.69.

    statsmodels' OLS(x, 1).fit(cov_type="cluster") is sqrt(5/4 * sum of squares)/10, with 4 df.
    """
    trials = TrialTable.of(TASKS, REWARDS, cluster=np.repeat(range(5), 2), cluster_key="template")
    estimate = mean_reward(trials, method=Method(interval="t"))
    squares = sum(x * x for x in (0.12, -0.63, -0.13, 0.62, 0.02))
    assert estimate.standard_error == pytest.approx(np.sqrt(5 / 4 * squares) / 10, rel=1e-12)
    assert estimate.interval is not None
    assert estimate.interval.method == "Student t, 4 df"
    assert (estimate.clusters, estimate.cluster_key) == (5, "template")


def test_attempts_are_averaged_before_tasks() -> None:
    """Task a: (1 + 1 + 0.4)/3 = 0.8; task b: 0.2; mean (0.8 + 0.2)/2 = 0.5, not 2.6/4 = 0.65."""
    estimate = mean_reward(TrialTable.of(["a", "a", "b", "a"], [1, 1, 0.2, 0.4]))
    assert estimate.value == pytest.approx(0.5)
    # the two task means differ by 0.6: s = 0.6/sqrt(2), s/sqrt(2) = 0.3
    assert estimate.standard_error == pytest.approx(0.3)
    assert estimate.n == 2


def test_zeros_and_ones_get_wilsons_interval() -> None:
    """scipy binomtest(7, 10).proportion_ci(method="wilson" | "exact")."""
    trials = TrialTable.of(TASKS, [1, 1, 1, 0, 1, 0, 1, 1, 0, 1])
    assert ends(mean_reward(trials)) == pytest.approx((0.39677814746114526, 0.892208732593699), rel=1e-11)
    exact = mean_reward(trials, method=Method(interval="exact"))
    assert ends(exact) == pytest.approx((0.3475471499399921, 0.9332604888222655), rel=1e-11)


def test_the_default_interval_is_wilsons_at_the_effective_sample_size() -> None:
    """Two tasks, 0.8 and 0.2: m = 0.5, SE = 0.3, n* = 0.25/0.09 = 2.7778, t with 1 df = 12.7062.

    centre = (0.5 + q²/2n*)/(1 + q²/n*) = 0.5; half = q/(1 + q²/n*) * sqrt(0.25/n* + q²/4n*²)
           = 12.7062/59.121 * sqrt(0.09 + 5.2308) = 0.21492 * 2.30669 = 0.49575
    """
    estimate = mean_reward(TrialTable.of(["a", "b"], [0.8, 0.2]))
    assert ends(estimate) == pytest.approx((0.5 - 0.49575, 0.5 + 0.49575), abs=2e-5)


def test_five_perfect_rewards_are_not_certainty() -> None:
    """Wilson, 5 of 5: 5/(5 + 1.959964²) = 0.5655175."""
    estimate = mean_reward(TrialTable.of(range(5), [1.0] * 5))
    assert estimate.value == 1.0
    assert ends(estimate) == pytest.approx((0.5655175352168251, 1.0), rel=1e-11)
    assert estimate.standard_error is None


def test_equal_graded_rewards_are_not_certainty_either() -> None:
    """u = z²/(5 + z²) = 0.4344825: between 0.5 - 0.5u and 0.5 + 0.5u."""
    for method in ("score", "t", "bca"):
        estimate = mean_reward(TrialTable.of(range(5), [0.5] * 5), method=Method(interval=method))
        assert ends(estimate) == pytest.approx((0.5 - 0.2172412, 0.5 + 0.2172412), abs=1e-7)


def test_clusters_of_equal_sums_are_not_certainty() -> None:
    """Each cluster holds one 0 and one 1: the sums of residuals are all 0, the clustered error vanishes."""
    estimate = mean_reward(TrialTable.of(range(6), [0, 1] * 3, cluster=[0, 0, 1, 1, 2, 2]))
    assert estimate.standard_error is None
    low, high = ends(estimate)
    assert low < 0.5 < high


def test_bootstrap_agrees_with_theory_and_names_its_seed() -> None:
    """A BCa interval lies near the t interval [0.432, 0.948], and leans down: the rewards pile up at 1."""
    trials = TrialTable.of(TASKS, REWARDS)
    estimate = mean_reward(trials, method=Method(interval="bca", seed=7))
    low, high = ends(estimate)
    assert 0.40 < low < 0.48
    assert 0.84 < high < 0.90
    assert estimate.seed == 7
    assert ends(mean_reward(trials, method=Method(interval="bca", seed=8))) != (low, high)
    assert mean_reward(trials).seed is None


class TestMachineryFailures:
    """What the machine failed to score is never silently a wrong answer."""

    trials = TrialTable.of(
        ["a", "b", "c", "d"],
        [1.0, 0.5, 0.0, 0.0],
        status=[Status.SCORED, Status.SCORED, Status.UNPARSEABLE, Status.VERIFIER_FAILED],
    )

    def test_zero_is_the_default_policy_and_bounds_stand_beside_it(self) -> None:
        """(1 + 0.5 + 0 + 0)/4 = 0.375; with the failure worth 1: 2.5/4 = 0.625."""
        estimate = mean_reward(self.trials)
        assert estimate.value == 0.375
        assert estimate.policy == "zero"
        assert estimate.bounds is not None
        assert (estimate.bounds.low, estimate.bounds.high) == (0.375, 0.625)
        assert estimate.coverage is not None
        assert estimate.coverage.model_dump() == {"scored": 2, "unparseable": 1, "verifier_failed": 1}

    def test_exclude_leaves_the_failure_out_and_keeps_the_bounds(self) -> None:
        """(1 + 0.5 + 0)/3 = 0.5: the output that does not parse still counts 0."""
        estimate = mean_reward(self.trials, method=Method(policy="exclude"))
        assert (estimate.value, estimate.n, estimate.policy) == (0.5, 3, "exclude")
        assert estimate.bounds is not None
        assert (estimate.bounds.low, estimate.bounds.high) == (0.375, 0.625)
        assert estimate.notes == ("1 task left out: every attempt failed in the machinery",)

    def test_complete_coverage_has_no_bounds(self) -> None:
        assert mean_reward(TrialTable.of([1, 2], [0, 1], status=[0, 1])).bounds is None

    @pytest.mark.parametrize("policy", ["zero", "exclude"])
    def test_nothing_but_failures_is_not_a_zero(self, policy: str) -> None:
        trials = TrialTable.of([1, 2], [0, 0], status=[Status.VERIFIER_FAILED] * 2)
        estimate = mean_reward(trials, method=Method(policy=policy))  # type: ignore[arg-type]  # parametrised
        assert estimate.value is None
        assert estimate.interval is None
        assert estimate.reason is not None
        assert "machinery failed in all 2 trials" in estimate.reason
        assert estimate.bounds is not None
        assert (estimate.bounds.low, estimate.bounds.high) == (0.0, 1.0)

    def test_status_follows_from_the_validity_flags(self) -> None:
        """An output that does not parse is worth 0.0 whether or not the verifier finished."""
        codes = status_codes([True, True, False, False], [True, False, True, False])
        assert codes.tolist() == [0, 2, 1, 1]


def test_thresholds_turn_rewards_into_passes() -> None:
    """Shares at or above 0.5: task a 2 of 3, task b 0 of 1; mean 1/3."""
    estimate = mean_reward(TrialTable.of(["a", "a", "b", "a"], [1, 0.5, 0.2, 0.4]), threshold=0.5)
    assert estimate.value == pytest.approx(1 / 3)
    assert "reward >= 0.5" in estimate.method


@pytest.mark.parametrize("threshold", [0.0, 1.5])
def test_a_threshold_that_nothing_or_everything_passes_is_refused(threshold: float) -> None:
    with pytest.raises(UsageError, match="not a threshold"):
        mean_reward(TrialTable.of([1], [0.5]), threshold=threshold)


def test_no_trials_split_into_no_groups() -> None:
    assert split(TrialTable.of([], []), []) == {}


def test_groups_are_split_by_code() -> None:
    groups = split(TrialTable.of([1, 2, 1, 2], [1, 0, 0.5, 0.25]), ["b", "a", "a", "b"])
    assert list(groups) == ["a", "b"]
    assert groups["a"].reward.tolist() == [0, 0.5]
    assert groups["b"].task.tolist() == [1, 2]


def test_unequal_attempts_each_count_within_their_task() -> None:
    table = task_table(TrialTable.of([1, 1, 1, 2], [0.1, 0.1, 0.1, 1.0]))
    assert table.attempts.tolist() == [3, 1]
    assert table.mean.tolist() == [0.1, 1.0]  # three times 0.1 is 0.1, not 0.10000000000000002
    assert table.within[0] == 0
    assert np.isnan(table.within[1])


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"task": [1, 2], "reward": [0.5]}, "equal length"),
        ({"task": [1], "reward": [1.5]}, "out of range; found 1.5"),
        ({"task": [1], "reward": [float("nan")]}, "out of range; found nan"),
        ({"task": [1], "reward": [0.5], "status": [3]}, "not a status"),
    ],
)
def test_columns_that_cannot_be_are_refused(columns: dict[str, list[float]], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        TrialTable.of(**columns)  # type: ignore[arg-type]  # parametrised


def test_requests_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="independent values of 0 or 1"):
        mean_reward(TrialTable.of([1, 2], [0.5, 1]), method=Method(interval="wilson"))
    with pytest.raises(UsageError, match="confidence level"):
        mean_reward(TrialTable.of([1, 2], [0.5, 1]), method=Method(level=95))
    with pytest.raises(UsageError, match="two clusters"):
        mean_reward(TrialTable.of([1, 1, 2], [0.5, 1, 1], cluster=["x", "y", "y"]))


def test_estimates_survive_json() -> None:
    estimate = mean_reward(TestMachineryFailures.trials, method=Method(policy="exclude"))
    assert Estimate.model_validate_json(estimate.model_dump_json()) == estimate
