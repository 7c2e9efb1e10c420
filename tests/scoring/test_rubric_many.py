"""The vectorised rubric scorer gives the scalar one's numbers, bit for bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from adjudge.contracts import Dimension, Rubric
from adjudge.errors import RubricError
from adjudge.scoring import register_rollup, rollup_names, score_rubric, score_rubric_many
from adjudge.scoring.rubric_many import round_many

if "worst but one" not in rollup_names():
    register_rollup("worst but one", lambda values, weights: sorted(values)[min(1, len(values) - 1)])

ROLLUPS = ["weighted_mean", "min", "geometric_mean", "all_pass", "threshold", "worst but one"]
SCORES = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 0.5, 1 / 3, 2 / 3, 0.1, 0.7, math.nan, -1.0, 5.0, 5e-324, 0.00005]),
    st.integers(0, 20_000).map(lambda k: k / 20_000),  # half of these are ties at four decimals
    st.floats(-2, 12),
    st.floats(allow_nan=True, allow_infinity=False),
)
WEIGHTS = st.one_of(
    st.sampled_from([0.0, 1.0, 2.0, 0.1, 0.3, 3.0]), st.floats(0, 1e6), st.floats(1e-300, 1e300)
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Rubric, list[list[float]], list[list[bool]]]:
    width = draw(st.integers(1, 6))
    weights = draw(st.lists(WEIGHTS, min_size=width, max_size=width).filter(any))
    maxima = draw(
        st.lists(st.sampled_from([1.0, 4.0, 10.0, 3.0, 0.7, 1e-300]), min_size=width, max_size=width)
    )
    rubric = Rubric(
        dimensions=[
            Dimension(id=f"d{i}", weight=w, max_score=m)
            for i, (w, m) in enumerate(zip(weights, maxima, strict=True))
        ],
        rollup=draw(st.sampled_from(ROLLUPS)),
        threshold=draw(st.sampled_from([0.5, 0.7, 1 / 3, 0.0, 1.0])),
    )
    row = st.lists(SCORES, min_size=width, max_size=width)
    rows = draw(st.lists(row, min_size=1, max_size=8))
    gaps = draw(
        st.lists(
            st.lists(st.booleans(), min_size=width, max_size=width), min_size=len(rows), max_size=len(rows)
        )
    )
    return rubric, rows, gaps


def one_by_one(rubric: Rubric, row: list[float], gaps: list[bool]) -> float:
    """The scalar scorer's reward; NaN where it refuses because nothing applies."""
    scores = {
        d.id: None if math.isnan(value) else value
        for d, value, gap in zip(rubric.dimensions, row, gaps, strict=True)
        if not gap
    }
    counts = [d.weight > 0 and scores.get(d.id, 0.0) is not None for d in rubric.dimensions]
    if any(counts):
        return score_rubric(rubric, scores).reward
    with pytest.raises(RubricError, match="applies"):
        score_rubric(rubric, scores)
    return math.nan


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_the_same_bits_as_one_by_one(case: tuple[Rubric, list[list[float]], list[list[bool]]]) -> None:
    rubric, rows, gaps = case
    many = score_rubric_many(rubric, rows, missing=gaps)
    expected = np.array([one_by_one(rubric, row, gap) for row, gap in zip(rows, gaps, strict=True)])
    assert many.tobytes() == expected.tobytes(), (many, expected)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.floats(0, 1) | st.integers(0, 20_000).map(lambda k: k / 20_000), min_size=1, max_size=30))
@example([0.00005, 0.00015, 0.00025, 0.12345, 0.99995, 0.5, 1.0, 0.0])
def test_rounding_is_pythons(values: list[float]) -> None:
    """`np.round` gives 0.0002 for 0.00015 (and Python 0.0001), for one."""
    assert round_many(np.array(values)).tolist() == [round(value, 4) for value in values]


def test_numpys_own_rounding_would_differ() -> None:
    """The reason for `round_many`; should numpy change, it can go."""
    ties = np.arange(1, 20_000, 2) / 20_000
    assert np.round(ties, 4).tolist() != [round(value, 4) for value in ties.tolist()]


def test_all_ties_at_four_decimals() -> None:
    ties = np.arange(0, 20_001) / 20_000
    rubric = Rubric(dimensions=[Dimension(id="a")])
    assert score_rubric_many(rubric, ties[:, None]).tolist() == [round(value, 4) for value in ties.tolist()]


def test_not_applicable_missing_and_undefined() -> None:
    """Columns a (weight 1) and b (weight 3): (1 + 0)/4; a alone; nothing applies; b not scored: (1 + 0)/4."""
    rubric = Rubric(dimensions=[Dimension(id="a"), Dimension(id="b", weight=3)])
    matrix = [[1.0, 0.0], [1.0, math.nan], [math.nan, math.nan], [1.0, math.nan]]
    missing = [[False, False], [False, False], [False, False], [False, True]]
    np.testing.assert_array_equal(
        score_rubric_many(rubric, matrix, missing=missing), [0.25, 1.0, math.nan, 0.25]
    )


def test_no_trials() -> None:
    assert score_rubric_many(Rubric(dimensions=[Dimension(id="a")]), np.empty((0, 1))).shape == (0,)


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        ([[1.0]], "wrong shape"),
        ([1.0, 2.0], "wrong shape"),
        ([["a", "b"]], "must be numbers"),
        ([[True, False]], "must be numbers"),
        ([[math.inf, 0.0]], "not a finite number"),
    ],
)
def test_what_is_no_matrix_of_scores(matrix: Any, says: str) -> None:
    rubric = Rubric(dimensions=[Dimension(id="a"), Dimension(id="b")])
    with pytest.raises(RubricError, match=says):
        score_rubric_many(rubric, matrix)
