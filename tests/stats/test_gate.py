"""The gate: three outcomes, told apart by where the interval of the paired difference lies."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import UsageError
from adjudge.stats import GateOutcome, GateVerdict, Status, TrialTable, gate

TASKS = list(range(100))
WAVE = np.where(np.arange(100) % 2, 0.05, -0.05)  # mean 0, s = 0.0503, so the interval is about ±0.010
HALF = TrialTable.of(TASKS, [0.5] * 100)


def shifted(by: float) -> TrialTable:
    return TrialTable.of(TASKS, 0.5 + WAVE + by)


@pytest.mark.parametrize(
    ("by", "outcome"),
    [
        (0.0, GateOutcome.PASS),  # [-0.010, 0.010]: above -0.02
        (0.05, GateOutcome.PASS),
        (-0.005, GateOutcome.PASS),  # [-0.015, 0.005]
        (-0.0095, GateOutcome.PASS),  # [-0.0195, 0.0005]
        (-0.015, GateOutcome.REGRESSED),  # [-0.025, -0.005]: a loss, perhaps beyond the margin
        (-0.1, GateOutcome.REGRESSED),  # [-0.110, -0.090]
    ],
)
def test_the_interval_decides(by: float, outcome: GateOutcome) -> None:
    verdict = gate(shifted(by), HALF, margin=0.02)
    assert verdict.outcome == outcome
    assert GateVerdict.model_validate_json(verdict.model_dump_json()) == verdict


def test_a_shown_loss_within_the_margin_passes() -> None:
    """[-0.015, +-0] against a margin of 0.05: worse for sure, but by less than the margin for sure."""
    verdict = gate(shifted(-0.012), HALF, margin=0.05)
    assert verdict.outcome == GateOutcome.PASS
    assert verdict.comparison.difference.interval is not None
    assert verdict.comparison.difference.interval.high < 0


def test_too_little_data_is_neither() -> None:
    """Four tasks: the interval holds both 0 and a loss of 0.02; the plan says how many tasks would tell."""
    candidate = TrialTable.of(range(4), [0.4, 0.6, 0.45, 0.5])
    verdict = gate(candidate, TrialTable.of(range(4), [0.5] * 4), margin=0.02)
    assert verdict.outcome == GateOutcome.UNDECIDED
    assert "too little data to tell" in verdict.reason
    assert verdict.plan.tasks_needed is not None
    assert verdict.plan.tasks_needed > 4


@pytest.mark.parametrize(
    ("candidate", "says"),
    [
        (TrialTable.of([], []), "the candidate has no trials that count"),
        (TrialTable.of([1], [1]), "one shared task has no standard error"),
        (TrialTable.of([1000], [1]), "share no task"),
    ],
)
def test_no_interval_is_too_little_data(candidate: TrialTable, says: str) -> None:
    verdict = gate(candidate, HALF, margin=0.02)
    assert verdict.outcome == GateOutcome.UNDECIDED
    assert says in verdict.reason


def test_a_broken_verifier_is_not_a_regression() -> None:
    """The candidate equals the baseline, but the machinery failed on 10 of 100 tasks.

    At 0 each they would be a loss of 0.05, at 1 each a gain: the failures decide, so nobody can.
    """
    status = [Status.VERIFIER_FAILED] * 10 + [Status.SCORED] * 90
    candidate = TrialTable.of(TASKS, 0.5 + WAVE, status=status)
    verdict = gate(candidate, HALF, margin=0.02)
    assert verdict.outcome == GateOutcome.UNDECIDED
    assert verdict.reason == (
        "10 machinery failures could decide it: regressed if they all count against the candidate, "
        "pass if they all count for it"
    )


def test_failures_that_change_nothing_do_not_block() -> None:
    """One failure against a loss of 0.3 on every other task."""
    status = [Status.VERIFIER_FAILED] + [Status.SCORED] * 99
    assert (
        gate(TrialTable.of(TASKS, 0.2 + WAVE, status=status), HALF, margin=0.02).outcome
        == GateOutcome.REGRESSED
    )


def test_equal_runs_pass_only_with_enough_tasks() -> None:
    """No difference on n tasks puts the loss below z²/(n + z²): 0.037 at 100 tasks, 0.0190 at 199."""
    assert gate(HALF, HALF, margin=0.02).outcome == GateOutcome.UNDECIDED
    many = TrialTable.of(range(199), [0.5] * 199)
    assert gate(many, many, margin=0.02).outcome == GateOutcome.PASS


@pytest.mark.parametrize("margin", [-0.1, 1.5])
def test_margins_that_cannot_be(margin: float) -> None:
    with pytest.raises(UsageError, match="not a margin"):
        gate(HALF, HALF, margin=margin)
