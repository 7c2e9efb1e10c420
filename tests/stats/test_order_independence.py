"""Same data, same seed: the same numbers to the last digit, whatever the row order or the names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.stats import Method, TrialTable, mean_reward, paired_difference, pass_at_k, rank_agents, split

Rows = list[tuple[int, float, int]]
ROWS = st.lists(
    st.tuples(
        st.integers(0, 6),
        st.floats(0, 1, allow_subnormal=False) | st.sampled_from([0.0, 0.1, 0.7, 1.0]),
        st.sampled_from([0, 0, 0, 1, 2]),
    ),
    min_size=1,
    max_size=25,
)


def columns(rows: Rows, rename: Any, *, clustered: bool) -> TrialTable:
    task = [row[0] for row in rows]
    return TrialTable.of(
        [rename(t) for t in task],
        [row[1] for row in rows],
        status=[row[2] for row in rows],
        cluster=[rename(t // 2) for t in task] if clustered else None,
    )


def everything(trials: TrialTable, other: TrialTable) -> list[str]:
    found: list[Any] = [
        mean_reward(trials),
        mean_reward(trials, method=Method(interval="t", policy="exclude")),
        mean_reward(trials, method=Method(interval="bca", resamples=99, seed=4)),
        pass_at_k(trials, 2, threshold=0.5),
        paired_difference(trials, other, method=Method(resamples=99, seed=4)),
    ]
    return [estimate.model_dump_json() for estimate in found]


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, others=ROWS, order=st.randoms(use_true_random=False), clustered=st.booleans())
def test_neither_order_nor_names_matter(rows: Rows, others: Rows, order: Any, clustered: bool) -> None:
    """Shuffled rows, and tasks renamed so that they sort the other way round."""
    shuffled, others_shuffled = order.sample(rows, len(rows)), order.sample(others, len(others))
    before = everything(columns(rows, str, clustered=clustered), columns(others, str, clustered=clustered))

    def backwards(task: int) -> int:
        return -3 * task

    after = everything(
        columns(shuffled, backwards, clustered=clustered),
        columns(others_shuffled, backwards, clustered=clustered),
    )
    assert before == after


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, others=ROWS)
def test_bounds_are_what_the_failures_could_have_made(rows: Rows, others: Rows) -> None:
    """Bounds come from one table; here they are made the long way, with the failures filled in."""
    a, b = columns(rows, str, clustered=False), columns(others, str, clustered=False)
    for policy in ("zero", "exclude"):
        bounds = mean_reward(a, method=Method(policy=policy)).bounds
        ends = [mean_reward(a.assume(worth)).value for worth in (0.0, 1.0)]
        assert bounds is None or [bounds.low, bounds.high] == pytest.approx(ends, abs=1e-12)
        assert (bounds is None) == (2 not in a.status)
        between = paired_difference(a, b, method=Method(policy=policy, resamples=9)).difference.bounds
        low = paired_difference(a.assume(0.0), b.assume(1.0), method=Method(resamples=9)).difference.value
        high = paired_difference(a.assume(1.0), b.assume(0.0), method=Method(resamples=9)).difference.value
        assert between is None or [between.low, between.high] == pytest.approx([low, high], abs=1e-12)
        assert between is not None or low == pytest.approx(high, abs=1e-12)


def test_drawn_p_values_do_not_depend_on_order() -> None:
    """Thirty tasks, so that flips are drawn and not enumerated."""
    rng = np.random.default_rng(0)
    a, b, order = rng.random(30), rng.random(30), rng.permutation(30)
    one = paired_difference(TrialTable.of(range(30), a), TrialTable.of(range(30), b), method=Method(seed=3))
    two = paired_difference(
        TrialTable.of(np.arange(30)[order], a[order]),
        TrialTable.of(np.arange(30)[order], b[order]),
        method=Method(seed=3),
    )
    assert one == two
    assert one.p_method == "sign flips, 5000 drawn"
    assert one.difference.seed == 3


def test_rankings_do_not_depend_on_order() -> None:
    rng = np.random.default_rng(1)
    n = 600
    task, agent, reward = rng.integers(0, 30, n), rng.integers(0, 4, n), np.round(rng.random(n), 3)
    order = rng.permutation(n)
    one = split(TrialTable.of(task, reward), agent)
    two = split(TrialTable.of(task[order], reward[order]), agent[order])
    first = rank_agents({str(k): v for k, v in one.items()}, method=Method(resamples=499))
    second = rank_agents({str(k): v for k, v in reversed(two.items())}, method=Method(resamples=499))
    assert first == second
