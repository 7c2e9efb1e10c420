"""What a judge may answer to one criterion: yes or no, one of some levels, or a number in a range.

Every verdict has a place from 0 to 1 on its scale, and only one of the very type counts: `"false"` is no
boolean, `1` is none either, and a number outside its range is refused, never clamped.
"""

from __future__ import annotations

import math
from typing import Self

from pydantic import Field, model_validator

from adjudge.contracts import Choice, Name, StrictModel

Verdict = bool | str | float
"""By kind of scale: true or false; the label of a level; a number."""


class ScaleKind(Choice):
    """The kinds of scales."""

    BINARY = "binary"
    ORDINAL = "ordinal"
    NUMERIC = "numeric"


class Level(StrictModel):
    """One level of an ordinal scale."""

    label: Name
    score: float
    description: str = ""


class Scale(StrictModel):
    """A scale; one on which nothing can be told apart cannot be constructed."""

    kind: ScaleKind = ScaleKind.BINARY
    levels: list[Level] = Field(default_factory=list)
    """Of an ordinal scale, from the lowest score to the highest."""
    low: float | None = None
    high: float | None = None
    """Of a numeric scale."""

    @model_validator(mode="after")
    def _can_tell_things_apart(self) -> Self:
        if self.kind is ScaleKind.ORDINAL:
            scores, labels = [level.score for level in self.levels], [level.label for level in self.levels]
            if len(self.levels) < 2 or scores != sorted(set(scores)) or len(set(labels)) != len(labels):
                raise ValueError("an ordinal scale needs two levels or more, each with a higher score")
        elif self.levels:
            raise ValueError(f"a {self.kind.value} scale has no levels")
        ends = (self.low, self.high)
        if self.kind is ScaleKind.NUMERIC:
            if self.low is None or self.high is None or self.low >= self.high:
                raise ValueError("a numeric scale needs low and high, and low is the smaller one")
        elif ends != (None, None):
            raise ValueError(f"a {self.kind.value} scale has neither low nor high")
        marks = [level.score for level in self.levels] or [self.low or 0.0, self.high or 0.0]
        if math.isinf(marks[-1] - marks[0]):
            raise ValueError("a scale must be narrower than the largest number, or places on it are none")
        return self

    def place(self, verdict: object) -> float | None:
        """Where a verdict lies, from 0 to 1; None if it is no verdict of this scale."""
        if self.kind is ScaleKind.BINARY:
            return float(verdict) if isinstance(verdict, bool) else None
        if self.kind is ScaleKind.ORDINAL:
            lowest, highest = self.levels[0].score, self.levels[-1].score
            found = next((level for level in self.levels if level.label == verdict), None)
            return None if found is None else (found.score - lowest) / (highest - lowest)
        assert self.low is not None  # noqa: S101 - the scale was checked when it was made
        assert self.high is not None  # noqa: S101 - the same
        if isinstance(verdict, bool) or not isinstance(verdict, int | float):
            return None
        return (verdict - self.low) / (self.high - self.low) if self.low <= verdict <= self.high else None

    def describe(self) -> str:
        """What may be answered, in words that a judge and a person understand."""
        if self.kind is ScaleKind.BINARY:
            return "true or false"
        if self.kind is ScaleKind.NUMERIC:
            return f"a number from {self.low:g} to {self.high:g}"
        return "one of these labels: " + "; ".join(
            f'"{level.label}"' + (f" ({level.description})" if level.description else "")
            for level in self.levels
        )

    @property
    def categories(self) -> list[Verdict] | None:
        """Every verdict that can be given, in order; None for a numeric scale, which has no end of them."""
        if self.kind is ScaleKind.BINARY:
            return [False, True]
        return [level.label for level in self.levels] if self.kind is ScaleKind.ORDINAL else None
