"""pass@k and pass^k from stored rewards: any k attempts of those made, unbiased, averaged over tasks."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from adjudge import UsageError
from adjudge.stats import Method, Status, TrialTable, largest_k, left_out, pass_at_k, pass_hat_k

# a: 2 of 4 pass; b: 4 of 4; c: 0 of 4
THREE = TrialTable.of(list("aaaabbbbcccc"), [1, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0])


def test_by_hand() -> None:
    """k = 2: a: 1 - C(2,2)/C(4,2) = 5/6, b: 1, c: 0; all k: a: C(2,2)/C(4,2) = 1/6, b: 1, c: 0."""
    assert pass_at_k(THREE, 2).value == pytest.approx((5 / 6 + 1 + 0) / 3)
    assert pass_hat_k(THREE, 2).value == pytest.approx((1 / 6 + 1 + 0) / 3)
    assert pass_at_k(THREE, 4).value == pytest.approx((1 + 1 + 0) / 3)
    assert pass_hat_k(THREE, 4).value == pytest.approx((0 + 1 + 0) / 3)


def test_one_attempt_is_the_pass_rate() -> None:
    assert pass_at_k(THREE, 1).value == pytest.approx(6 / 12)
    assert pass_hat_k(THREE, 1).value == pytest.approx(6 / 12)


def test_equals_counting_every_choice_of_k_attempts() -> None:
    """Against enumeration: of all C(7, k) choices, how many hold a success, or nothing but successes?"""
    rewards = [1, 0, 0, 1, 1, 0, 0]
    trials = TrialTable.of(["t"] * 7, rewards)
    for k in range(1, 8):
        picks = [sum(pick) for pick in combinations(rewards, k)]
        assert pass_at_k(trials, k).value == pytest.approx(np.mean([p > 0 for p in picks]))
        assert pass_hat_k(trials, k).value == pytest.approx(np.mean([p == k for p in picks]))


def test_interval_is_that_of_a_mean_over_tasks() -> None:
    """Values 5/6, 1, 0: s/sqrt(3) by numpy."""
    estimate = pass_at_k(THREE, 2)
    assert estimate.standard_error == pytest.approx(np.std([5 / 6, 1, 0], ddof=1) / np.sqrt(3))
    assert estimate.interval is not None
    assert 0 <= estimate.interval.low < 11 / 18 < estimate.interval.high <= 1
    assert estimate.method == "pass@2 at reward >= 1, averaged over tasks"


def test_success_is_a_matter_of_the_threshold() -> None:
    trials = TrialTable.of(["a", "a", "b", "b"], [0.7, 0.2, 0.7, 0.9])
    assert pass_at_k(trials, 2).value == 0.0
    assert pass_at_k(trials, 2, threshold=0.7).value == 1.0
    assert pass_hat_k(trials, 2, threshold=0.7).value == 0.5


def test_tasks_with_too_few_attempts_are_left_out_and_counted() -> None:
    trials = TrialTable.of(["a", "a", "b", "c", "c"], [1, 0, 1, 1, 1])
    estimate = pass_hat_k(trials, 2)
    assert (estimate.value, estimate.n) == (0.5, 2)
    assert estimate.caveats[:1] == (
        "pass^2 counts 2 of 3 tasks: 1 with fewer than 2 attempts left out, which pass 100 % of their "
        "attempts, against 75 % of those counted",
    )
    none = pass_at_k(trials, 3)
    assert (none.value, none.interval) == (None, None)
    assert none.reason == "no task has 3 attempts; the most is 2"


def test_machinery_failures_count_as_the_policy_says() -> None:
    """One pass, one machinery failure. zero: pass^2 = 0, bounds [0, 1]; exclude: one attempt is too few."""
    trials = TrialTable.of(["a", "a"], [1, 0], status=[Status.SCORED, Status.VERIFIER_FAILED])
    zero = pass_hat_k(trials, 2)
    assert zero.value == 0.0
    assert zero.bounds is not None
    assert (zero.bounds.low, zero.bounds.high) == (0.0, 1.0)
    exclude = pass_hat_k(trials, 2, method=Method(policy="exclude"))
    assert exclude.value is None
    assert exclude.reason == "no task has 2 attempts; the most is 1"


def test_clusters_stay_with_their_tasks() -> None:
    """Task c has one attempt and drops out; the clusters of a and b remain."""
    trials = TrialTable.of(list("aabbc"), [1, 0, 1, 1, 1], cluster=list("xxyyz"))
    assert pass_at_k(trials, 2).clusters == 2


def test_zero_attempts_are_refused() -> None:
    with pytest.raises(UsageError, match="at least one attempt"):
        pass_at_k(THREE, 0)


def test_what_is_left_out_is_listed_worst_first_and_fewer_attempts_are_offered() -> None:
    """d and b have two attempts, none and one of which pass; pass@2 would count every task."""
    trials = TrialTable.of(list("aaabbcccdd"), [1, 0, 1, 1, 0, 1, 1, 1, 0, 0])
    estimate = pass_at_k(trials, 3)
    assert estimate.caveats[0].endswith("; pass@2 counts every task")
    assert [(t.task, t.attempts, t.successes) for t in left_out(trials, 3)] == [("d", 2, 0), ("b", 2, 1)]
    assert largest_k(trials) == 2
    assert not any("left out" in caveat for caveat in pass_at_k(trials, 2).caveats)
    assert left_out(trials, 2) == ()
    assert largest_k(TrialTable.of([], [])) is None
