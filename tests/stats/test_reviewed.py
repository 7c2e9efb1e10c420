"""Reviews that were chosen on purpose: weighted by the chance of being chosen, or no estimate."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import UsageError
from adjudge.stats import (
    effective_counts,
    inclusion_chances,
    prediction_powered_mean,
    reviewed_mean,
    why_not_a_sample,
)


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


def test_effective_counts_are_plain_counts_of_a_plain_sample() -> None:
    """6 of 8, all with the same chance: the variance p(1 - p)/n of 8 coin flips."""
    hits = [1, 1, 1, 1, 1, 1, 0, 0]
    assert effective_counts(hits, 0.2) == pytest.approx((6.0, 8.0))
    assert effective_counts([], 0.2) == (0.0, 0.0)
    assert effective_counts([1, 1, 1], [0.5, 0.5, 0.5]) == pytest.approx((3.0, 3.0))


def test_effective_counts_weigh_and_cluster() -> None:
    """Hits with weight 10, a miss with weight 1: share 20/21; residuals 10/21, 10/21, -20/21 over 21."""
    hits, number = effective_counts([1, 1, 0], [0.1, 0.1, 1.0])
    variance = (2 * (10 / 21) ** 2 + (20 / 21) ** 2) / 21**2
    assert hits / number == pytest.approx(20 / 21)
    assert number == pytest.approx(20 / 21 * (1 / 21) / variance)
    alone = effective_counts([1, 1, 0, 0], 0.5)[1]
    assert effective_counts([1, 1, 0, 0], 0.5, ["x", "x", "y", "y"])[1] == pytest.approx(alone / 2)


def test_reviews_that_cannot_speak_for_all_trials_say_so() -> None:
    assert why_not_a_sample(np.full(50, 0.1), 500) is None
    assert why_not_a_sample([1.0] * 20 + [0.1] * 30, 320) is None
    only_disagreements = why_not_a_sample([1.0] * 20, 500)
    assert only_disagreements is not None
    assert "stand, by their probabilities, for 20 of 500 trials" in only_disagreements
    assert "too small" in (why_not_a_sample(np.full(95, 0.1), 500) or "")


def test_a_prediction_powered_mean_undoes_the_choice() -> None:
    """Reviewed: every trial that the verifier failed, one in ten that it passed. People pass 60 % of all."""
    rng = np.random.default_rng(8)
    labels = rng.random(4000) < 0.6
    scores = np.where(rng.random(4000) < 0.2, ~labels, labels).astype(float)
    chances = np.where(scores == 0, 1.0, 0.1)
    seen = rng.random(4000) < chances
    plain = prediction_powered_mean(labels[seen], scores[seen], scores[~seen])
    weighted = prediction_powered_mean(labels[seen], scores[seen], scores[~seen], chances=chances[seen])
    assert plain.value is not None
    assert weighted.value is not None
    assert weighted.interval is not None
    assert weighted.value == pytest.approx(labels.mean(), abs=0.03)
    assert weighted.interval.low < labels.mean() < weighted.interval.high
    assert abs(plain.value - labels.mean()) > 3 * abs(weighted.value - labels.mean())


def test_attempts_at_one_task_are_one_review_for_the_error() -> None:
    labels, scores = [1.0, 1.0, 0.0, 0.0, 1.0, 1.0], [1.0, 0.9, 0.1, 0.2, 0.8, 1.0]
    alone = prediction_powered_mean(labels, scores, [0.5] * 20, chances=0.2)
    by_task = prediction_powered_mean(labels, scores, [0.5] * 20, chances=0.2, cluster=[0, 0, 1, 1, 2, 2])
    assert by_task.value == alone.value
    assert by_task.clusters == 3
    assert by_task.interval is not None
    assert alone.interval is not None
    assert by_task.interval.high - by_task.interval.low > alone.interval.high - alone.interval.low
