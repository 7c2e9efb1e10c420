"""Who looks while results arrive: intervals that hold at every look, counted in an order fixed before."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import UsageError
from adjudge.stats import (
    GateOutcome,
    Status,
    TrialTable,
    Watched,
    confidence_sequence,
    fixed_order,
    sequential_gate,
    watch_difference,
    watch_mean,
)

TASKS = [f"t{i}" for i in range(60)]


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.97])
def test_looking_after_every_task_misses_the_mean_no_more_often_than_promised(rate: float) -> None:
    """400 runs of 100 tasks, a hundred looks each: at most 5 % ever miss (sd 1.1)."""
    rng = np.random.default_rng(3)
    missed = 0
    for _ in range(400):
        low, high = confidence_sequence((rng.random(100) < rate).astype(float))
        missed += bool(((low > rate) | (high < rate)).any())
    assert missed <= 20 + 2 * 4


def test_a_fixed_interval_looked_at_as_often_does_not_hold() -> None:
    """What the sequence is for: Wilson's interval after each of 100 tasks misses in a fifth of all runs."""
    rng = np.random.default_rng(3)
    missed = 0
    for _ in range(300):
        x = (rng.random(100) < 0.5).astype(float)
        n = np.arange(1, 101)
        p, z2 = np.cumsum(x) / n, 1.96**2
        half = np.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) * 1.96 / (1 + z2 / n)
        centre = (p + z2 / (2 * n)) / (1 + z2 / n)
        missed += bool((np.abs(centre - 0.5) > half)[9:].any())
    assert missed > 60


def test_ends_only_close_in() -> None:
    low, high = confidence_sequence(np.random.default_rng(1).random(200))
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()
    assert (low < high).all()
    assert high[-1] - low[-1] < 0.3


def test_the_order_is_random_and_fixed() -> None:
    order = fixed_order(TASKS, seed=4)
    assert sorted(order) == sorted(TASKS)
    assert order != sorted(TASKS)
    assert order == fixed_order(np.array(TASKS)[::-1], seed=4)
    assert order != fixed_order(TASKS, seed=5)


def test_results_count_in_the_order_fixed_before_and_wait_for_the_first() -> None:
    """The first task of the order is not there yet: nothing counts, however many others are."""
    order = fixed_order(TASKS)
    late = TrialTable.of([task for task in TASKS if task != order[0]], [1.0] * 59)
    watched = watch_mean(late, order)
    assert (watched.estimate.value, watched.waiting, watched.planned) == (None, 59, 60)
    assert watched.estimate.reason == "no task at the head of the order has a result yet"
    some = TrialTable.of(order[:10] + order[11:20], [1.0] * 19)
    watched = watch_mean(some, order)
    assert (watched.estimate.n, watched.waiting) == (10, 9)
    assert Watched.model_validate_json(watched.model_dump_json()) == watched


def test_a_failure_of_the_machinery_holds_nobody_up_and_is_said() -> None:
    order = fixed_order(TASKS)
    status = [Status.VERIFIER_FAILED] + [Status.SCORED] * 9
    watched = watch_mean(TrialTable.of(order[:10], [1.0] * 10, status=status), order)
    assert watched.estimate.n == 9
    assert watched.estimate.notes == ("1 task left out: every attempt failed in the machinery",)


def test_a_clear_loss_stops_early_and_stays_decided() -> None:
    order = fixed_order(TASKS)
    rng = np.random.default_rng(0)
    good = rng.uniform(0.7, 1.0, 60)
    baseline, candidate = TrialTable.of(order, good), TrialTable.of(order, good - 0.6)
    verdict = sequential_gate(candidate, baseline, order, margin=0.05)
    assert verdict.outcome is GateOutcome.REGRESSED
    assert verdict.decided_after is not None
    assert verdict.decided_after < 30
    sooner = candidate.rows(np.arange(verdict.decided_after))
    assert sequential_gate(sooner, baseline, order, margin=0.05).decided_after == verdict.decided_after
    before = candidate.rows(np.arange(verdict.decided_after - 1))
    going = sequential_gate(before, baseline, order, margin=0.05)
    assert going.outcome is GateOutcome.UNDECIDED
    assert going.reason == f"not decided after {verdict.decided_after - 1} tasks of 60: go on"


def test_the_price_in_width_is_stated() -> None:
    order = fixed_order(TASKS)
    rng = np.random.default_rng(5)
    a, b = (TrialTable.of(order, rng.random(60)) for _ in range(2))
    watched = watch_difference(a, b, order)
    assert watched.price is not None
    assert 1 < watched.price < 3


