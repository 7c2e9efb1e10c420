"""A rubric that cannot mean anything cannot be constructed."""

from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import ValidationError

from adjudge.contracts import Dimension, DimensionResult, DimensionScore, Rubric, RubricResult


def test_defaults_are_the_specifications() -> None:
    rubric = Rubric(dimensions=[Dimension(id="a")])
    assert rubric.rollup == "weighted_mean"
    assert (rubric.dimensions[0].weight, rubric.dimensions[0].max_score) == (1.0, 1.0)


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf, "1", True, None])
def test_a_weight_is_a_finite_number_of_at_least_zero(weight: Any) -> None:
    with pytest.raises(ValidationError):
        Dimension(id="a", weight=weight)


@pytest.mark.parametrize("max_score", [0.0, -1.0, math.nan, math.inf, "1", True])
def test_a_maximum_is_a_finite_number_above_zero(max_score: Any) -> None:
    with pytest.raises(ValidationError):
        Dimension(id="a", max_score=max_score)
    with pytest.raises(ValidationError):
        DimensionScore(score=1.0, max_score=max_score)


def test_ids_are_unique_and_not_empty() -> None:
    with pytest.raises(ValidationError, match="more than once: a"):
        Rubric(dimensions=[Dimension(id="a"), Dimension(id="b"), Dimension(id="a")])
    with pytest.raises(ValidationError):
        Dimension(id="")


def test_something_must_count() -> None:
    with pytest.raises(ValidationError, match="every weight is 0"):
        Rubric(dimensions=[Dimension(id="a", weight=0.0), Dimension(id="b", weight=0.0)])
    with pytest.raises(ValidationError):
        Rubric(dimensions=[])
    assert Rubric(dimensions=[Dimension(id="a", weight=0.0), Dimension(id="b")]).dimensions[0].weight == 0


def test_not_applicable_is_not_zero() -> None:
    assert DimensionScore(score=None).score is None
    with pytest.raises(ValidationError):
        DimensionScore(score=math.nan)
    result = DimensionResult(id="a", score=None, max_score=1.0, weight=1.0, normalised=None)
    assert result.normalised is None


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_results_lie_between_0_and_1(value: float) -> None:
    with pytest.raises(ValidationError):
        RubricResult(reward=value, rollup="min", dimensions=[])
    with pytest.raises(ValidationError):
        DimensionResult(id="a", score=0.0, max_score=1.0, weight=1.0, normalised=value)
    with pytest.raises(ValidationError):
        Rubric(dimensions=[Dimension(id="a")], threshold=value)
