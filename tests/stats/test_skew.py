"""Differences that lean to one side: the interval ends further out on the long side, and only there."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]  # scipy ships no types

from adjudge.stats import Method
from adjudge.stats.pairs.difference import difference_test
from adjudge.stats.pairs.skew import skewed_ends


def test_symmetric_differences_have_students_interval() -> None:
    values = np.array([-0.3, -0.1, 0.0, 0.1, 0.3])
    ends = skewed_ends(values, 0.0, None, 0.95)
    assert ends == pytest.approx(stats.t.interval(0.95, 4, 0.0, stats.sem(values)), abs=1e-9)


def test_a_long_tail_of_losses_adds_a_task_like_the_worst() -> None:
    """One loss of 0.9 among 39 gains of 0.1: the skewness is far above 1.5, so 1.5 tasks like it join.

    Mean 0.075, and the loss lies 0.975 below it. 40 errors: the square root of 40 times the variance.
    """
    values = np.array([-0.9] + [0.1] * 39)
    ends = skewed_ends(values, 0.075, None, 0.95)
    assert ends is not None
    squares = 40 * values.var(ddof=1) + 1.5 * 0.975**2
    low = 0.075 + (-1.5 * 0.975 - stats.t.ppf(0.975, 39) * np.sqrt(squares)) / 41.5
    assert ends[0] == pytest.approx(low, abs=1e-9)
    assert ends[1] == pytest.approx(0.075 + stats.t.ppf(0.975, 39) * stats.sem(values), abs=1e-9)


def test_it_is_the_same_seen_from_either_side_and_with_clusters_of_one() -> None:
    values = np.random.default_rng(1).exponential(0.1, 30)
    mean = float(values.mean())
    low, high = skewed_ends(values, mean, None, 0.95) or (0.0, 0.0)
    assert skewed_ends(-values, -mean, None, 0.95) == pytest.approx((-high, -low))
    assert skewed_ends(values, mean, np.arange(30), 0.95) == pytest.approx((low, high))


def test_equal_differences_have_none() -> None:
    assert skewed_ends(np.full(5, 0.1), 0.1, None, 0.95) is None


@pytest.mark.parametrize("tail", ["exponential", "rare total losses"])
def test_a_candidate_that_lost_the_margin_passes_no_more_often_than_promised(tail: str) -> None:
    """1,000 candidates at a margin of 0.05 and 100 tasks: at most 2.5 % (sd 0.5) pass."""
    rng = np.random.default_rng(8)
    if tail == "exponential":
        drawn = 0.1 - rng.exponential(0.15, (1000, 100))
    else:
        noise = rng.normal(0, 0.1, (1000, 100))
        drawn = np.where(rng.random((1000, 100)) < 0.05, -1.0, noise)
    passed = 0
    for row in drawn.clip(-1, 1):
        test = difference_test(row, None, Method(resamples=199))
        assert test is not None
        passed += test.interval(0.95).low > -0.05
    assert passed <= 25 + 2 * 5
