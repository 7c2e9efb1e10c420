"""Breakdowns that name expected and actual values are explained after the fact, by the kit's own rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.contracts import ErrorSource, ErrorTag, EvaluationResult, ValidityCheck
from adjudge.scoring import comparisons, diagnose_breakdown, diagnose_result, read_artifacts
from adjudge_kit import Verifier


def found(breakdown: dict[str, Any]) -> list[tuple[str, str | None]]:
    tags = diagnose_breakdown(breakdown)
    assert all(tag.source is ErrorSource.MECHANICAL for tag in tags)
    return [(tag.category, tag.description) for tag in tags]


MM = [("unit mismatch", "span: answer / reference = 1000: mm given for m, or the like?")]


@pytest.mark.parametrize(
    "entry",
    [
        {"score": 0, "expected": 6.25, "actual": 6250},
        {"score": 0.0, "max_score": 1.0, "reference": 6.25, "answer": 6250},
        {"passed": False, "want": 6.25, "got": 6250},
        {"status": "fail", "expected_value": 6.25, "actual_value": 6250},
        {"expected": 6.25, "actual": 6250},
        {"score": 0, "expected": "6.25", "actual": "6,250"},
    ],
)
def test_the_ways_people_name_the_two_values(entry: dict[str, Any]) -> None:
    assert found({"span": entry}) == MM


def test_groups_and_lists_at_any_depth() -> None:
    entry = {"score": 0, "expected": 0.76, "actual": 76.0}
    said = "answer / reference = 100: percent given for fraction?"
    assert found({"a": {"b": {"c": entry}}}) == [("percent against fraction", f"a.b.c: {said}")]
    assert found({"criteria": [{"name": "util", **entry}, entry, "note", 5]}) == [
        ("percent against fraction", f"criteria.util: {said}"),
        ("percent against fraction", f"criteria.#2: {said}"),
    ]
    assert found({"score": 0, "expected": 0.76, "actual": 76.0})[0][1] == f"answer: {said}"


def test_right_entries_are_left_alone() -> None:
    assert found({"a": {"score": 1.0, "max_score": 1.0, "expected": 3.04, "actual": 3.0}}) == []
    assert found({"a": {"passed": True, "expected": 6.25, "actual": 6250}}) == []
    assert found({"a": {"score": 0.5}, "b": 0.5, "c": None}) == []
    assert diagnose_breakdown(None) == []


def test_without_a_verdict_a_rounded_value_is_not_held_against_anybody() -> None:
    assert found({"a": {"expected": 3.0417, "actual": 3.04}}) == []
    assert found({"a": {"score": 0, "expected": 3.0417, "actual": 3.04}})[0][0] == "premature rounding"


def test_tolerances_where_they_are_named() -> None:
    entry = {"score": 0, "expected": 100.0, "actual": 102.4}
    assert found({"a": entry}) == []
    for tolerance in ({"tolerance": 2.0}, {"rel_tol": 0.02}, {"atol": 2}):
        assert found({"a": {**entry, **tolerance}}) == [
            ("near miss", "a: 1.2 tolerances away: just outside tolerance")
        ]
    # 0.02 of 0.01 cannot be absolute: by the same name people also write relative tolerances.
    assert found({"a": {"score": 0, "expected": 0.01, "actual": 0.045, "tolerance": 0.02}}) == []


@pytest.mark.parametrize(
    ("entry", "category"),
    [
        ({"expected": 3.04, "actual": None}, "missing field"),
        ({"expected": 3.04, "actual": "3.04"}, "wrong type"),
        ({"expected": 3.04, "actual": "3.04 V"}, "extra text"),
        ({"expected": "3.04 V", "actual": "3040 mV"}, "unit mismatch"),
        ({"expected": 3.04, "actual": "3040 mV", "unit": "V"}, "unit mismatch"),
        ({"expected": 3.04, "actual": 3040, "units": "V"}, "unit mismatch"),
        ({"expected": 3.04, "actual": -3.04}, "sign"),
        ({"expected": 48.0, "actual": 480}, "order of magnitude"),
        ({"expected": "compliant", "actual": "compliant, as shown"}, "extra text"),
        ({"expected": [1, 2], "actual": "1, 2"}, "wrong type"),
    ],
)
def test_causes(entry: dict[str, Any], category: str) -> None:
    assert [tag for tag, _ in found({"f": {"score": 0, **entry}})] == [category]


def test_a_plain_wrong_value_gets_no_tag() -> None:
    assert found({"a": {"score": 0, "expected": 3.04, "actual": 7.9}}) == []
    assert found({"a": {"score": 0, "expected": "steel", "actual": "timber"}}) == []
    assert found({"a": {"score": 0, "expected": 3.04, "actual": "7.9"}}) == []


def test_swapped_fields() -> None:
    assert found(
        {
            "v": {"score": 0, "expected": 3.04, "actual": 0.0304},
            "pct": {"score": 0, "expected": 0.0304, "actual": 3.04},
        }
    ) == [("swapped fields", "v and pct exchanged?")]


def test_what_the_kit_wrote_is_not_said_twice(tmp_path: Path) -> None:
    with Verifier({"a": 6250, "b": 1.0, "c": 2.0}, logs=tmp_path) as v:
        v.number("a", 6.25, rel=0.01)
        v.number("b", 2.0)
        v.number("c", 1.0)
    result = read_artifacts(tmp_path)
    assert len(result.error_taxonomy or ()) == 2
    assert len(diagnose_breakdown(result.breakdown)) == 2
    assert diagnose_result(result) == []


def test_tags_add_to_what_is_known() -> None:
    known = ErrorTag(category="tool failure", description="f: x", source=ErrorSource.JUDGE)
    result = EvaluationResult(
        reward=0.0,
        validity=ValidityCheck(output_parseable=True, schema_valid=True, verifier_completed=True),
        breakdown={"f": {"score": 0, "expected": 1.5, "actual": -1.5}},
        error_taxonomy=[known],
    )
    assert [tag.category for tag in diagnose_result(result)] == ["sign"]
    assert diagnose_result(result.model_copy(update={"breakdown": None, "error_taxonomy": None})) == []


def test_bounded_however_large_the_breakdown() -> None:
    breakdown = {f"f{i}": {"score": 0, "expected": float(i + 1), "actual": -float(i + 1)} for i in range(500)}
    assert len(diagnose_breakdown(breakdown)) == 50
    assert len(list(comparisons({"a": [{"expected": 1, "actual": 2}] * 10_000}))) < 2_000


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["expected", "actual", "got", "score", "tolerance", "unit", "name", "rel"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=4))
def test_no_breakdown_breaks_it(breakdown: dict[str, Any]) -> None:
    for tag in diagnose_breakdown(breakdown):
        assert ErrorTag.model_validate_json(tag.model_dump_json()) == tag
