"""Reports and comparisons by question, kept until the ledger moves: the same models as the commands'."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from adjudge.api import compare
from adjudge.ledger import TrialFilter
from adjudge.reports import Choices, Comparison, Report, read_report

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adjudge.ledger import Ledger, TrialColumns


class TaskSummary(Struct, frozen=True):
    """One task in a list."""

    task: str
    trials: int
    mean: float | None
    """Over the trials whose machinery did not fail."""
    outcomes: dict[str, int]
    digests: tuple[str, ...]
    verdict: str | None
    """Of the audit of the newest of these digests; None if it was never audited."""


def make_report(ledger: Ledger, wanted: TrialFilter, choices: Choices | None = None) -> Report:
    """The report of the matching trials."""
    return read_report(ledger, wanted, choices)


def make_comparison(ledger: Ledger, wanted: TrialFilter, names: tuple[str, ...]) -> Comparison:
    """These sides on the tasks they share; all there are without names."""
    return compare(*names, ledger=ledger, where=wanted)


def summarise_tasks(ledger: Ledger, columns: TrialColumns) -> list[TaskSummary]:
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
        codes = np.unique(columns.task_digest.codes[rows])
        digests = tuple(columns.task_digest.categories[d] for d in codes if d >= 0)
        found.append(
            TaskSummary(
                task,
                len(rows),
                float(columns.reward[good].mean()) if len(good) else None,
                {name: int(n) for name, n in zip(outcomes, counts, strict=True) if n},
                digests,
                verdict_of(ledger.certificate(digests[0])) if digests else None,
            )
        )
    return sorted(found, key=lambda t: (t.mean is None, t.mean or 0.0, t.task))


def verdict_of(certificate: Mapping[str, Any] | None) -> str | None:
    """What an audit said of a verifier; None without one."""
    found = None if certificate is None else certificate.get("verdict")
    return found if isinstance(found, str) else None


def _coded(codes: NDArray[np.int32], categories: tuple[str, ...], name: str) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = codes == (categories.index(name) if name in categories else -2)
    return found
