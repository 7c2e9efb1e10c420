"""A plan as data: how much data would show a difference or pass a gate, with power curves and the cost."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adjudge.contracts import JsonObject, StrictModel
from adjudge.reports.models.choices import Choices
from adjudge.stats import PowerPlan, PowerPoint


class DataPlan(StrictModel):
    """Everything `adjudge plan` says."""

    kind: Literal["adjudge plan"] = "adjudge plan"
    goal: Literal["difference", "gate"]
    sides: tuple[str, str] | None = None
    """The pilot's two sides; None for a plan from assumptions alone."""
    choices: Choices
    plan: PowerPlan
    curve: tuple[PowerPoint, ...] = ()
    """Power by number of tasks, one line per number of attempts."""
    cost_per_trial: float | None = Field(default=None, ge=0)
    cost: float | None = Field(default=None, ge=0)
    """Of the tasks needed, at the present number of attempts, for both sides; None if no cost is known."""
    notes: tuple[str, ...] = ()
    filter: JsonObject = Field(default_factory=dict)