def test_what_cannot_be_watched_is_refused() -> None:
    clustered = TrialTable.of([1, 2, 3], [1, 0, 1], cluster=[0, 0, 1])
    with pytest.raises(UsageError, match="a sequence must know all before"):
        watch_mean(clustered, [1, 2, 4])
    with pytest.raises(UsageError, match="stand apart in the order"):
        watch_mean(clustered, [1, 3, 2])
    with pytest.raises(UsageError, match="twice"):
        watch_mean(TrialTable.of([1, 2], [1, 0]), [1, 1, 2])
    with pytest.raises(UsageError, match="out of range"):
        confidence_sequence([0.5, 1.5])
    with pytest.raises(UsageError, match="not a margin"):
        sequential_gate(clustered, clustered, [1, 2], margin=2)
    assert [len(ends) for ends in confidence_sequence([])] == [0, 0]


def test_machinery_failures_neither_pass_nor_fail_a_watched_candidate() -> None:
    """Every second attempt failed in the machinery; counted 0.0 they would look like a loss of a half."""
    order = fixed_order(TASKS)
    baseline = TrialTable.of(order, [0.9] * 60)
    status = [Status.SCORED] * 60 + [Status.VERIFIER_FAILED] * 60
    candidate = TrialTable.of([*order, *order], [0.9] * 120, status=status)
    verdict = sequential_gate(candidate, baseline, order, margin=0.05)
    assert verdict.outcome is GateOutcome.UNDECIDED
    assert verdict.reason.startswith("60 machinery failures could decide it: regressed if they all count")


def test_a_loss_beyond_what_failures_could_hide_is_still_decided() -> None:
    order = fixed_order(TASKS)
    baseline = TrialTable.of(order, [0.9] * 60)
    status = [Status.VERIFIER_FAILED] + [Status.SCORED] * 59
    candidate = TrialTable.of(order, [0.0] * 60, status=status)
    verdict = sequential_gate(candidate, baseline, order, margin=0.05)
    assert verdict.outcome is GateOutcome.REGRESSED
    without = sequential_gate(TrialTable.of(order, [0.0] * 60), baseline, order, margin=0.05)
    assert verdict.decided_after is not None
    assert without.decided_after is not None
    assert verdict.decided_after > without.decided_after


def test_nobody_is_told_to_go_on_after_the_last_task() -> None:
    order = fixed_order(TASKS)
    table = TrialTable.of(order, [0.5] * 60)
    verdict = sequential_gate(table, table, order, margin=0.001)
    assert verdict.reason == "not decided after all 60 tasks: it would take more of them"


@pytest.mark.parametrize("sizes", [[5] * 20, [40, 20, 13, 10, 8, 7, 6, 5, 4, 4, 4, 3, 3, 3, 3]])
def test_clusters_are_bet_on_as_wholes(sizes: list[int]) -> None:
    """Tasks of a cluster are all alike: as if independent, the sequence misses in most of 300 runs.

    Sizes are drawn anew for each run, so that the mean of a task is 0.5. At most 5 % (sd 1.3).
    """
    rng = np.random.default_rng(7)
    missed, falsely = 0, 0
    for _ in range(300):
        drawn = rng.choice(sizes, 20)
        alike = rng.random(20)
        low, high = confidence_sequence(alike, weights=drawn / max(sizes))
        missed += bool(((low > 0.5) | (high < 0.5)).any())
        low, high = confidence_sequence(np.repeat(alike, drawn))
        falsely += bool(((low > 0.5) | (high < 0.5)).any())
    assert missed <= 15 + 2 * 4
    assert falsely > 60


def test_equal_clusters_count_like_as_many_tasks_with_their_means() -> None:
    rng = np.random.default_rng(1)
    good, lost = rng.uniform(0.7, 1.0, 60), rng.uniform(0.5, 0.7, 60)
    clusters = [i // 3 for i in range(60)]
    order = [int(task) for task in fixed_order(range(60), seed=3, clusters=clusters)]
    of = [task // 3 for task in order[::3]]
    assert of == [task // 3 for task in order[2::3]]
    assert of != sorted(of)
    baseline = TrialTable.of(range(60), good, cluster=clusters)
    candidate = TrialTable.of(range(60), good - lost)
    verdict = sequential_gate(candidate, baseline, order, margin=0.05)
    low, high = confidence_sequence(-lost.reshape(20, 3).mean(axis=1)[of], low=-1.0)
    at = int(np.flatnonzero((low > -0.05) | (high < 0))[0])
    assert (verdict.outcome, verdict.decided_after) == (GateOutcome.REGRESSED, 3 * (at + 1))
    watched = verdict.watched.estimate
    assert (watched.n, watched.clusters) == (60, 20)
    assert watched.interval is not None
    assert (watched.interval.low, watched.interval.high) == (low[-1], high[-1])
    begun = candidate.rows(np.array(order[:4]))
    assert watch_difference(begun, baseline, order).estimate.n == 3  # the fourth waits for its cluster
