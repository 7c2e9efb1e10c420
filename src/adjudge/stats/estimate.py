"""What every function of this folder returns: a number that says how it was made and what it stands on.

Invariants: an undefined number is `None` with a `reason`, never 0.0 or NaN; an interval always has a width;
`bounds` are present exactly if the machinery failed, because only then is the mean itself uncertain in a
way that no interval shows. Every object is strict, frozen and the same after a trip through JSON.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from adjudge.contracts import Interval, StrictModel

Policy = Literal["zero", "exclude"]
"""What a machinery failure counts as: the specification's 0.0, or nothing at all."""


class Coverage(StrictModel):
    """How many trials stand behind a number, by what became of them. The three add up to all trials."""

    scored: int = Field(ge=0)
    """The output parsed and the verifier gave a reward."""
    unparseable: int = Field(default=0, ge=0)
    """The agent's output did not parse: reward 0.0, and rightly so."""
    verifier_failed: int = Field(default=0, ge=0)
    """The machinery failed: nobody knows what the output was worth."""

    @property
    def trials(self) -> int:
        return self.scored + self.unparseable + self.verifier_failed


class Bounds(StrictModel):
    """The value with every machinery failure counted as `low`est and as `high`est possible reward."""

    low: float
    high: float


class Estimate(StrictModel):
    """One number, with everything a reader needs to trust it or to make it again."""

    value: float | None
    interval: Interval | None = None
    """Its own `method` says how it was made; absent if the data cannot carry one, see `reason`."""
    standard_error: float | None = None
    level: float = Field(default=0.95, gt=0, lt=1)
    method: str
    """What the value is, in words."""
    n: int = Field(ge=0)
    """How many units the value is a mean over."""
    unit: str = "tasks"
    coverage: Coverage | None = None
    policy: Policy | None = None
    bounds: Bounds | None = None
    seed: int | None = None
    """The seed of whatever was drawn at random; absent if nothing was."""
    cluster_key: str | None = None
    clusters: int | None = None
    reason: str | None = None
    """Why the value, or else the interval, is undefined: a sentence."""
    caveats: tuple[str, ...] = ()
    """What may make the interval, or a claim read off it, untrue here. Every format prints them."""
    notes: tuple[str, ...] = ()
    """What a reader must know besides: what was dropped, what was assumed. Sentences."""

    @model_validator(mode="after")
    def _undefined_has_a_reason(self) -> Self:
        if (self.value is None or self.interval is None) and not self.reason:
            raise ValueError("an estimate without a value or an interval must give its reason")
        if self.value is None and (self.interval is not None or self.standard_error is not None):
            raise ValueError("an undefined value has no interval and no standard error")
        if self.interval is not None and self.interval.low == self.interval.high:
            raise ValueError(f"an interval without a width claims certainty: {self.interval}")
        return self
