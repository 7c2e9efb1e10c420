"""Trials: identity, outputs, runs; a judge that writes a reward says how sure it is."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from adjudge.contracts import (
    Agent,
    ConfidenceMetadata,
    Cost,
    EvaluationResult,
    OutputInfo,
    ScoredBy,
    TrialIdentity,
    TrialRecord,
    ValidityCheck,
    VerifierRun,
)

FINE = ValidityCheck(output_parseable=True, schema_valid=True, verifier_completed=True)
NOW = datetime(2025, 1, 1, tzinfo=UTC)


def trial(**changes: Any) -> TrialRecord:
    fields: dict[str, Any] = {
        "trial_id": "t1",
        "experiment": "e",
        "attempt": 1,
        "task_id": "a/b",
        "task_digest": "0" * 64,
        "agent": Agent(name="agent"),
        "output": OutputInfo(path="x", sha256=None, size_bytes=None),
        "evaluation": EvaluationResult(reward=1.0, validity=FINE),
        "run": VerifierRun(backend="bubblewrap"),
        "scored_at": NOW,
        "adjudge_version": "0",
    }
    return TrialRecord(**(fields | changes))


def test_a_judge_states_its_confidence() -> None:
    judged = VerifierRun(backend="judge", scored_by=ScoredBy.JUDGE)
    with pytest.raises(ValidationError, match=r"evaluation\.confidence must say how sure it is"):
        trial(run=judged)
    sure = EvaluationResult(reward=1.0, validity=FINE, confidence=ConfidenceMetadata(sample_count=3))
    assert trial(run=judged, evaluation=sure).evaluation.confidence is not None


@pytest.mark.parametrize(
    "change",
    [
        {"trial_id": ""},
        {"trial_id": "../x"},
        {"trial_id": "a/b"},
        {"trial_id": "-x"},
        {"trial_id": "a" * 129},
        {"trial_id": "x\n"},
        {"attempt": 0},
        {"attempt": True},
        {"attempt": 1.0},
        {"experiment": ""},
        {"task_digest": "0" * 63},
        {"task_digest": "G" * 64},
        {"scored_at": datetime(2025, 1, 1)},
        {"scored_at": "2025-01-01T00:00:00"},
        {"scored_at": 1735689600},
        {"metadata": {"x": float("inf")}},
    ],
)
def test_what_cannot_be_a_trial(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        trial(**change)


def test_unknown_is_none_and_never_negative() -> None:
    assert Cost() == Cost(usd=None, input_tokens=None, cached_tokens=None, output_tokens=None, seconds=None)
    for field in Cost.model_fields:
        with pytest.raises(ValidationError):
            Cost(**{field: -1})
    with pytest.raises(ValidationError):
        OutputInfo(path="x", sha256=None, size_bytes=-1)
    with pytest.raises(ValidationError):
        VerifierRun(backend="x", duration_sec=-0.1)


identities = st.fixed_dictionaries(
    {
        "experiment": st.text(max_size=3),
        "task_id": st.text(max_size=3),
        "output_sha256": st.none() | st.text(max_size=3),
        "agent": st.text(max_size=3),
        "model": st.none() | st.text(max_size=3),
        "attempt": st.integers(1, 3),
    }
)


@given(identities, identities)
def test_the_same_identity_has_the_same_id_and_no_other(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert (TrialIdentity(**one).trial_id == TrialIdentity(**other).trial_id) is (one == other)
    assert trial(trial_id=TrialIdentity(**one).trial_id).trial_id == TrialIdentity(**one).trial_id


@given(identities, st.integers(0, 1 << 70))
def test_an_id_is_a_digest_of_the_facts_as_json(facts: dict[str, Any], step: int) -> None:
    identity = TrialIdentity(**facts)

    def digest(*more: Any) -> str:
        text = json.dumps([*identity, *more], ensure_ascii=False)
        return "t" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]

    assert identity.trial_id == digest()
    assert identity.at_step(step) == digest({"step": step})


def test_an_id_is_frozen() -> None:
    """Ledgers hold these ids: another one for the same trial would record it twice."""
    assert (
        TrialIdentity(
            experiment="e", task_id="a/b", output_sha256="0" * 64, agent="x", model=None, attempt=1
        ).trial_id
        == "t47c965bd9f0e2f4bebfc0efb"
    )
