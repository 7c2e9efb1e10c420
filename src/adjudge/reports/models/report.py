"""A report as data: every renderer shows this, and `--format json` is this.

Nothing here is computed; `build.py` fills it from `adjudge.stats`, whose `Estimate` stands behind every
headline. A section that could not be made is absent with a sentence that says why. The same ledger, filter
and choices give the same report, byte for byte: it holds no time of day and no path.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adjudge.contracts import ConfidenceMetadata, JsonObject, StrictModel
from adjudge.reports.models.choices import Choices
from adjudge.reports.models.comparison import Comparison
from adjudge.stats import Estimate

REWARD_BINS: tuple[str, ...] = (
    "0",
    *(f"{low / 10:.1f}–{(low + 1) / 10:.1f}" for low in range(10)),
    "1",
)
"""Exactly 0, the ten tenths between, exactly 1: rewards pile up at both ends, and that is worth seeing."""


class Named(StrictModel):
    """A number and what it is called."""

    name: str
    estimate: Estimate


class Spend(StrictModel):
    """What trials took, where it is known. Totals are of the known ones alone; None where none is known."""

    known: int = Field(ge=0)
    total: float | None = None
    per_trial: float | None = None
    median: float | None = None
    p95: float | None = None
    """Nineteen of twenty trials took at most this much."""


class Group(StrictModel):
    """One agent, or whatever the report groups by."""

    name: str
    trials: int
    tasks: int
    attempts: tuple[int, int]
    """The fewest and the most attempts at one task."""
    reward: Estimate
    passes: tuple[Named, ...]
    outcomes: dict[str, int]
    """Trials by outcome; every outcome is there, and they add up to `trials`."""
    schema_invalid: int
    distribution: tuple[int, ...]
    """Trials by `REWARD_BINS`; machinery failures have no reward and are in none."""
    cost_usd: Spend
    verifier_sec: Spend
    agent_sec: Spend | None = None
    """None where the trials' documents were not read."""
    input_tokens: Spend | None = None
    output_tokens: Spend | None = None
    cost_per_success: float | None = None
    """All known cost over all successes; None if a cost is unknown or nothing succeeded."""
    confidence: ConfidenceMetadata


class Cell(StrictModel):
    """One group on one task."""

    mean: float | None
    """None where no attempt counts."""
    attempts: int
    failed: int = 0
    """Attempts that the machinery failed."""
    unusable: int = 0
    """Attempts whose output does not parse."""


class TaskRow(StrictModel):
    """One task: every group's cell, in the order of the groups; None where a group never tried it."""

    task: str
    digests: tuple[str, ...]
    mean: float | None
    """Over all attempts that count, of every group."""
    cells: tuple[Cell | None, ...]


class FieldRow(StrictModel):
    """One field of the breakdowns: its score over its maximum, averaged like a reward."""

    field: str
    tasks: int
    trials: int
    overall: Estimate
    groups: tuple[Estimate | None, ...]
    """In the order of the groups; None where a group has no trial with this field."""


class CategoryRow(StrictModel):
    """One category of the error taxonomy, by trials that carry it."""

    category: str
    trials: int
    by_adjudge: bool
    """Is it one that adjudge itself sets?"""
    sources: tuple[str, ...] | None
    """Who set it: mechanical, human, judge. None where the documents were not read."""
    groups: tuple[int, ...]
    tasks: tuple[tuple[str, int], ...]
    """The tasks it occurs in, most often first; at most `MOST_TASKS`."""
    more_tasks: int = 0


class JudgeRow(StrictModel):
    """What one judge says on one criterion, or altogether: beside the rewards, never in them."""

    rubric: str
    models: tuple[str, ...]
    samples: int
    judge: str
    """Digest of what makes it this judge."""
    what: str
    """A criterion; `score` is the whole judgement, `judge reward` the reward that includes the judge."""
    trust: str
    """`calibrated` or `uncalibrated`."""
    trials: int
    abstained: int
    """Judgements without a number; they are in no mean."""
    overall: Estimate | None
    """None if every judgement abstained."""
    groups: tuple[Estimate | None, ...]


class RaterPair(StrictModel):
    """Two that judged the same trials, and whether they agree more than chance would have them."""

    a: str
    b: str
    both_pass: int
    only_a: int
    """Trials that only A passed."""
    only_b: int
    both_fail: int
    kappa: Estimate
    ac1: Estimate


class Disagreement(StrictModel):
    """A trial on which people contradict the reward."""

    trial_id: str
    group: str
    task: str
    reward: float
    said: str


class Agreement(StrictModel):
    """Verifier, judges and people, held against each other."""

    reviewers: int
    annotated: int
    annotations: int
    deferred: int
    pairs: tuple[RaterPair, ...]
    by_reviewer: tuple[RaterPair, ...] = ()
    """Each reviewer against the verifier, and each pair of reviewers, on the trials that both judged."""
    more_by_reviewer: int = 0
    among_reviewers: tuple[Estimate, ...]
    """Krippendorff's alpha and Gwet's AC1 of the reviewers among themselves; empty with one reviewer."""
    people: tuple[Named, ...]
    """What people would say of all trials, from the few that they saw."""
    disagreements: tuple[Disagreement, ...]
    more_disagreements: int = 0


class Trend(StrictModel):
    """Mean reward by experiment, the oldest first, for each group."""

    experiments: tuple[str, ...]
    groups: tuple[str, ...]
    rewards: tuple[tuple[Estimate | None, ...], ...]
    """By group, then by experiment; None if the group has no trial there."""
    earlier: int = 0
    """Experiments before these that are not shown."""
    more_groups: int = 0


class Provenance(StrictModel):
    """Enough to make the report again and to see that it is the same."""

    adjudge_version: str
    data_sha256: str
    """Over the columns that every number here was made from."""
    filter: JsonObject
    methods: tuple[str, ...]
    """Each distinct way a number was made, in words."""
    scored_by_versions: tuple[str, ...] | None = None
    """The versions of adjudge that scored; None where the documents were not read."""


class Report(StrictModel):
    """Everything a report says."""

    kind: Literal["adjudge report"] = "adjudge report"
    choices: Choices
    trials: int
    task_count: int
    experiments: tuple[str, ...]
    groups: tuple[Group, ...]
    """The highest mean reward first; equal ones by name; those without one last."""
    tasks: tuple[TaskRow, ...]
    """The hardest first; empty, with `tasks_reason`, where there are too many to list."""
    tasks_reason: str | None = None
    fields: tuple[FieldRow, ...]
    fields_reason: str | None = None
    taxonomy: tuple[CategoryRow, ...]
    taxonomy_reason: str | None = None
    judges: tuple[JudgeRow, ...] = ()
    judges_reason: str | None = None
    agreement: Agreement | None = None
    agreement_reason: str | None = None
    comparison: Comparison | None = None
    """The groups held against each other on shared tasks; None, with a reason, if that was not done."""
    comparison_reason: str | None = None
    trend: Trend | None = None
    """None with a single experiment, or if experiments are the groups."""
    excluded: tuple[str, ...]
    """What does not count, and why. Sentences."""
    notes: tuple[str, ...]
    """What a reader should know before believing a number. Sentences."""
    provenance: Provenance
