"""The adapter: every shape people write becomes one table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.scoring import FieldScore, breakdown_rows

Row = tuple[str, float | None, float | None, str | None]


def rows(breakdown: dict[str, Any] | None) -> list[Row]:
    return [(row.field, row.score, row.max_score, row.evidence) for row in breakdown_rows(breakdown)]


def test_the_specifications_shape() -> None:
    assert rows(
        {
            "voltage_drop_v": {"score": 0.95, "max_score": 1.0, "evidence": "within 2% of reference"},
            "compliance": {"score": 1.0, "max_score": 1.0, "evidence": "correctly flagged compliant"},
        }
    ) == [
        ("voltage_drop_v", 0.95, 1.0, "within 2% of reference"),
        ("compliance", 1.0, 1.0, "correctly flagged compliant"),
    ]


def test_flat_numbers_and_bools() -> None:
    """As the benchmark this specification comes from writes them; true is a pass."""
    assert rows({"flow": 1.0, "head": 0, "compliant": True, "late": False}) == [
        ("flow", 1.0, 1.0, None),
        ("head", 0.0, 1.0, None),
        ("compliant", 1.0, 1.0, None),
        ("late", 0.0, 1.0, None),
    ]


def test_groups_at_any_depth() -> None:
    assert rows(
        {"structure": {"beam": {"moment": 1.0, "shear": {"score": 2, "max_score": 4}}}, "cost": 0.5}
    ) == [
        ("structure.beam.moment", 1.0, 1.0, None),
        ("structure.beam.shear", 2.0, 4.0, None),
        ("cost", 0.5, 1.0, None),
    ]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"score": 0.5, "reason": "half"}, (0.5, 1.0, "half")),
        ({"score": 0.5, "reasoning": "half", "error": "timed out"}, (0.5, 1.0, "half; error: timed out")),
        ({"score": True, "explanation": "yes"}, (1.0, 1.0, "yes")),
        ({"score": None, "evidence": "does not apply"}, (None, 1.0, "does not apply")),
        ({"score": 7, "max": 10}, (7.0, 10.0, None)),
        ({"points": 3, "out_of": 4, "comment": "close"}, (3.0, 4.0, "close")),
        ({"passed": True, "message": "ok"}, (1.0, 1.0, "ok")),
        ({"ok": False, "expected": 3, "actual": 4}, (0.0, 1.0, "expected 3; actual 4")),
        ({"status": "FAIL", "notes": "sign"}, (0.0, 1.0, "sign")),
        ({"status": "n/a"}, (None, 1.0, None)),
        ({"correct": 3, "total": 5}, (3.0, 5.0, None)),
        ({"value": 0.25, "raw": 1, "weight": 2.0}, (0.25, 1.0, None)),
        ({"score": 1.0, "evidence": ["a", "b"]}, (1.0, 1.0, "a; b")),
        ({"score": 1.0, "evidence": {"k": 1}}, (1.0, 1.0, '{"k": 1}')),
        ({"score": 1.0, "max_score": 0}, (1.0, 1.0, None)),
        ({"score": 1.0, "max_score": "ten"}, (1.0, 1.0, None)),
    ],
)
def test_one_entry(entry: dict[str, Any], expected: tuple[float | None, float | None, str | None]) -> None:
    assert rows({"f": entry}) == [("f", *expected)]


def test_lists_of_named_entries() -> None:
    breakdown = {
        "status": "failed",
        "checks": [
            {"name": "flow", "score": 1.0},
            {"id": 7, "passed": False},
            {"criterion": "cites the code", "score": 2, "max_score": 3},
            {"score": 0.5},
            "noise",
        ],
    }
    assert rows(breakdown) == [
        ("flow", 1.0, 1.0, None),
        ("7", 0.0, 1.0, None),
        ("cites the code", 2.0, 3.0, None),
        ("#4", 0.5, 1.0, None),
    ]


def test_rewardkit_details() -> None:
    """One entry a reward, its criteria below; the group's own score is a heading."""
    breakdown = {
        "correctness": {
            "score": 0.6667,
            "criteria": [
                {"name": "file_exists", "value": 1.0, "raw": True, "weight": 2.0},
                {"name": "content", "value": 0.0, "raw": False, "weight": 1.0, "error": "no such file"},
            ],
            "kind": "programmatic",
        },
        "quality": {
            "score": 0.5,
            "criteria": [
                {"id": "q1", "name": "clear", "value": 0.5, "raw": 3, "weight": 1.0, "reasoning": "so-so"}
            ],
            "kind": "llm",
            "judge": {"model": "m", "timeout": 300, "weight": 1},
            "judge_output": "…",
            "usage": {"total_tokens": 12},
        },
    }
    assert rows(breakdown) == [
        ("correctness.file_exists", 1.0, 1.0, None),
        ("correctness.content", 0.0, 1.0, "error: no such file"),
        ("quality.clear", 0.5, 1.0, "so-so"),
    ]
    assert [row.weight for row in breakdown_rows(breakdown)] == [2.0, 1.0, 1.0]


