"""The error taxonomy: which categories occur, in how many trials, whose and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from adjudge.ledger import Coded, TagColumns, TrialColumns
from adjudge.reports.models.report import CategoryRow
from adjudge.scoring import MECHANICAL_CATEGORIES

if TYPE_CHECKING:
    from adjudge.reports.building.documents import Documents

MOST_TASKS = 20


def category_rows(
    tags: TagColumns | None, columns: TrialColumns, grouped: Coded, documents: Documents | str
) -> tuple[tuple[CategoryRow, ...], str | None]:
    """The categories, the most frequent first; none and why. A trial counts once for each category it has."""
    if tags is None:
        return (), "tags were not read"
    order = np.argsort(columns.trial, kind="stable")
    known = np.isin(tags.trial, columns.trial)
    rows = order[np.searchsorted(columns.trial[order], tags.trial[known])]
    codes = tags.category.codes[known]
    if not len(rows):
        return (), "no trial carries a tag"
    found = [
        _row(name, rows[codes == code], columns, grouped, documents)
        for code, name in enumerate(tags.category.categories)
    ]
    return tuple(sorted((r for r in found if r.trials), key=lambda r: (-r.trials, r.category))), None


def _row(
    name: str,
    rows: np.ndarray[tuple[int], np.dtype[np.int64]],
    columns: TrialColumns,
    grouped: Coded,
    documents: Documents | str,
) -> CategoryRow:
    tasks, times = np.unique(columns.task.codes[rows], return_counts=True)
    ranked = sorted(
        ((columns.task.categories[t], int(n)) for t, n in zip(tasks.tolist(), times.tolist(), strict=True)),
        key=lambda pair: (-pair[1], pair[0]),
    )
    return CategoryRow(
        category=name,
        trials=len(rows),
        by_adjudge=name in MECHANICAL_CATEGORIES,
        sources=None
        if isinstance(documents, str)
        else tuple(sorted(source.value for source in documents.sources.get(name, ()))),
        groups=tuple(np.bincount(grouped.codes[rows], minlength=len(grouped.categories)).tolist()),
        tasks=tuple(ranked[:MOST_TASKS]),
        more_tasks=max(0, len(ranked) - MOST_TASKS),
    )
