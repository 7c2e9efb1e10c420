"""Mean reward over experiments: how each group fared from one to the next, the oldest first.

Every number is a mean with its interval. Two of them side by side are no comparison: experiments may have had
other tasks, so the pages say which command compares.
"""

from __future__ import annotations

import numpy as np

from adjudge.ledger import Coded, TrialColumns
from adjudge.reports.models.choices import Choices
from adjudge.reports.models.report import Group, Trend
from adjudge.stats import TrialTable, mean_reward

MOST_EXPERIMENTS = 10
MOST_GROUPS = 20


def build_trend(
    every: TrialTable, columns: TrialColumns, grouped: Coded, groups: tuple[Group, ...], choices: Choices
) -> Trend | None:
    """The newest experiments, by their first trial; None with one, or if they are the groups."""
    experiments = columns.experiment
    if choices.group_by == "experiment" or len(experiments.categories) < 2:
        return None
    first = np.full(len(experiments.categories), np.inf)
    np.minimum.at(first, experiments.codes, columns.trial)
    order = sorted(range(len(first)), key=lambda code: (first[code], experiments.categories[code]))
    shown = order[-MOST_EXPERIMENTS:]
    names = [group.name for group in groups[:MOST_GROUPS]]
    rows = []
    for name in names:
        mine = grouped.codes == grouped.categories.index(name)
        parts = [np.flatnonzero(mine & (experiments.codes == code)) for code in shown]
        rows.append(
            tuple(mean_reward(every.rows(part), method=choices.how) if len(part) else None for part in parts)
        )
    return Trend(
        experiments=tuple(experiments.categories[code] for code in shown),
        groups=tuple(names),
        rewards=tuple(rows),
        earlier=len(order) - len(shown),
        more_groups=len(groups) - len(names),
    )