def test_rewardkit_groups() -> None:
    detail = {
        "score": 0.5,
        "kind": "programmatic",
        "criteria": [{"name": "x", "value": 0.5, "raw": 0.5, "weight": 1.0}],
    }
    breakdown = {
        "reward": {
            "kind": "group",
            "score": 0.5,
            "aggregation": "weighted-mean",
            "components": [{"name": "checks", "weight": 2.0, "detail": detail}],
        }
    }
    assert rows(breakdown) == [("reward.checks.x", 0.5, 1.0, None)]


def test_the_example_of_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "verifier-contract.md").read_text(encoding="utf-8")
    assert rows(json.loads(page.partition("```json\n")[2].partition("```")[0])) == [
        ("voltage_drop_v", 0.95, 1.0, "within 2% of reference"),
        ("compliance", 1.0, 1.0, "correctly flagged"),
        ("head_loss", 0.5, 1.0, None),
        ("structure.beam", 3.0, 4.0, None),
        ("cites the code", 1.0, 1.0, None),
    ]


def test_a_single_score_is_one_row() -> None:
    assert rows({"score": 3, "max_score": 4, "evidence": "three of four"}) == [
        ("score", 3.0, 4.0, "three of four")
    ]


def test_numbers_about_the_table_are_no_fields() -> None:
    assert rows({"reward": 0.5, "total": 1, "fields": {"a": 1.0, "b": 0.0}, "note": "x"}) == [
        ("a", 1.0, 1.0, None),
        ("b", 0.0, 1.0, None),
    ]


def test_measurements_are_no_scores() -> None:
    assert rows({"flow": {"expected": 4.2, "actual": 4.1, "rel_error": 0.02}, "unit": "m3/s"}) == []


def test_points_of_an_unknown_maximum_have_none() -> None:
    """7 of 10 or 7 of 8? And the 1 beside it is not full marks either."""
    assert rows({"clarity": 7, "accuracy": 1}) == [
        ("clarity", 7.0, None, None),
        ("accuracy", 1.0, None, None),
    ]
    assert [row.normalised for row in breakdown_rows({"clarity": 7})] == [None]


def test_normalised_is_clamped() -> None:
    assert FieldScore("f", 5, 4).normalised == 1.0
    assert FieldScore("f", -1, 4).normalised == 0.0
    assert FieldScore("f", 1, 4).normalised == 0.25
    assert FieldScore("f", None, 4).normalised is None


@pytest.mark.parametrize("breakdown", [None, {}, {"a": "text"}, {"a": [1, 2, 3]}, {"a": None}])
def test_nothing_to_read(breakdown: dict[str, Any] | None) -> None:
    assert breakdown_rows(breakdown) == []


def test_numbers_no_float_can_hold_are_left_out() -> None:
    assert breakdown_rows({"a": {"score": 10**400}, "b": 10**400}) == []


KEYS = st.sampled_from(
    ["score", "max_score", "evidence", "criteria", "detail", "name", "value", "weight", "a", "b"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(KEYS, JSON, max_size=6))
def test_any_breakdown_gives_a_sane_table(breakdown: dict[str, Any]) -> None:
    """Never an exception; every number finite; every normalised score in [0, 1]."""
    for row in breakdown_rows(breakdown):
        assert row.field
        assert row.max_score is None or row.max_score > 0
        assert row.normalised is None or 0 <= row.normalised <= 1


def test_a_field_with_an_empty_key_still_has_a_name() -> None:
    rows = breakdown_rows({"": {"score": 1.0}, "group": {"": {"score": 0.5}}})
    assert [row.field for row in rows] == ['""', 'group.""']
