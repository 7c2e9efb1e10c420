"""Reviews that were chosen on purpose: weighted by the chance of being chosen, or no estimate."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import UsageError
from adjudge.stats import inclusion_chances, reviewed_mean


def test_weights_undo_the_choice() -> None:
    """Of 100 trials 80 pass. All 20 failures are reviewed and a tenth of the passes: 8 passes, 20 failures.

    Plain: 8/28 = 0.29. Weighted: 8 * 10/(8 * 10 + 20 * 1) = 0.8.
    """
    labels = [1.0] * 8 + [0.0] * 20
    estimate = reviewed_mean(labels, [0.1] * 8 + [1.0] * 20)
    assert estimate.value == pytest.approx(0.8)
    assert estimate.interval is not None
    assert estimate.interval.low < 0.8 < estimate.interval.high


def test_equal_chances_give_the_plain_mean_and_error() -> None:
    labels = np.array([1, 0, 1, 1, 0, 1, 1, 0.5])
    estimate = reviewed_mean(labels, 0.3)
    assert estimate.value == pytest.approx(labels.mean())
    assert estimate.standard_error == pytest.approx(labels.std(ddof=1) / np.sqrt(8))


def test_unknown_chances_give_no_estimate() -> None:
    estimate = reviewed_mean([1, 0, 1], None)
    assert estimate.value is None
    assert estimate.reason is not None
    assert estimate.reason.startswith("nobody recorded how the reviewed trials were chosen")


@pytest.mark.parametrize(
    ("labels", "cluster", "says"),
    [
        ([], None, "there are no reviews"),
        ([1.0], None, "one review has no standard error"),
        ([1.0, 0.0], ["x", "x"], "one cluster has no standard error"),
    ],
)
def test_too_few_reviews_say_why(labels: list[float], cluster: list[str] | None, says: str) -> None:
    estimate = reviewed_mean(labels, 0.5, cluster=cluster)
    assert estimate.interval is None
    assert estimate.reason == says


def test_all_the_same_is_not_certain() -> None:
    """Ten reviews that all pass: Wilson's z²/(10 + z²) = 0.2775 below 1, whatever their common weight."""
    estimate = reviewed_mean([1.0] * 10, 0.2)
    assert estimate.interval is not None
    assert estimate.interval.low == pytest.approx(1 - 0.2775328, abs=1e-6)


def test_reviews_of_one_task_count_together() -> None:
    labels = np.repeat([1.0, 0.0, 1.0, 1.0, 0.0, 1.0], 4)
    alone = reviewed_mean(labels, 0.5)
    together = reviewed_mean(labels, 0.5, cluster=np.repeat(range(6), 4).tolist())
    assert alone.standard_error is not None
    assert together.standard_error is not None
    assert together.standard_error > 1.8 * alone.standard_error
    assert together.clusters == 6


def test_chances_of_a_stratified_draw() -> None:
    """Two of four failures and one of three passes were drawn; nothing of the last stratum."""
    strata = ["fail"] * 4 + ["pass"] * 3 + ["odd"]
    chosen = [True, True, False, False, True, False, False, False]
    assert inclusion_chances(strata, chosen).tolist() == [0.5] * 4 + [pytest.approx(1 / 3)] * 3 + [0.0]


def test_a_weighted_interval_covers() -> None:
    """Low rewards are reviewed five times as often as high ones; the truth is covered in 95 % (sd 1)."""
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(500):
        reward = rng.random(600)
        truth = reward > 0.3  # what people would say
        chance = np.where(reward < 0.5, 0.5, 0.1)
        seen = rng.random(600) < chance
        interval = reviewed_mean(truth[seen].astype(float), chance[seen]).interval
        covered += interval is not None and interval.low <= truth.mean() <= interval.high
    assert covered / 500 > 0.93


def test_chances_out_of_range_are_refused() -> None:
    with pytest.raises(UsageError, match="out of range"):
        reviewed_mean([1, 0], [0.5, 0.0])
