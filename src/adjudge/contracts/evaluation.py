"""The verdict on one output: reward, validity, breakdown, tags, confidence, annotations.

The fields are the specification's. The models enforce its rules: a reward is finite and in [0, 1]; an
output that does not parse cannot carry a reward above zero; the other two validity flags force
nothing; annotations sit beside the reward and never change it.
"""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from adjudge.contracts.base import JsonObject, Name, Sha256, StrictModel, Timestamp, UnitInterval, no_items
from adjudge.contracts.choices import Choice


class ValidityCheck(StrictModel):
    """Is the output fit for scoring, and did the verifier finish?"""

    output_parseable: bool
    """Did the file parse as its declared format?"""
    schema_valid: bool
    """Did it match the expected shape?"""
    verifier_completed: bool
    """Did a usable reward appear?"""
    errors: list[str] = Field(default_factory=no_items)


class ErrorSource(Choice):
    """Who classified a failure."""

    MECHANICAL = "mechanical"
    HUMAN = "human"
    JUDGE = "judge"


class ErrorTag(StrictModel):
    """One classified failure. Categories belong to the task; there is no fixed list."""

    category: Name
    description: str | None = None
    source: ErrorSource


class Judgment(Choice):
    """A reviewer's verdict. `defer` is "I cannot tell", and counts as missing for agreement."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    DEFER = "defer"


class Annotation(StrictModel):
    """What a person thinks of the output; never changes the reward."""

    reviewer_id: Name
    reviewer_discipline: str | None = None
    timestamp: Timestamp
    judgment: Judgment
    categories: list[str] = Field(default_factory=no_items)
    notes: str | None = None


class Interval(StrictModel):
    """An interval estimate, with how it was made."""

    low: float
    high: float
    level: float = Field(gt=0, lt=1)
    method: Name

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"interval runs backwards: low {self.low} > high {self.high}")
        return self


class JudgeIdentity(StrictModel):
    """Which judge spoke: enough to ask the same one again."""

    name: Name
    model: Name
    prompt_digest: Sha256 | None = None


class ConfidenceMetadata(StrictModel):
    """How sure one can be of a reward that did not come from a deterministic verifier alone."""

    annotator_count: int | None = Field(default=None, ge=0)
    agreement: float | None = Field(default=None, ge=-1, le=1)
    agreement_method: str | None = None
    interval: Interval | None = None
    sample_count: int | None = Field(default=None, ge=0)
    judge: JudgeIdentity | None = None

    @model_validator(mode="after")
    def _agreement_names_its_method(self) -> Self:
        if self.agreement is not None and not self.agreement_method:
            raise ValueError("agreement is a number without a meaning unless agreement_method names it")
        return self


class EvaluationResult(StrictModel):
    """A validated reward and everything known about it."""

    reward: UnitInterval = Field(ge=0, le=1)
    validity: ValidityCheck
    breakdown: JsonObject | None = None
    """`details.json` as the verifier wrote it."""
    error_taxonomy: list[ErrorTag] | None = None
    confidence: ConfidenceMetadata | None = None
    annotations: list[Annotation] | None = None

    @model_validator(mode="after")
    def _unparseable_earns_nothing(self) -> Self:
        if not self.validity.output_parseable and self.reward != 0:
            raise ValueError(
                f"reward is {self.reward} but validity.output_parseable is False; "
                "an output that does not parse can only have reward 0.0"
            )
        return self
