"""How a trial came to be reviewed: a record of its own, beside the annotation and never part of it.

People review what looks odd. A mean of their verdicts describes all trials only if it is known with which
probability each of them was chosen. So whoever chooses trials for review (a person, a queue, a script)
records how.
"""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from adjudge.contracts.base import Name, StrictModel, Timestamp
from adjudge.contracts.choices import Choice


class ChosenBy(Choice):
    """By what a trial was chosen for review."""

    RANDOM = "random"
    """Drawn by lot; the probability is known."""
    DISAGREEMENT = "disagreement"
    """Because verifier, judge or people contradict each other."""
    LOW_REWARD = "low-reward"
    UNKNOWN = "unknown"


class ReviewSelection(StrictModel):
    """One choice of a trial for review.

    `probability` is the chance that this trial would be chosen for review at all, before anybody looked: 0.1
    if 50 of 500 were drawn, 1 if all trials of its kind are reviewed. A draw by lot has one; what is chosen
    for a reason has one only if every trial had a chance, so that the others can speak for the rest.
    """

    reviewer_id: Name | None = None
    """For whom; None: for whoever reviews it."""
    method: ChosenBy
    probability: float | None = Field(default=None, gt=0, le=1)
    timestamp: Timestamp

    @model_validator(mode="after")
    def _a_lot_has_a_chance(self) -> Self:
        if self.method is ChosenBy.RANDOM and self.probability is None:
            raise ValueError("a trial chosen at random has a probability of being chosen: above 0, up to 1")
        if self.method is ChosenBy.UNKNOWN and self.probability is not None:
            raise ValueError("a way of choosing that is unknown has no known probability")
        return self
