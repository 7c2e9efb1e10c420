"""How sure one can be of a reward that people, judges or repeats had a say in: `ConfidenceMetadata`.

Nothing here changes a reward. What cannot be told is left out, never filled with a zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from adjudge.contracts import Annotation, ConfidenceMetadata, JudgeIdentity, Judgment
from adjudge.stats.estimate import Estimate
from adjudge.stats.means.units import mean_of_units
from adjudge.stats.method import DEFAULT, Method


def confidence_from_annotations(annotations: Sequence[Annotation]) -> ConfidenceMetadata:
    """One result's reviewers: how many, and the share of pairs that agree. The latest word of each counts.

    `defer` is missing for the agreement. Fewer than two verdicts have none.
    """
    latest: dict[str, Annotation] = {}
    for annotation in sorted(annotations, key=lambda a: a.timestamp):
        latest[annotation.reviewer_id] = annotation
    verdicts = Counter(a.judgment for a in latest.values() if a.judgment is not Judgment.DEFER)
    n = verdicts.total()
    pairs = n * (n - 1)
    agreement = sum(c * (c - 1) for c in verdicts.values()) / pairs if pairs else None
    return ConfidenceMetadata(
        annotator_count=len(latest),
        agreement=agreement,
        agreement_method="share of reviewer pairs with the same verdict" if pairs else None,
        sample_count=n,
    )


def confidence_from_repeats(
    rewards: Sequence[float], *, judge: JudgeIdentity | None = None, method: Method = DEFAULT
) -> ConfidenceMetadata:
    """One output scored several times, by whoever varies. No interval below two repeats."""
    interval = None
    if len(rewards) > 1:
        interval = mean_of_units(np.asarray(rewards, np.float64), method=method, unit="repeat").interval
    return ConfidenceMetadata(interval=interval, sample_count=len(rewards), judge=judge)


def confidence_of(
    estimate: Estimate,
    *,
    agreement: Estimate | None = None,
    annotator_count: int | None = None,
    judge: JudgeIdentity | None = None,
) -> ConfidenceMetadata:
    """An aggregate: its interval and size, with the agreement of whoever judged it if there is one."""
    known = agreement is not None and agreement.value is not None
    return ConfidenceMetadata(
        annotator_count=annotator_count,
        agreement=agreement.value if agreement is not None and known else None,
        agreement_method=agreement.method if agreement is not None and known else None,
        interval=estimate.interval,
        sample_count=estimate.n,
        judge=judge,
    )
