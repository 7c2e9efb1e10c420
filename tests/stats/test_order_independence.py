"""Same data, same seed: the same numbers to the last digit, whatever the row order or the names."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.stats import Trials, mean_reward, paired_difference, pass_at_k, rank_agents, split

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


def columns(rows: Rows, rename: Any, *, clustered: bool) -> Trials:
    task = [row[0] for row in rows]
    return Trials.of(
        [rename(t) for t in task],
        [row[1] for row in rows],
        status=[row[2] for row in rows],
        cluster=[rename(t // 2) for t in task] if clustered else None,
    )


def everything(trials: Trials, other: Trials) -> list[str]:
    found: list[Any] = [
        mean_reward(trials),
        mean_reward(trials, method="t", policy="exclude"),
        mean_reward(trials, method="bca", resamples=99, seed=4),
        pass_at_k(trials, 2, threshold=0.5),
        paired_difference(trials, other, draws=99, seed=4),
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


def test_drawn_p_values_do_not_depend_on_order() -> None:
    """Thirty tasks, so that flips are drawn and not enumerated."""
    rng = np.random.default_rng(0)
    a, b, order = rng.random(30), rng.random(30), rng.permutation(30)
    one = paired_difference(Trials.of(range(30), a), Trials.of(range(30), b), seed=3)
    two = paired_difference(
        Trials.of(np.arange(30)[order], a[order]), Trials.of(np.arange(30)[order], b[order]), seed=3
    )
    assert one == two
    assert one.p_method == "sign flips, 9999 drawn"
    assert one.difference.seed == 3


def test_rankings_do_not_depend_on_order() -> None:
    rng = np.random.default_rng(1)
    n = 600
    task, agent, reward = rng.integers(0, 30, n), rng.integers(0, 4, n), np.round(rng.random(n), 3)
    order = rng.permutation(n)
    one = split(Trials.of(task, reward), agent)
    two = split(Trials.of(task[order], reward[order]), agent[order])
    first = rank_agents({str(k): v for k, v in one.items()}, draws=499)
    second = rank_agents({str(k): v for k, v in reversed(two.items())}, draws=499)
    assert first == second
