"""How the numbers of reports, comparisons, gates and plans are made: all that a reader could change."""

from __future__ import annotations

from msgspec.structs import replace
from pydantic import Field

from adjudge.contracts import StrictModel
from adjudge.stats import IntervalMethod, Method, Policy


class Choices(StrictModel):
    """How the numbers are made: everything a reader could have asked for differently."""

    group_by: str = "agent"
    """`agent` (with its model), `model`, `experiment`, `category`, or `metadata.KEY`."""
    cluster: str | None = None
    """What makes tasks hang together: `category` (the task's folder) or `metadata.KEY`."""
    policy: Policy = "zero"
    success: float = Field(default=1.0, gt=0, le=1)
    """The reward from which on an attempt is a success, for pass rates, pass@k and pass^k."""
    ks: tuple[int, ...] | None = None
    """The k of pass@k and pass^k; None picks the most common number of attempts."""
    level: float = Field(default=0.95, gt=0, lt=1)
    method: IntervalMethod = "score"
    seed: int = Field(default=0, ge=0)
    threshold: float = Field(default=0.5, ge=0, le=1)
    """The reward from which on a verifier says pass, where it is held against people."""

    @property
    def how(self) -> Method:
        """The part of the choices that statistics take."""
        return Method(level=self.level, interval=self.method, seed=self.seed, policy=self.policy)

    @property
    def how_graded(self) -> Method:
        """The same for values between 0 and 1, such as pass@k: intervals for proportions alone give way."""
        return replace(self.how, interval="score") if self.method in ("wilson", "exact") else self.how
