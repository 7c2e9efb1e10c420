"""Every estimator on data that cannot carry it: a true sentence, never a made-up 0.0, NaN or certainty."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from adjudge.stats import Estimate, Method, TrialTable, mean_reward, paired_difference, pass_at_k, pass_hat_k

OTHER = TrialTable.of(range(10), [0.5] * 10)
ESTIMATORS: dict[str, Callable[[TrialTable], Estimate]] = {
    "mean": mean_reward,
    "mean, t": lambda t: mean_reward(t, method=Method(interval="t")),
    "mean, bca": lambda t: mean_reward(t, method=Method(interval="bca", resamples=199)),
    "mean, exclude": lambda t: mean_reward(t, method=Method(policy="exclude")),
    "pass rate": lambda t: mean_reward(t, threshold=1.0),
    "pass@1": lambda t: pass_at_k(t, 1),
    "pass@2": lambda t: pass_at_k(t, 2),
    "pass^2": lambda t: pass_hat_k(t, 2),
    "difference": lambda t: paired_difference(t, OTHER).difference,
    "difference to itself": lambda t: paired_difference(t, t).difference,
}
DATA: dict[str, TrialTable] = {
    "no trials": TrialTable.of([], []),
    "one trial": TrialTable.of([1], [1.0]),
    "one task": TrialTable.of([1, 1, 1], [1.0, 0.0, 1.0]),
    "all equal": TrialTable.of(range(5), [1.0] * 5),
    "all equal, graded": TrialTable.of(range(5), [0.3] * 5),
    "all zero": TrialTable.of(range(5), [0.0] * 5),
    "all unparseable": TrialTable.of(range(5), [0.0] * 5, status=[1] * 5),
    "all failed": TrialTable.of(range(5), [0.0] * 5, status=[2] * 5),
    "one failed trial": TrialTable.of([1], [0.0], status=[2]),
    "all but one failed": TrialTable.of(range(5), [1.0] + [0.0] * 4, status=[0, 2, 2, 2, 2]),
    "unequal attempts": TrialTable.of([1, 1, 1, 2, 3, 3], [1, 0, 1, 1, 0.5, 0.25]),
    "missing attempts": TrialTable.of([1, 1, 2, 2, 3, 3], [1, 0, 1, 0, 0, 0], status=[0, 2, 0, 2, 2, 2]),
    "one cluster": TrialTable.of(range(4), [1, 0, 1, 0], cluster=[0] * 4),
    "two tasks": TrialTable.of([1, 2], [1.0, 0.0]),
    "two clusters, equal sums": TrialTable.of(range(4), [1, 0, 1, 0], cluster=[0, 0, 1, 1]),
}


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_number_is_true_or_absent_with_a_reason(estimator: str, data: str) -> None:
    estimate = ESTIMATORS[estimator](DATA[data])
    if estimate.value is None:
        assert estimate.interval is None
        assert estimate.reason
    else:
        assert math.isfinite(estimate.value)
        assert estimate.n > 0
    if estimate.interval is None:
        assert estimate.reason
    else:
        assert estimate.interval.low < estimate.interval.high
        assert estimate.value is not None
        assert estimate.interval.low <= estimate.value <= estimate.interval.high
    assert estimate.standard_error is None or estimate.standard_error > 0
    assert Estimate.model_validate_json(estimate.model_dump_json()) == estimate


@pytest.mark.parametrize("estimator", [name for name in ESTIMATORS if not name.startswith("difference")])
@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("no trials", "there are no trials"),
        ("all failed", "the machinery failed in all 5 trials: nothing is known about the rewards"),
        ("one failed trial", "the machinery failed in the only trial: nothing is known about the rewards"),
    ],
)
def test_nothing_known_is_no_value(estimator: str, data: str, sentence: str) -> None:
    estimate = ESTIMATORS[estimator](DATA[data])
    assert (estimate.value, estimate.reason) == (None, sentence)


def test_one_task_is_a_value_without_an_interval() -> None:
    """Two of three attempts passed; nothing shows how other tasks would go."""
    estimate = mean_reward(DATA["one task"])
    assert estimate.value == pytest.approx(2 / 3)
    assert estimate.interval is None
    assert estimate.reason == "one task has no standard error: it cannot show how much others would differ"


def test_an_agent_that_really_scored_zero_has_a_zero_with_an_interval() -> None:
    """Five outputs that do not parse are five wrong answers: Wilson 0 of 5, [0, 0.434]."""
    estimate = mean_reward(DATA["all unparseable"])
    assert estimate.value == 0.0
    assert estimate.interval is not None
    assert estimate.interval.high == pytest.approx(0.43448246, abs=1e-8)
    assert estimate.coverage is not None
    assert (estimate.coverage.scored, estimate.coverage.unparseable) == (0, 5)


def test_an_estimate_cannot_be_built_to_deceive() -> None:
    """The object itself refuses an absent value without reason, and an interval without width."""
    with pytest.raises(ValueError, match="must give its reason"):
        Estimate(value=None, method="mean", n=0)
    with pytest.raises(ValueError, match="claims certainty"):
        Estimate.model_validate_json(
            '{"value": 1.0, "method": "mean", "n": 5,'
            ' "interval": {"low": 1.0, "high": 1.0, "level": 0.95, "method": "none"}}'
        )
    with pytest.raises(ValueError, match="no interval and no standard error"):
        Estimate(value=None, standard_error=0.1, method="mean", n=5, reason="because")
