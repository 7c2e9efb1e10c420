"""The kit's reward is adjudge's: the same number from the same scores, for every rollup."""

from __future__ import annotations

import json
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.contracts import Dimension, Rubric
from adjudge.scoring import score_rubric
from adjudge_kit import Verifier, roll_up

ROLLUPS = ["weighted_mean", "min", "geometric_mean", "all_pass", "threshold"]

scores = st.none() | st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0, 1 / 3, 0.00005, 0.99995])
weights = st.sampled_from([0.0, 1.0, 2.0, 0.1, 3.7]) | st.floats(0, 1e6)
maxima = st.sampled_from([1.0, 4.0, 10.0, 0.3, 100.0])
dimensions = st.lists(st.tuples(scores, maxima, weights), min_size=1, max_size=8).filter(
    lambda rows: any(score is not None and weight > 0 for score, _, weight in rows)
)


@settings(max_examples=600, deadline=None)
@given(dimensions, st.sampled_from(ROLLUPS), st.sampled_from([0.0, 0.5, 2 / 3, 0.6667, 1.0]))
def test_the_same_reward_as_score_rubric(
    rows: list[tuple[float | None, float, float]], rollup: str, threshold: float
) -> None:
    rubric = Rubric(
        dimensions=[
            Dimension(id=f"d{i}", max_score=top, weight=weight) for i, (_, top, weight) in enumerate(rows)
        ],
        rollup=rollup,
        threshold=threshold,
    )
    points = [None if score is None else score * top for score, top, _ in rows]
    expected = score_rubric(rubric, {f"d{i}": value for i, value in enumerate(points)}).reward
    normalised = [None if p is None else p / top for p, (_, top, _) in zip(points, rows, strict=True)]
    pairs = [(value, weight) for value, (_, _, weight) in zip(normalised, rows, strict=True)]
    assert roll_up(pairs, rollup, threshold) == expected


@settings(max_examples=100, deadline=None)
@given(dimensions, st.sampled_from(ROLLUPS), st.sampled_from([0.5, 0.9]))
def test_the_artifacts_of_a_verifier_score_the_same_by_rubric(
    rows: list[tuple[float | None, float, float]], rollup: str, threshold: float
) -> None:
    """reward.json is what `score_rubric` makes of details.json."""
    with tempfile.TemporaryDirectory() as logs:
        verifier = Verifier({}, rollup=rollup, threshold=threshold, logs=logs)
        for i, (share, top, weight) in enumerate(rows):
            if share is None:
                verifier.not_applicable(f"d{i}", "no such load case", weight=weight, max_score=top)
            else:
                verifier.score(f"d{i}", share * top, max_score=top, weight=weight)
        reward = verifier.finish()
        with open(f"{logs}/details.json", encoding="utf-8") as file:  # noqa: PTH123 - a name, not a path
            details = json.load(file)
    rubric = Rubric(
        dimensions=[
            Dimension(id=name, max_score=entry["max_score"], weight=entry["weight"])
            for name, entry in details.items()
        ],
        rollup=rollup,
        threshold=threshold,
    )
    assert score_rubric(rubric, {name: entry["score"] for name, entry in details.items()}).reward == reward


def test_worked_by_hand() -> None:
    """(1*2 + 0.5*1) / 3 = 0.8333; the geometric mean is exp((2*0 + ln 0.5) / 3) = 0.7937."""
    pairs = [(1.0, 2.0), (0.5, 1.0), (None, 5.0), (0.0, 0.0)]
    assert roll_up(pairs) == 0.8333
    assert roll_up(pairs, "min") == 0.5
    assert roll_up(pairs, "geometric_mean") == 0.7937
    assert roll_up([*pairs, (0.0, 1.0)], "geometric_mean") == 0.0
    assert roll_up(pairs, "all_pass", 0.5) == 1.0
    assert roll_up(pairs, "all_pass", 0.6) == 0.0
    assert roll_up(pairs, "threshold", 0.8333) == 1.0
    assert roll_up(pairs, "threshold", 0.84) == 0.0
    assert roll_up([(7.0, 1.0), (-3.0, 1.0)]) == 0.5


def test_no_reward_where_nothing_counts() -> None:
    with pytest.raises(ValueError, match="no check that counts applies"):
        roll_up([(None, 1.0), (1.0, 0.0)])
    with pytest.raises(ValueError, match="rollup is 'median'; allowed: weighted_mean, min"):
        roll_up([(1.0, 1.0)], "median")
