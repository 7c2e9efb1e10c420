"""Reports and comparisons by question, kept until the ledger moves: the same models as the commands'."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adjudge.api import compare
from adjudge.ledger import TrialFilter
from adjudge.reports import Choices, Comparison, Report, read_report

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adjudge.ledger import Ledger, TrialColumns


@dataclass(frozen=True)
class TaskSummary:
    """One task in a list."""

    task: str
    trials: int
    mean: float | None
    """Over the trials whose machinery did not fail."""
    outcomes: dict[str, int]
    digests: tuple[str, ...]


def make_report(ledger: Ledger, wanted: TrialFilter, choices: Choices | None = None) -> Report:
    """The report of the matching trials."""
    return read_report(ledger, wanted, choices)


def make_comparison(ledger: Ledger, wanted: TrialFilter, names: tuple[str, ...]) -> Comparison:
    """These sides on the tasks they share; all there are without names."""
    return compare(*names, ledger=ledger, where=wanted)


def summarise_tasks(columns: TrialColumns) -> list[TaskSummary]:
    """Every task of these trials, the hardest first; those without a mean last."""
    import numpy as np

    found = []
    outcomes = columns.outcome.categories
    failed = _coded(columns.outcome.codes, outcomes, "machinery failed")
    order = np.argsort(columns.task.codes, kind="stable")
    ends = np.searchsorted(columns.task.codes[order], np.arange(len(columns.task.categories) + 1))
    for code, task in enumerate(columns.task.categories):
        rows = order[ends[code] : ends[code + 1]]
        counts = np.bincount(columns.outcome.codes[rows], minlength=len(outcomes))
        good = rows[~failed[rows]]
        digests = np.unique(columns.task_digest.codes[rows])
        found.append(
            TaskSummary(
                task,
                len(rows),
                float(columns.reward[good].mean()) if len(good) else None,
                {name: int(n) for name, n in zip(outcomes, counts, strict=True) if n},
                tuple(columns.task_digest.categories[d] for d in digests if d >= 0),
            )
        )
    return sorted(found, key=lambda t: (t.mean is None, t.mean or 0.0, t.task))


def _coded(codes: NDArray[np.int32], categories: tuple[str, ...], name: str) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = codes == (categories.index(name) if name in categories else -2)
    return found
