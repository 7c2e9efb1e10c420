"""How numbers are made, as one value: every function of this folder that makes an interval takes a `Method`.

Whether trials pass from a threshold on is part of the question, not of the method, and stays a parameter of
its own.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from adjudge.errors import UsageError
from adjudge.stats.estimate import Policy

IntervalMethod = Literal["score", "t", "bca", "wilson", "exact"]
"""How the interval of a mean is made. `wilson` and `exact` are for independent values of 0 or 1."""


class Method(Struct, frozen=True):
    """Level, interval, policy and randomness. UsageError for a level that is not between 0 and 1."""

    level: float = 0.95
    interval: IntervalMethod = "score"
    seed: int = 0
    resamples: int | None = None
    """How often to draw at random; None for the usual number of whatever is drawn."""
    policy: Policy = "zero"
    """What a machinery failure counts as."""

    def __post_init__(self) -> None:
        check_level(self.level)
        if self.seed < 0:
            raise UsageError("not a seed", field="seed", found=self.seed, allowed="a whole number from 0 on")
        if self.resamples is not None and self.resamples < 1:
            raise UsageError(
                "not a number of resamples", field="resamples", found=self.resamples, allowed="1 or more"
            )

    def draws(self, usual: int) -> int:
        """How often to draw what is drawn `usual` times unless the method says otherwise."""
        return usual if self.resamples is None else self.resamples


def check_level(level: float) -> None:
    """Refuse a confidence level that is not strictly between 0 and 1."""
    if not 0 < level < 1:
        raise UsageError(
            "a confidence level is a share", found=level, allowed="a number between 0 and 1, such as 0.95"
        )


DEFAULT = Method()
