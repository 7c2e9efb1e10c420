"""Rates behind an imperfect judge, and means that judges' scores make sharper."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import UsageError
from adjudge.stats import corrected_pass_rate, prediction_powered_mean

LABELS = [1, 0, 1, 1, 0, 1, 0, 1, 1, 0]
SCORES = [1, 0.2, 0.1, 0.9, 0.6, 1, 0, 0.3, 1, 0.4]
MANY = np.round(np.linspace(0.05, 0.95, 40) ** 0.5, 3)


class TestRoganGladen:
    """What share truly passes."""

    def test_by_hand(self) -> None:
        """p = 0.6, Se = 0.9, Sp = 0.8: (0.6 + 0.8 - 1)/(0.9 + 0.8 - 1) = 0.4/0.7."""
        estimate = corrected_pass_rate(60, 100, true_passes=45, positives=50, true_fails=40, negatives=50)
        assert estimate.value == pytest.approx(0.4 / 0.7)
        assert estimate.interval is not None
        assert estimate.interval.low < 0.4 / 0.7 < estimate.interval.high

    def test_interval_by_hand(self) -> None:
        """Lang and Reiczigel with z² = 3.841459: p' = 61.92073/103.841459, Se' = 46/52, Sp' = 41/52.

        youden' = 35/52 = 0.673077; t' = (0.596301 + 0.788462 - 1)/0.673077 = 0.571647.
        v_se = 0.884615*0.115385/52 = 0.00196290, v_sp = 0.788462*0.211538/52 = 0.00320749.
        shift = 2z²(t' v_se - (1-t') v_sp) = 7.682918*(0.00112208 - 0.00137394) = -0.00193500.
        error = sqrt(0.596301*0.403699/103.841459 + 0.326780*0.00196290 + 0.183486*0.00320749)/0.673077
              = sqrt(0.00231820 + 0.00064144 + 0.00058853)/0.673077 = 0.0884990.
        [0.571647 - 0.001935 -+ 1.959964*0.088499] = [0.39626, 0.74317].
        """
        interval = corrected_pass_rate(
            60, 100, true_passes=45, positives=50, true_fails=40, negatives=50
        ).interval
        assert interval is not None
        assert (interval.low, interval.high) == pytest.approx((0.39626, 0.74317), abs=2e-5)

    def test_a_perfect_judge_changes_nothing_but_stays_uncertain(self) -> None:
        estimate = corrected_pass_rate(5, 5, true_passes=20, positives=20, true_fails=20, negatives=20)
        assert estimate.value == 1.0
        assert estimate.interval is not None
        assert estimate.interval.low < 0.8

    def test_outside_a_share_is_cut_off_and_said(self) -> None:
        """p = 0.1 with Sp = 0.8: (0.1 - 0.2)/0.7 < 0."""
        estimate = corrected_pass_rate(10, 100, true_passes=45, positives=50, true_fails=40, negatives=50)
        assert estimate.value == 0.0
        assert estimate.notes == ("the formula gives -0.1429, which is cut off to a share",)

    @pytest.mark.parametrize(
        ("n", "counts", "says"),
        [
            (0, (45, 50, 40, 50), "seen no trials"),
            (10, (0, 0, 40, 50), "no trial that people passed"),
            (10, (45, 50, 0, 0), "no trial that people failed"),
            (10, (25, 50, 25, 50), "no better than chance"),
        ],
    )
    def test_undefined_says_why(self, n: int, counts: tuple[int, int, int, int], says: str) -> None:
        estimate = corrected_pass_rate(
            n // 2, n, true_passes=counts[0], positives=counts[1], true_fails=counts[2], negatives=counts[3]
        )
        assert estimate.value is None
        assert estimate.reason is not None
        assert says in estimate.reason

    def test_counts_that_cannot_be(self) -> None:
        with pytest.raises(UsageError, match="exceeds its total"):
            corrected_pass_rate(5, 4, true_passes=1, positives=1, true_fails=1, negatives=1)


class TestPredictionPowered:
    """All scores plus a few labels."""

    def test_value_is_that_of_ppi(self) -> None:
        """ppi-python 0.2.3 ppi_mean_pointestimate(Y, f, g, lam=1.3133509716904892) = 0.76489121.

        The weight by numpy: cov(Y, f)[0, 1]/((1 + 10/40) * var(f and g, ddof=1)) = 1.3133509716904892.
        """
        estimate = prediction_powered_mean(LABELS, SCORES, MANY)
        assert estimate.value == pytest.approx(0.76489121, abs=1e-8)
        assert "weight 1.31335" in estimate.method

    def test_error_by_numpy(self) -> None:
        """sqrt(var(Y - l f)/10 + l² var(g)/40), the first with 8 degrees of freedom: l is estimated."""
        y, f = np.array(LABELS, float), np.array(SCORES)
        weight = np.cov(y, f)[0, 1] / (1.25 * np.var(np.concatenate((f, MANY)), ddof=1))
        residual = np.sum((y - weight * f - np.mean(y - weight * f)) ** 2) / 8
        error = np.sqrt(residual / 10 + weight**2 * np.var(MANY, ddof=1) / 40)
        estimate = prediction_powered_mean(LABELS, SCORES, MANY)
        assert estimate.standard_error == pytest.approx(error)
        assert estimate.interval is not None
        assert estimate.value is not None
        # Wilson at n* = m(1 - m)/SE² with t of 8 degrees: the smaller root of (m - x)² = t² x(1 - x)/n*
        m, q = estimate.value, 2.306004135**2 * error**2 / (estimate.value * (1 - estimate.value))
        centre, half = (m + q / 2) / (1 + q), np.sqrt(m * (1 - m) * q + q**2 / 4) / (1 + q)
        assert estimate.interval.low == pytest.approx(centre - half, rel=1e-9)

    @pytest.mark.parametrize("share", [0.5, 0.9])
    def test_intervals_cover(self, share: float) -> None:
        """Labels of 0 or 1, scores that are a noisy view of them. Student's t covers 91 % at 0.9."""
        rng = np.random.default_rng(4)
        hits = 0
        for _ in range(400):
            truth = (rng.random(240) < share).astype(float)
            scores = np.clip(truth + rng.normal(0, 0.3, 240), 0, 1)
            found = prediction_powered_mean(truth[:40], scores[:40], scores[40:]).interval
            assert found is not None
            hits += found.low <= share <= found.high
        assert 0.93 <= hits / 400 <= 0.98

    def test_good_scores_make_the_interval_narrower(self) -> None:
        rng = np.random.default_rng(0)
        truth = rng.random(1030)
        scores = np.clip(truth + rng.normal(0, 0.05, 1030), 0, 1)
        powered = prediction_powered_mean(truth[:30], scores[:30], scores[30:])
        plain = prediction_powered_mean(truth[:30], [0.5] * 30, [0.5] * 1000)
        assert powered.standard_error is not None
        assert plain.standard_error is not None
        assert powered.standard_error < 0.5 * plain.standard_error

    def test_a_useless_score_leaves_the_plain_mean(self) -> None:
        for scores, rest in (([0.5] * 10, [0.5] * 40), (SCORES, [])):
            estimate = prediction_powered_mean(LABELS, scores, rest)
            assert estimate.value == pytest.approx(0.6)
            assert estimate.standard_error == pytest.approx(np.std(LABELS, ddof=1) / np.sqrt(10))

    def test_one_unlabelled_score_brings_the_variance_of_all(self) -> None:
        """It shows none of its own; taking it for certain would make the interval too narrow."""
        y, f, g = np.array(LABELS, float), np.array(SCORES), np.array([0.5])
        spread = np.var(np.concatenate((f, g)), ddof=1)
        weight = np.cov(y, f)[0, 1] / (11 * spread)
        residual = np.sum((y - weight * f - np.mean(y - weight * f)) ** 2) / 8
        estimate = prediction_powered_mean(LABELS, SCORES, g)
        assert estimate.standard_error == pytest.approx(np.sqrt(residual / 10 + weight**2 * spread))

    def test_degenerate_labels(self) -> None:
        none = prediction_powered_mean([], [], [0.5, 0.6])
        assert (none.value, none.reason) == (None, "there are no labels")
        one = prediction_powered_mean([1], [0.9], [0.5, 0.6])
        assert (one.value, one.interval, one.reason) == (1.0, None, "one label has no standard error")
        equal = prediction_powered_mean([1] * 5, [0.9] * 5, [0.9] * 9)
        assert equal.value == 1.0
        assert equal.interval is not None
        assert equal.interval.low == pytest.approx(0.5655175, abs=1e-6)  # Wilson, 5 of 5

    def test_columns_that_cannot_be(self) -> None:
        with pytest.raises(UsageError, match="score of the same trial"):
            prediction_powered_mean([1, 0], [0.5], [])
        with pytest.raises(UsageError, match="out of range"):
            prediction_powered_mean([1, 0], [0.5, float("nan")], [])
