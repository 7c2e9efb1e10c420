"""The rules of the specification, enforced by the models: what cannot be true cannot be constructed."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from adjudge.contracts import (
    Annotation,
    ConfidenceMetadata,
    ErrorSource,
    ErrorTag,
    EvaluationResult,
    Interval,
    Judgment,
    ValidityCheck,
)

FINE = ValidityCheck(output_parseable=True, schema_valid=True, verifier_completed=True)


@pytest.mark.parametrize("reward", [0.0, 1.0, 0.93, 5e-324, 1])
def test_a_reward_is_a_number_from_0_to_1(reward: float) -> None:
    assert EvaluationResult(reward=reward, validity=FINE).reward == reward


@pytest.mark.parametrize(
    "reward",
    [
        -0.01,
        1.01,
        17,
        math.nan,
        math.inf,
        -math.inf,
        True,
        False,
        "1.0",
        None,
        [1.0],
        {"reward": 1.0},
        10**400,
    ],
)
def test_nothing_else_is(reward: Any) -> None:
    with pytest.raises(ValidationError):
        EvaluationResult(reward=reward, validity=FINE)


def test_there_is_one_zero() -> None:
    """-0.0 equals 0.0 but is written differently, and two equal results must be the same bytes."""
    result = EvaluationResult(reward=-0.0, validity=FINE)
    assert math.copysign(1, result.reward) == 1
    assert json.loads(result.model_dump_json())["reward"] == 0.0
    assert "-0" not in result.model_dump_json()


@given(st.booleans(), st.booleans(), st.booleans(), st.floats(0, 1))
def test_only_an_unparseable_output_forces_the_reward(
    parseable: bool, valid: bool, completed: bool, reward: float
) -> None:
    validity = ValidityCheck(output_parseable=parseable, schema_valid=valid, verifier_completed=completed)
    if parseable or reward == 0:
        assert EvaluationResult(reward=reward, validity=validity).reward == reward
    else:
        with pytest.raises(ValidationError, match=r"can only have reward 0\.0"):
            EvaluationResult(reward=reward, validity=validity)


def test_the_same_rule_holds_for_json() -> None:
    flags = '{"output_parseable": false, "schema_valid": true, "verifier_completed": true}'
    with pytest.raises(ValidationError, match=r"can only have reward 0\.0"):
        EvaluationResult.model_validate_json(f'{{"reward": 0.5, "validity": {flags}}}')


@pytest.mark.parametrize("flag", ["output_parseable", "schema_valid", "verifier_completed"])
@pytest.mark.parametrize("value", [1, 0, "true", None])
def test_a_flag_is_a_boolean(flag: str, value: Any) -> None:
    flags = {"output_parseable": True, "schema_valid": True, "verifier_completed": True, flag: value}
    with pytest.raises(ValidationError):
        ValidityCheck(**flags)


def test_defaults_are_the_specifications() -> None:
    assert FINE.errors == []
    result = EvaluationResult(reward=1.0, validity=FINE)
    assert (result.breakdown, result.error_taxonomy, result.confidence, result.annotations) == (None,) * 4
    assert ErrorTag(category="unit mismatch", source=ErrorSource.MECHANICAL).description is None


@pytest.mark.parametrize(
    "breakdown",
    [
        {"a": math.nan},
        {"a": [math.inf]},
        {"a": {1: 2}},
        {"a": {1, 2}},
        {"a": datetime(2024, 1, 1, tzinfo=UTC)},
        {"a": b"bytes"},
        {"a": "\ud800"},
        {"\ud800": 1},
        [1],
        "text",
    ],
)
def test_a_breakdown_is_json_all_the_way_down(breakdown: Any) -> None:
    with pytest.raises(ValidationError):
        EvaluationResult(reward=1.0, validity=FINE, breakdown=breakdown)


def test_a_breakdown_that_nests_without_end_is_refused_not_followed() -> None:
    nest: Any = 1
    for _ in range(100_000):
        nest = [nest]
    with pytest.raises(ValidationError, match="nested deeper than 64 levels"):
        EvaluationResult(reward=1.0, validity=FINE, breakdown={"a": nest})
    while isinstance(nest, list):  # taken apart by hand: freeing it at once would recurse
        nest = nest.pop()


@pytest.mark.parametrize("source", ["robot", "", None, 1])
def test_a_tag_has_one_of_three_sources(source: Any) -> None:
    with pytest.raises(ValidationError):
        ErrorTag(category="parsing error", source=source)


@pytest.mark.parametrize("category", ["", None, 3, "x" * 501])
def test_a_tag_has_a_category(category: Any) -> None:
    with pytest.raises(ValidationError):
        ErrorTag(category=category, source=ErrorSource.JUDGE)


def test_an_annotation_needs_a_time_zone() -> None:
    with pytest.raises(ValidationError, match="timezone"):
        Annotation(reviewer_id="r", timestamp=datetime(2024, 1, 1), judgment=Judgment.PASS)
    aware = Annotation(reviewer_id="r", timestamp=datetime(2024, 1, 1, tzinfo=UTC), judgment=Judgment.DEFER)
    assert (aware.categories, aware.notes) == ([], None)


@pytest.mark.parametrize("judgment", ["PASS", "maybe", True, None])
def test_a_judgment_is_pass_fail_or_defer(judgment: Any) -> None:
    with pytest.raises(ValidationError):
        Annotation(reviewer_id="r", timestamp=datetime(2024, 1, 1, tzinfo=UTC), judgment=judgment)


def test_an_annotation_does_not_change_the_reward() -> None:
    fail = Annotation(reviewer_id="r", timestamp=datetime(2024, 1, 1, tzinfo=UTC), judgment=Judgment.FAIL)
    assert EvaluationResult(reward=0.93, validity=FINE, annotations=[fail]).reward == 0.93


@pytest.mark.parametrize(
    ("low", "high", "level"), [(1.0, 0.0, 0.95), (0.0, 1.0, 0.0), (0.0, 1.0, 1.0), (math.nan, 1.0, 0.5)]
)
def test_an_interval_runs_forwards_at_a_level_between_0_and_1(low: float, high: float, level: float) -> None:
    with pytest.raises(ValidationError):
        Interval(low=low, high=high, level=level, method="t")


def test_agreement_names_its_method() -> None:
    with pytest.raises(ValidationError, match="agreement_method"):
        ConfidenceMetadata(agreement=0.8)
    assert ConfidenceMetadata(agreement=0.8, agreement_method="Cohen's kappa").agreement == 0.8
    with pytest.raises(ValidationError):
        ConfidenceMetadata(agreement=1.1, agreement_method="x")
    with pytest.raises(ValidationError):
        ConfidenceMetadata(annotator_count=-1)


NOT_A_CHOICE = [b"fail", 0, True, None, ["fail"], "FAIL", "fail "]


@pytest.mark.parametrize("value", NOT_A_CHOICE, ids=map(repr, NOT_A_CHOICE))
def test_a_judgment_is_one_of_its_values_and_nothing_that_could_pass_for_one(value: object) -> None:
    given = {"reviewer_id": "r", "timestamp": "2026-01-31T09:30:00Z", "judgment": value}
    with pytest.raises(ValidationError, match="judgment"):
        Annotation.model_validate(given)


@pytest.mark.parametrize("value", [0, 1.5, True, "yesterday", "2026-01-31", "2026-01-31T09:30:00"])
def test_a_timestamp_is_a_time_with_a_zone_from_python_as_from_json(value: object) -> None:
    given = {"reviewer_id": "r", "timestamp": value, "judgment": "fail"}
    with pytest.raises(ValidationError, match="timestamp"):
        Annotation.model_validate(given)
    with pytest.raises(ValidationError, match="timestamp"):
        Annotation.model_validate_json(json.dumps(given))
