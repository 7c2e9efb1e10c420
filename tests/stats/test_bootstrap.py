"""The BCa arithmetic is scipy's; the draws are ours, and the same for ever."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]  # scipy ships no types

from adjudge.stats import Method, TrialTable, mean_reward
from adjudge.stats.means.bootstrap import bca_interval
from adjudge.stats.means.draws import index_blocks, subset_sums

REWARDS = np.array([1, 0.5, 0.75, 0, 1, 0.25, 1, 1, 0.5, 0.9])

FIRST_INDICES = [[3, 5, 0, 5, 1, 2], [4, 2, 3, 0, 4, 3]]
FIRST_SUBSETS = [49.0, 44.0, 13.0, 3.0]  # 110001, 101100, 001101, 000011


def test_the_arithmetic_is_scipys() -> None:
    """Given scipy's own replicates, the interval is scipy's to ten digits."""
    result = stats.bootstrap(
        (REWARDS,), np.mean, method="BCa", n_resamples=2000, rng=np.random.default_rng(1), vectorized=True
    )
    jackknife = (REWARDS.sum() - REWARDS) / 9
    interval = bca_interval(float(REWARDS.mean()), result.bootstrap_distribution, jackknife)
    assert interval is not None
    expected = (result.confidence_interval.low, result.confidence_interval.high)
    assert (interval.low, interval.high) == pytest.approx(expected, rel=1e-10)


def test_weights_stand_for_repeated_units() -> None:
    """Leaving out one of three equal units, three times, is the same as once with weight three."""
    replicates = np.linspace(0.1, 0.9, 501)
    long = bca_interval(0.45, replicates, np.array([0.3, 0.3, 0.3, 0.6]))
    short = bca_interval(0.45, replicates, np.array([0.3, 0.6]), weights=np.array([3.0, 1.0]))
    assert long is not None
    assert short is not None
    assert (long.low, long.high) == pytest.approx((short.low, short.high), rel=1e-12)


def test_our_own_draws_give_nearly_the_same() -> None:
    """scipy, 9999 resamples, seeds 0 to 5: low ends of 0.425 to 0.44, high ends of 0.865 to 0.875."""
    interval = mean_reward(TrialTable.of(range(10), REWARDS), method=Method(interval="bca")).interval
    assert interval is not None
    assert 0.42 < interval.low < 0.445
    assert 0.86 < interval.high < 0.88
    assert interval.method == "BCa bootstrap, 9999 resamples"


def test_clusters_are_drawn_whole() -> None:
    """Five clusters of two equal tasks say no more than five tasks: the interval is as wide as theirs."""
    five = [1, 0.5, 0.75, 0, 0.9]
    doubled = TrialTable.of(range(10), np.repeat(five, 2), cluster=np.repeat(range(5), 2))
    wide = mean_reward(doubled, method=Method(interval="bca")).interval
    plain = mean_reward(TrialTable.of(range(5), five), method=Method(interval="bca")).interval
    assert wide is not None
    assert plain is not None
    assert (wide.low, wide.high) == pytest.approx((plain.low, plain.high), abs=1e-12)


def test_no_spread_no_interval() -> None:
    assert bca_interval(0.5, np.full(100, 0.5), np.array([0.5, 0.5])) is None


def test_draws_are_pinned() -> None:
    """The first indices and signs of seed 1; a change here changes every number ever reported."""
    indices = np.concatenate(list(index_blocks(1, 2, 6)))
    assert indices.tolist() == FIRST_INDICES
    # a power of two per item, so that the sum gives the subset away
    items = np.array([[1.0], [2.0], [4.0], [8.0], [16.0], [32.0]])
    sums = np.concatenate(list(subset_sums((1, 0), 4, np.full(6, 0.5), items)))
    assert sums[:, 0].tolist() == FIRST_SUBSETS


def test_block_size_is_part_of_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    items, chances = np.arange(1.0, 71.0)[:, None], np.linspace(0.1, 0.9, 70)
    whole = np.concatenate(list(index_blocks(3, 50, 7)))
    sums = np.concatenate(list(subset_sums((3, 1), 50, chances, items)))
    monkeypatch.setattr("adjudge.stats.means.draws._CELLS", 40)
    assert np.array_equal(np.concatenate(list(index_blocks(3, 50, 7))), whole)
    assert np.array_equal(np.concatenate(list(subset_sums((3, 1), 50, chances, items))), sums)


def test_draws_are_fair() -> None:
    """60,000 indices below 6: each 10,000 times, sd 91; sums of 70 bits: mean 35 (sd 0.042)."""
    counts = np.bincount(np.concatenate(list(index_blocks(0, 10_000, 6))).ravel())
    assert np.abs(counts - 10_000).max() < 4 * 91
    sums = np.concatenate(list(subset_sums((0, 0), 10_000, np.full(70, 0.5), np.ones((70, 1)))))
    assert abs(sums.mean() - 35) < 4 * 0.042
    assert 16.5 < sums.var() < 18.5  # 70/4; sd of the variance: 17.5 * sqrt(2/10,000) = 0.25
    leaning = np.concatenate(list(subset_sums((0, 1), 10_000, np.full(70, 0.1), np.ones((70, 1)))))
    assert abs(leaning.mean() - 7) < 4 * 0.025  # sd of a sum: sqrt(70 * 0.09) = 2.51
