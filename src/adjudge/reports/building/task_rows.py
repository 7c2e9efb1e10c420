"""The tasks of a report, hardest first, with a cell for every group: what the heat map shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adjudge.ledger import TrialColumns
from adjudge.reports.models.report import Cell, TaskRow
from adjudge.stats import Policy, Status, TrialTable, task_table

MOST_CELLS = 40_000
"""Beyond so many cells no person reads a table of tasks; the export has them all."""


def task_rows(
    columns: TrialColumns, trials: TrialTable, groups: Sequence[TrialTable], policy: Policy
) -> tuple[tuple[TaskRow, ...], str | None]:
    """The rows, or none and why. Means are `task_table`'s, as in every estimate."""
    names = columns.task.categories
    cells = len(names) * len(groups)
    if not names:
        return (), "there are no trials"
    if cells > MOST_CELLS:
        return (), (
            f"{len(names):,} tasks × {len(groups):,} groups are more than {MOST_CELLS:,} cells; "
            "narrow the report with --task, or use adjudge export"
        )
    overall = task_table(trials, policy=policy)
    known = overall.statuses[:, Status.VERIFIER_FAILED] < overall.statuses.sum(axis=1)
    # A task on which nothing but the machinery spoke has no mean, and is not the hardest one.
    means = dict(zip(overall.task[known].tolist(), overall.mean[known].tolist(), strict=True))
    table = [_cells(part, len(names), policy) for part in groups]
    digests = _digests(columns)
    order = sorted(range(len(names)), key=lambda t: (means.get(t, np.inf), names[t]))
    rows = tuple(
        TaskRow(
            task=names[t],
            digests=digests[t],
            mean=means.get(t),
            cells=tuple(row[t] for row in table),
        )
        for t in order
    )
    return rows, None


def _cells(trials: TrialTable, tasks: int, policy: Policy) -> list[Cell | None]:
    table = task_table(trials, policy=policy)
    means = dict(zip(table.task.tolist(), table.mean.tolist(), strict=True))
    attempts = np.bincount(trials.task, minlength=tasks).tolist()
    failed, unusable = (
        np.bincount(trials.task[trials.status == status], minlength=tasks).tolist()
        for status in (Status.VERIFIER_FAILED, Status.UNPARSEABLE)
    )
    return [
        None
        if not attempts[t]
        # Nothing but machinery failures: the specification's 0.0 is no mean of this agent.
        else Cell(
            mean=None if failed[t] == attempts[t] else means.get(t),
            attempts=attempts[t],
            failed=failed[t],
            unusable=unusable[t],
        )
        for t in range(tasks)
    ]


def _digests(columns: TrialColumns) -> list[tuple[str, ...]]:
    """The versions of each task that scored, sorted; trials without a digest add none."""
    known = columns.task_digest.codes >= 0
    width = len(columns.task_digest.categories) or 1
    keys = np.unique(columns.task.codes[known].astype(np.int64) * width + columns.task_digest.codes[known])
    found: list[list[str]] = [[] for _ in columns.task.categories]
    for key in keys.tolist():
        found[key // width].append(columns.task_digest.categories[key % width])
    return [tuple(digests) for digests in found]
