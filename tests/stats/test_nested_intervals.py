"""An interval at a higher level contains the one at a lower level, whatever the differences are."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.stats import Method, TrialTable, mean_reward, paired_difference
from adjudge.stats.pairs.difference import difference_test
from adjudge.stats.trial_table import FloatArray

LEVELS = (0.05, 0.3, 0.5, 0.68, 0.8, 0.9, 0.95, 0.969, 0.98, 0.99, 0.995, 0.999, 0.9999, 1 - 1e-6, 1 - 1e-9)
SHAPES: dict[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "any": lambda rng, n: rng.uniform(-1, 1, n),
    "all equal": lambda rng, n: np.full(n, rng.choice([-1.0, -0.3, -1e-9, 0.0, 0.01, 0.3, 1.0])),
    "nearly equal": lambda rng, n: 0.3 + rng.uniform(-1, 1, n) * 10.0 ** -rng.integers(2, 14),
    "one outlier": lambda rng, n: np.where(np.arange(n) == 0, rng.uniform(-1, 1), 0.1),
    "small, one outlier": lambda rng, n: np.where(np.arange(n) == 0, 1.0, rng.normal(0, 0.001, n)),
    "ties and wins": lambda rng, n: rng.choice([0.0, 1.0], n),
    "few wins": lambda rng, n: (rng.random(n) < 0.1).astype(float),
    "0/1": lambda rng, n: rng.choice([-1.0, 0.0, 1.0], n, p=rng.dirichlet(np.ones(3))),
    "graded": lambda rng, n: np.round(rng.normal(rng.normal(0, 0.2), 0.2, n), 1),
    "skewed": lambda rng, n: np.where(rng.random(n) < 0.1, -0.9, 0.1),
    "tiny": lambda rng, n: rng.choice([1e-300, -1e-300, 0.0], n),
}


@settings(derandomize=True, max_examples=120, deadline=None)
@given(
    shape=st.sampled_from(sorted(SHAPES)),
    n=st.sampled_from([2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 20, 33, 60]),
    clusters=st.sampled_from([None, 2, 5, 9, 30]),
    seed=st.integers(0, 10**6),
)
def test_a_higher_level_contains_a_lower_one(shape: str, n: int, clusters: int | None, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = SHAPES[shape](rng, n).clip(-1, 1)
    cluster = None if clusters is None else rng.integers(0, clusters, n) // rng.integers(1, 3)
    test = difference_test(values, cluster, Method(resamples=199))
    if test is None:
        return
    intervals = [test.interval(level) for level in LEVELS]
    for narrow, wide in pairwise(intervals):
        assert wide.low <= narrow.low < narrow.high <= wide.high, (narrow, wide)
    for level, interval in zip(LEVELS, intervals, strict=True):
        assert (interval.low > 0 or interval.high < 0) == (test.shows(level) != 0)
        assert interval.low - 1e-12 <= test.value <= interval.high + 1e-12


@pytest.mark.parametrize("n", [2001, 2500])
def test_so_do_those_of_thousands_of_tasks(n: int) -> None:
    """Beyond 2,000 groups ends are normal limits, while p is exact if all differences are as large."""
    rng = np.random.default_rng(n)
    for values in (np.full(n, 0.3), np.where(np.arange(n) < 30, 1.0, 0.0), rng.normal(0.01, 0.2, n)):
        test = difference_test(values, None, Method())
        assert test is not None
        for narrow, wide in pairwise([test.interval(level) for level in LEVELS]):
            assert wide.low <= narrow.low < narrow.high <= wide.high


def test_ten_equal_differences() -> None:
    """At 95 % Wilson leaves 3.8415/(10 + 3.8415) = 27.75 % of unseen tasks to be ties: 0.3 * 0.7225."""
    a, b = (TrialTable.of(range(10), [reward] * 10) for reward in (0.8, 0.5))
    lows = []
    for level in (0.95, 0.99):
        compared = paired_difference(a, b, method=Method(level=level))
        assert compared.better == "a"
        assert compared.difference.interval is not None
        lows.append(compared.difference.interval.low)
    assert lows == pytest.approx([0.3 * (1 - 3.841459 / 13.841459), 0.3 * (1 - 6.634897 / 16.634897)])


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    shape=st.sampled_from(sorted(SHAPES)),
    n=st.sampled_from([2, 3, 5, 10, 33]),
    clusters=st.sampled_from([None, 2, 5]),
    interval=st.sampled_from(["score", "t"]),
    seed=st.integers(0, 10**6),
)
def test_intervals_of_means_contain_each_other_too(
    shape: str, n: int, clusters: int | None, interval: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rewards = np.abs(SHAPES[shape](rng, n)).clip(0, 1)
    cluster = None if clusters is None else rng.integers(0, clusters, n)
    trials = TrialTable.of(range(n), rewards, cluster=cluster)
    methods = (Method(level=level, interval=interval) for level in LEVELS)  # type: ignore[arg-type]  # one of two
    intervals = [mean_reward(trials, method=method).interval for method in methods]
    for narrow, wide in pairwise(intervals):
        assert (narrow is None) == (wide is None)
        if narrow is not None and wide is not None:
            assert wide.low <= narrow.low < narrow.high <= wide.high
