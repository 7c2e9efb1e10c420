"""What does not count and why, what to know before believing a number, and how to make it all again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import asdict

from adjudge._version import __version__
from adjudge.ledger import Coded, TrialColumns, TrialFilter
from adjudge.reports.building.selection import scope_notes
from adjudge.reports.models.choices import Choices
from adjudge.reports.models.report import Agreement, Group, Provenance
from adjudge.reports.rendering.wording import count
from adjudge.scoring import Outcome

if TYPE_CHECKING:
    from adjudge.reports.building.documents import Documents
    from adjudge.reports.building.reviews import Reviews


def excluded(
    columns: TrialColumns,
    groups: Sequence[Group],
    choices: Choices,
    wanted: TrialFilter | None,
    reviews: Reviews | None,
) -> tuple[str, ...]:
    """What does not count, each with its reason."""
    said = []
    said.append("Earlier evaluations of a trial that was scored again: the newest counts, the others stay.")
    failed = sum(g.outcomes[Outcome.MACHINERY_FAILED.value] for g in groups)
    if failed and choices.policy == "exclude":
        said.append(f"{count(failed, 'trial')} whose verifier failed: the policy is `exclude`.")
    elif failed and failed == len(columns):
        said.append("Every trial: the machinery failed in each of them, so there is no reward to count.")
    elif failed:
        said.append(
            f"No machinery failure is left out: {count(failed, 'trial')} count 0.0 as the specification "
            "says, with bounds beside each mean; --policy exclude leaves them out."
        )
    for group in groups:
        said += [f"{group.name}: {note}." for note in group.reward.notes]
    unpriced = len(columns) - sum(g.cost_usd.known for g in groups)
    if unpriced and unpriced < len(columns):
        said.append(f"From costs: {count(unpriced, 'trial')} whose cost is not known.")
    deferred = sum(
        judgment == "defer" for review in (reviews.reviews if reviews else ()) for _, judgment in review.said
    )
    if deferred:
        said.append(f"From agreement: {count(deferred, 'judgment')} of `defer`, which is missing data.")
    return tuple(said)


def notes(
    columns: TrialColumns, groups: Sequence[Group], choices: Choices, wanted: TrialFilter | None = None
) -> tuple[str, ...]:
    """What a reader must know, in sentences; the most important first."""
    said = list(scope_notes(choices, wanted))
    if not len(columns):
        return ("No trial matches, so there is nothing to report.",)
    suspected = sum(g.outcomes[Outcome.SUSPECTED.value] for g in groups)
    if suspected:
        said.append(
            f"A verifier that looks broken gave the reward of {count(suspected, 'trial')}: it counts as it "
            "is, and is shown apart."
        )
    versions = _tasks_with_two_digests(columns)
    if versions:
        said.append(
            f"More than one version of the verifier scored {count(versions, 'task')}; adjudge rescore brings "
            "all trials to one."
        )
    if len(columns.experiment.categories) > 1 and choices.group_by != "experiment":
        said.append(
            f"{len(columns.experiment.categories)} experiments are pooled: their attempts at a task are "
            "averaged together. --experiment picks one."
        )
    sizes = {g.tasks for g in groups}
    if choices.group_by not in ("agent", "model", "experiment"):
        return tuple(said)
    if len(groups) > 1 and (len(sizes) > 1 or next(iter(sizes)) != len(columns.task.categories)):
        said.append(
            "The groups did not all try the same tasks, so their means are not comparable as they stand; "
            "adjudge compare pairs them on the tasks they share."
        )
    elif sum(g.reward.interval is not None for g in groups) > 1:
        said.append(
            "Overlapping intervals do not mean equal: adjudge compare pairs the tasks and is far sharper."
        )
    return tuple(said)


def provenance(
    columns: TrialColumns,
    groups: Sequence[Group],
    agreement: Agreement | None,
    wanted: TrialFilter | None,
    documents: Documents | str,
) -> Provenance:
    """How the numbers were made."""
    estimates = [e for g in groups for e in (g.reward, *(p.estimate for p in g.passes))]
    if agreement is not None:
        estimates += [
            e for pair in (*agreement.pairs, *agreement.by_reviewer) for e in (pair.kappa, pair.ac1)
        ]
        estimates += [*agreement.among_reviewers, *(p.estimate for p in agreement.people)]
    methods: dict[str, None] = {}
    for estimate in estimates:
        interval = f"; interval: {estimate.interval.method}" if estimate.interval else ""
        methods[f"{estimate.method}{interval}"] = None
    return Provenance(
        adjudge_version=__version__,
        data_sha256=data_digest(columns),
        filter=plain_filter(wanted),
        methods=tuple(methods),
        scored_by_versions=None if isinstance(documents, str) else documents.versions,
    )


def data_digest(columns: TrialColumns) -> str:
    """SHA-256 over every column and name that a number is made from, in the order of the rows."""
    digest = hashlib.sha256()
    for field, value in asdict(columns).items():
        for name, part in sorted(value.items()) if field == "metadata" else ((field, value),):
            digest.update(name.encode())
            coded = isinstance(part, Coded)
            if coded:
                digest.update("\0".join(part.categories).encode("utf-8", "surrogatepass"))
            digest.update(np.ascontiguousarray(part.codes if coded else part).tobytes())
    return digest.hexdigest()


def plain_filter(wanted: TrialFilter | None) -> dict[str, Any]:
    """The parts of a filter that narrow, as JSON."""
    found: dict[str, Any] = {} if wanted is None else wanted.model_dump(mode="json", exclude_defaults=True)
    return found


def _tasks_with_two_digests(columns: TrialColumns) -> int:
    width = len(columns.task_digest.categories) + 1
    keys = np.unique(columns.task.codes.astype(np.int64) * width + columns.task_digest.codes + 1)
    known = keys[keys % width > 0]
    return int((np.bincount(known // width) > 1).sum()) if len(known) else 0
