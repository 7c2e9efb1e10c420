"""Confidence in one result: its own word, else its reviewers', else its repeats'."""

from __future__ import annotations

from adjudge.contracts import ConfidenceMetadata, EvaluationResult, TrialRecord
from adjudge.reports.building.reviews import result_confidence
from support.trial_samples import DIGEST_B, annotation, trial


def record(**changes: object) -> TrialRecord:
    base = trial(1, reward=0.5).record
    result: EvaluationResult = base.evaluation.model_copy(update=changes)
    return base.model_copy(update={"evaluation": result})


def test_a_result_s_own_word_counts_first() -> None:
    own = ConfidenceMetadata(sample_count=7)
    assert result_confidence([record(confidence=own, annotations=[annotation()])]) == own


def test_reviewers_come_next() -> None:
    """Three verdicts, one pair of three agrees: 1/3. The one who defers is an annotator without a verdict."""
    said = [annotation("a"), annotation("b"), annotation("c", "fail"), annotation("d", "defer")]
    found = result_confidence([record(annotations=said)])
    assert found is not None
    assert (found.annotator_count, found.sample_count) == (4, 3)
    assert found.agreement == 1 / 3


def test_repeats_are_evaluations_by_the_same_version_of_the_task() -> None:
    other = record(reward=0.9).model_copy(update={"task_digest": DIGEST_B})
    found = result_confidence([record(), record(reward=1.0), other])
    assert found is not None
    assert found.sample_count == 2
    assert found.interval is not None
    assert found.interval.low < 0.75 < found.interval.high


def test_one_reward_alone_says_nothing_about_itself() -> None:
    assert result_confidence([record()]) is None
