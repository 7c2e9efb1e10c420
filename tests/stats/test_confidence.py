"""ConfidenceMetadata from reviewers, repeats and aggregates; what cannot be told is left out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from adjudge import Annotation, JudgeIdentity, Judgment
from adjudge.stats import (
    TrialTable,
    cohen_kappa,
    confidence_from_annotations,
    confidence_from_repeats,
    confidence_of,
    mean_reward,
)

START = datetime(2026, 1, 1, tzinfo=UTC)


def said(reviewer: str, judgment: Judgment, hours: int = 0) -> Annotation:
    return Annotation(reviewer_id=reviewer, timestamp=START + timedelta(hours=hours), judgment=judgment)


def test_agreement_is_the_share_of_agreeing_pairs() -> None:
    """pass, pass, fail: of three pairs one agrees."""
    found = confidence_from_annotations(
        [said("a", Judgment.PASS), said("b", Judgment.PASS), said("c", Judgment.FAIL)]
    )
    assert found.annotator_count == 3
    assert found.agreement == pytest.approx(1 / 3)
    assert found.agreement_method == "share of reviewer pairs with the same verdict"


def test_the_latest_word_of_a_reviewer_counts() -> None:
    found = confidence_from_annotations(
        [said("a", Judgment.PASS, 2), said("a", Judgment.FAIL, 1), said("b", Judgment.PASS)]
    )
    assert (found.annotator_count, found.agreement) == (2, 1.0)


def test_deferring_is_no_verdict() -> None:
    found = confidence_from_annotations([said("a", Judgment.PASS), said("b", Judgment.DEFER)])
    assert (found.annotator_count, found.sample_count, found.agreement) == (2, 1, None)
    assert confidence_from_annotations([]).agreement is None


def test_repeats_have_an_interval_from_two_on() -> None:
    judge = JudgeIdentity(name="strict", model="m1")
    found = confidence_from_repeats([0.8, 0.6, 0.7], judge=judge)
    assert found.interval is not None
    assert found.interval.low < 0.7 < found.interval.high
    assert (found.sample_count, found.judge) == (3, judge)
    assert confidence_from_repeats([0.8]).interval is None


def test_an_aggregate_carries_interval_size_and_agreement() -> None:
    estimate = mean_reward(TrialTable.of(range(4), [1, 0, 1, 1]))
    kappa = cohen_kappa(["pass", "fail", "pass", "fail"], ["pass", "fail", "fail", "fail"])
    found = confidence_of(estimate, agreement=kappa, annotator_count=2)
    assert found.interval == estimate.interval
    assert (found.sample_count, found.agreement) == (4, kappa.value)
    assert found.agreement_method == "Cohen's kappa"
    undefined = cohen_kappa(["pass"] * 3, ["pass"] * 3)
    assert confidence_of(estimate, agreement=undefined).agreement_method is None
