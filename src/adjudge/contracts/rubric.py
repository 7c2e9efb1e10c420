"""Rubric-style scoring: what is looked at, with which weight, and what came out."""

from __future__ import annotations

from collections import Counter
from typing import Self

from pydantic import Field, model_validator

from adjudge.contracts.base import Name, StrictModel, UnitInterval


class Dimension(StrictModel):
    """One thing a rubric looks at."""

    id: Name
    weight: float = Field(default=1.0, ge=0)
    max_score: float = Field(default=1.0, gt=0)
    description: str | None = None


class Rubric(StrictModel):
    """Dimensions and how they combine. One that cannot mean anything cannot be constructed."""

    dimensions: list[Dimension] = Field(min_length=1)
    rollup: Name = "weighted_mean"
    """The name of a registered rollup; checked when the rubric is used."""
    threshold: float = Field(default=0.5, ge=0, le=1)
    """What a dimension must reach to pass; read by the rollups that pass or fail."""

    @model_validator(mode="after")
    def _meaningful(self) -> Self:
        twice = [name for name, count in Counter(d.id for d in self.dimensions).items() if count > 1]
        if twice:
            raise ValueError(f"dimension ids must be unique; found more than once: {', '.join(twice)}")
        if not any(d.weight for d in self.dimensions):
            raise ValueError("every weight is 0, so no dimension counts; give at least one a weight above 0")
        return self


class DimensionScore(StrictModel):
    """What one dimension was given. A score of None means "not applicable", which is not zero."""

    score: float | None
    max_score: float | None = Field(default=None, gt=0)
    """None takes the rubric's; a number must agree with it."""
    evidence: str | None = None


class DimensionResult(StrictModel):
    """One dimension after normalising; `normalised` is None if it was not applicable."""

    id: Name
    score: float | None
    max_score: float
    weight: float
    normalised: UnitInterval | None = Field(ge=0, le=1)
    evidence: str | None = None


class RubricResult(StrictModel):
    """The reward and how it came about; rounded to 4 decimals."""

    reward: UnitInterval = Field(ge=0, le=1)
    rollup: Name
    dimensions: list[DimensionResult]
