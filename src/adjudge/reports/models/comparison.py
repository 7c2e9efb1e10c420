"""A comparison, a regression gate and a plan as data: what renderers show and `--json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adjudge.contracts import Interval, JsonObject, StrictModel
from adjudge.reports.models.choices import Choices
from adjudge.stats import (
    Estimate,
    GateVerdict,
    PairedComparison,
    PowerPlan,
    PowerPoint,
    RankedAgent,
    SequentialVerdict,
)


class Ruler(StrictModel):
    """Were the sides scored by the same verifiers? Task digests say so."""

    differing: int = Field(default=0, ge=0)
    """Tasks that sides share and that no one version of the verifier scored for all of them."""
    examples: tuple[str, ...] = ()
    trials_left_out: int = Field(default=0, ge=0)
    """Trials that do not count, because not every side has one of the same version."""
    ignored: bool = False
    """Was it asked to compare whatever scored them?"""


class Pair(StrictModel):
    """A against B: the difference A - B, whether anything is shown, and what more data would show."""

    a: str
    b: str
    comparison: PairedComparison
    """Of this pair alone."""
    p_adjusted: float | None = Field(default=None, ge=0, le=1)
    """Holm's, over every pair looked at; with one pair it is the pair's own p."""
    better: str | None = None
    withheld: str | None = None
    """Whom the interval shows to be better, if machinery failures could undo that; `better` is then None."""
    interval: Interval | None = None
    """At the level at which Holm tests this pair among all; excludes 0 exactly if one of the two is named."""
    caveats: tuple[str, ...] = ()
    """Of this interval and this claim."""
    plan: PowerPlan
    """For the test at that level."""

    @property
    def shown(self) -> Estimate:
        """The difference with the interval that belongs to the verdict: what every format shows."""
        return self.comparison.difference.model_copy(
            update={"interval": self.interval, "caveats": self.caveats}
        )


class TaskDifference(StrictModel):
    """One shared task: the two means."""

    task: str
    a: float
    b: float


class FieldDifference(StrictModel):
    """One field of the breakdowns, paired on the tasks that have it; `p_adjusted` is Benjamini-Hochberg's."""

    field: str
    comparison: PairedComparison
    p_adjusted: float | None = Field(default=None, ge=0, le=1)


class Comparison(StrictModel):
    """Everything `adjudge compare` says."""

    kind: Literal["adjudge comparison"] = "adjudge comparison"
    by: str
    choices: Choices
    threshold: float | None
    """Where set, what is compared is the share of attempts with at least this reward."""
    sides: tuple[str, ...]
    """In the order in which they were named."""
    ranking: tuple[RankedAgent, ...]
    pairs: tuple[Pair, ...]
    tasks: tuple[TaskDifference, ...] = ()
    """Of two sides, the largest win of A first; empty with more sides."""
    fields: tuple[FieldDifference, ...] = ()
    fields_reason: str | None = None
    ruler: Ruler = Ruler()
    notes: tuple[str, ...] = ()
    filter: JsonObject = Field(default_factory=dict)
    data_sha256: str


class RegressionGate(StrictModel):
    """A verdict, and what was held against what."""

    kind: Literal["adjudge gate"] = "adjudge gate"
    by: str
    baseline: str
    candidate: str
    threshold: float | None
    choices: Choices
    verdict: GateVerdict
    ruler: Ruler = Ruler()
    exit_code: int
    notes: tuple[str, ...] = ()
    filter: JsonObject = Field(default_factory=dict)
    data_sha256: str


class SequentialGate(StrictModel):
    """A verdict on a candidate that is still running, and what was held against what."""

    kind: Literal["adjudge sequential gate"] = "adjudge sequential gate"
    by: str
    baseline: str
    candidate: str
    threshold: float | None
    choices: Choices
    verdict: SequentialVerdict
    ruler: Ruler = Ruler()
    exit_code: int
    notes: tuple[str, ...] = ()
    filter: JsonObject = Field(default_factory=dict)
    data_sha256: str


class DataPlan(StrictModel):
    """Everything `adjudge plan` says: how much data would show a difference or pass a gate, and its cost."""

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
