"""Which trials: one description for the command line, Python and the web.

Every field narrows; a field with several values accepts any of them. Nothing set means every trial. A filter
looks at a trial's current evaluation. A task that ends in `*` stands for every task that begins so.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum

from adjudge.contracts import Judgment
from adjudge.errors import UsageError

DISAGREEMENT_THRESHOLD = 0.5
"""A reward from here on counts as a pass when it is held against a reviewer's judgment."""


class Sort(StrEnum):
    """In which order. Among equal rewards `reward` shows the oldest first, `-reward` the newest."""

    NEWEST = "newest"
    OLDEST = "oldest"
    LOWEST = "reward"
    HIGHEST = "-reward"


@dataclass(frozen=True, kw_only=True)
class TrialFilter:
    """A choice of trials. UsageError where the bounds cannot mean anything."""

    experiment: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    """An empty string stands for trials without a model."""
    task: tuple[str, ...] = ()
    task_digest: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    """A category of the error taxonomy."""
    outcome: tuple[str, ...] = ()
    """Words of `Outcome`."""
    min_reward: float | None = None
    max_reward: float | None = None
    output_parseable: bool | None = None
    schema_valid: bool | None = None
    verifier_completed: bool | None = None
    annotated: bool | None = None
    reviewer: tuple[str, ...] = ()
    disagreement: bool | None = None
    """A reviewer's judgment contradicts the reward."""
    threshold: float = DISAGREEMENT_THRESHOLD
    """The reward from which on a verifier counts as saying "pass"."""
    scored_after: datetime | None = None
    scored_before: datetime | None = None

    def __post_init__(self) -> None:
        for name in ("min_reward", "max_reward", "threshold"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise UsageError("rewards lie between 0 and 1", field=name, found=value, allowed="0.0 to 1.0")
        if self.min_reward is not None and self.max_reward is not None and self.min_reward > self.max_reward:
            raise UsageError(
                "no reward can be in this range",
                found=f"{self.min_reward} to {self.max_reward}",
                allowed="low to high",
            )
        if self.outcome:
            _check_outcomes(self.outcome)
        for name in ("scored_after", "scored_before"):
            moment = getattr(self, name)
            if moment is not None and moment.tzinfo is None:
                raise UsageError("this moment has no time zone", field=name, found=moment.isoformat())

    @property
    def narrows(self) -> bool:
        """Is anything set at all?"""
        return any(
            getattr(self, field.name) != field.default for field in fields(self) if field.name != "threshold"
        )


EVERYTHING = TrialFilter()


def _check_outcomes(words: tuple[str, ...]) -> None:
    from adjudge.scoring import Outcome  # takes a while to import, and a filter mostly needs none

    outcomes = [outcome.value for outcome in Outcome]
    if unknown := [word for word in words if word not in outcomes]:
        raise UsageError(
            "there is no such outcome", field="outcome", found=unknown[0], allowed=", ".join(outcomes)
        )


def disagrees(judgment: Judgment | str, reward: float, threshold: float = DISAGREEMENT_THRESHOLD) -> bool:
    """Pass below the threshold, or fail from it on. `defer` contradicts nothing."""
    if judgment == Judgment.PASS:
        return reward < threshold
    return judgment == Judgment.FAIL and reward >= threshold
