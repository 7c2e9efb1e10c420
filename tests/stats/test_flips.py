"""Sign flips: exact for few groups, drawn far into the tails for more, the same from either side."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from adjudge.stats import Method
from adjudge.stats.pairs.flips import EXACT_UP_TO, LEANS, SubsetMeans, _drawn_subsets, flip_test

ONES = np.ones(8)
STEP = np.array([0.5, -0.25, 0.1, 0.3, 0, 0.2, 0.4, -0.1])


def test_inverting_every_flip_by_hand() -> None:
    """Of three groups 1, 2, 6 the subset means are 1, 1.5, 2, 3, 3.5, 4, 6.

    Those up to theta, and the empty subset, of 2^3 are the one-sided p. At tail 2/8 a theta is rejected if at
    most one mean lies up to it: the interval begins at the second mean and ends at the second last.
    """
    test = flip_test(np.array([6.0, 1, 2]), np.ones(3), Method())
    assert isinstance(test.shares, SubsetMeans)
    assert test.shares.means.tolist() == [1, 1.5, 2, 3, 3.5, 4, 6]
    assert test.shares.up_to(1.5) == 3 / 8
    assert test.shares.ends(2 / 8) == (1.5, 4)
    assert test.ends(0.5) == (1.5, 4)
    assert not test.rejects(0.95)  # the smallest p is 2/8
    assert test.ends(0.95) == (0, 6)


def test_p_counts_all_flips() -> None:
    signs = np.array(list(product((1, -1), repeat=8)))
    far = np.abs(signs @ STEP) >= abs(STEP.sum()) - 1e-9
    assert flip_test(STEP, ONES, Method()).p == far.mean() == 0.171875


def test_clusters_of_unequal_size_flip_as_one() -> None:
    """Clusters of 1 and 3 tasks with sums 0.5 and 0.6: means 0.5, 0.2 and 1.1/4 = 0.275."""
    test = flip_test(np.array([0.5, 0.6]), np.array([1.0, 3.0]), Method())
    assert isinstance(test.shares, SubsetMeans)
    assert test.shares.means == pytest.approx([0.2, 0.275, 0.5])


@pytest.mark.parametrize("sizes", [np.ones(EXACT_UP_TO), np.arange(1.0, EXACT_UP_TO + 1)])
def test_draws_come_close_to_all_subsets(sizes: np.ndarray) -> None:
    """Down to the smallest p there is, to a tenth of it."""
    values = np.random.default_rng(4).normal(0.3, 0.5, len(sizes)) * sizes
    exact = flip_test(values, sizes, Method()).shares
    assert isinstance(exact, SubsetMeans)
    drawn = _drawn_subsets(np.sort(values) if sizes[0] == sizes[-1] else values, sizes, 0, 20_000)
    for theta in np.quantile(exact.means, [0.002, 0.02, 0.2, 0.5]):
        assert drawn.up_to(theta) == pytest.approx(exact.up_to(theta), rel=0.1)


def test_tails_reach_further_than_the_number_of_draws() -> None:
    """Mostly half or a whole better on 40 tasks: p is a few in a million, which 5,000 draws still find."""
    values = np.tile([0.5, 1.0, 0.5, -0.5, 1.0, 0.5, 0.25, 0.5], 5)
    ps = [flip_test(values, np.ones(40), Method(seed=seed)).p for seed in range(5)]
    many = flip_test(values, np.ones(40), Method(seed=9, resamples=400_000)).p
    assert many < 1 / 5000
    assert ps == pytest.approx([many] * 5, rel=0.5)


def test_no_p_is_below_what_the_design_can_reach() -> None:
    """Twenty wins of twenty: 2/2^20, neither less nor more; with unequal wins the draws find the same."""
    assert flip_test(np.ones(20), np.ones(20), Method()).p == pytest.approx(2 / 2**20)
    drawn = flip_test(np.linspace(0.5, 1, 20), np.ones(20), Method()).p
    assert 2 / 2**20 <= drawn < 1e-5


def test_a_minus_b_is_b_minus_a_turned_round() -> None:
    rng = np.random.default_rng(8)
    for groups in (9, 30, 2500):
        values = rng.normal(0.05, 0.3, groups)
        one, two = (flip_test(v, np.ones(groups), Method()) for v in (values, -values))
        assert one.p == two.p
        ends, turned = one.ends(0.95), two.ends(0.95)
        assert ends is not None
        assert turned == (-ends[1], -ends[0])


def test_the_normal_limit_continues_the_draws() -> None:
    values = np.random.default_rng(2).normal(0.03, 1, 2001).clip(-1, 1)
    limit = flip_test(values, np.ones(2001), Method())
    drawn = flip_test(values[:2000], np.ones(2000), Method())
    assert limit.method == "sign flips, normal limit of 2001 terms"
    assert limit.p == pytest.approx(drawn.p, rel=0.2)
    assert limit.ends(0.95) == pytest.approx(drawn.ends(0.95), abs=0.005)
    assert max(LEANS) > 4  # one in 100,000 lies inside what is drawn


def test_an_end_that_excludes_zero_may_lie_closer_to_it_than_any_difference() -> None:
    """Of 2^7 subsets only the empty one and -0.0095 are at most 0; the next is (0.01 - 0.0095)/2."""
    test = flip_test(np.array([0.9, 0.9, 0.9, 0.9, 0.9, 0.01, -0.0095]), np.ones(7), Method())
    assert test.shows(0.96) == 1
    assert test.ends(0.96)[0] == pytest.approx(0.00025)
