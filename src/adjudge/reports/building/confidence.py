"""How sure one can be of one result: what it states itself, else what its reviewers or its repeats say."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.contracts import ConfidenceMetadata, TrialRecord
from adjudge.stats import confidence_from_annotations, confidence_from_repeats


def result_confidence(records: Sequence[TrialRecord]) -> ConfidenceMetadata | None:
    """The confidence of the first record; those after it are its earlier evaluations, where they are known.

    Repeats are evaluations under the same task digest. A result with nothing but one reward has none.
    """
    record = records[0]
    if record.evaluation.confidence is not None:
        return record.evaluation.confidence
    if record.evaluation.annotations:
        return confidence_from_annotations(record.evaluation.annotations)
    repeats = [r.evaluation.reward for r in records if r.task_digest == record.task_digest]
    return confidence_from_repeats(repeats) if len(repeats) > 1 else None
