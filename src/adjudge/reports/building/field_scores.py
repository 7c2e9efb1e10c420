"""Per-field scores: each field's share of its maximum, averaged by task and then over tasks, like a reward.

A field is known by its name alone, so tasks that share a name share a row. The field of a trial without a
breakdown is unknown, not zero: it is in no row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from adjudge.ledger import Coded, TrialColumns
from adjudge.reports.building.groups import trials_of
from adjudge.reports.models.choices import Choices
from adjudge.reports.models.report import FieldRow
from adjudge.stats import Estimate, TrialTable, mean_reward, split

if TYPE_CHECKING:
    from adjudge.reports.building.documents import Documents, FieldScores

MOST_FIELDS = 200


def field_rows(
    documents: Documents | str, columns: TrialColumns, grouped: Coded, choices: Choices
) -> tuple[tuple[FieldRow, ...], str | None]:
    """The fields, lowest mean first; or none, and why. Beyond `MOST_FIELDS` the rarest go."""
    if isinstance(documents, str):
        return (), documents
    if not documents.fields:
        return (), "no trial has a breakdown with scores"
    every = trials_of(columns, choices.cluster)
    common = sorted(documents.fields, key=lambda name: (-len(documents.fields[name].rows), name))
    rows = [_row(name, documents.fields[name], every, grouped, choices) for name in common[:MOST_FIELDS]]
    rows.sort(key=lambda row: (row.overall.value if row.overall.value is not None else 2.0, row.field))
    why = []
    if len(common) > MOST_FIELDS:
        why.append(f"{len(common) - MOST_FIELDS:,} rarer fields are left out; adjudge export has them all")
    if documents.no_maximum:
        why.append(f"{documents.no_maximum:,} scores are left out: nothing says what they are out of")
    return tuple(rows), "; ".join(why) or None


def _row(name: str, scores: FieldScores, every: TrialTable, grouped: Coded, choices: Choices) -> FieldRow:
    trials = field_trials(scores, every)
    parts = split(trials, grouped.codes[np.array(scores.rows)])
    return FieldRow(
        field=name,
        tasks=len(np.unique(trials.task)),
        trials=len(np.unique(scores.rows)),
        overall=_mean(trials, choices),
        groups=tuple(
            _mean(parts[code], choices) if code in parts else None for code in range(len(grouped.categories))
        ),
    )


def field_trials(scores: FieldScores, every: TrialTable) -> TrialTable:
    """The trials that have this field, with its share of the maximum in place of their reward."""
    rows = np.array(scores.rows)
    cluster = None if every.cluster is None else every.cluster[rows]
    return TrialTable.of(every.task[rows], scores.shares, cluster=cluster, cluster_key=every.cluster_key)


def _mean(trials: TrialTable, choices: Choices) -> Estimate:
    return mean_reward(trials, method=choices.how_graded)
