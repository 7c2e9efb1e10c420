"""`errors.json`: what a verifier itself says went wrong."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.contracts import ErrorSource, ErrorTag
from support.artifacts_by_hand import ingested


def test_tags_are_taken_over() -> None:
    """`source` is mechanical unless the file says judge."""
    written = [
        {"category": "unit mismatch", "description": "76 for 0.76"},
        {"category": "prose", "source": "judge"},
        {"category": "sign", "description": None, "source": "mechanical"},
    ]
    result = ingested(reward={"reward": 0}, errors=written)
    assert result.error_taxonomy == [
        ErrorTag(category="unit mismatch", description="76 for 0.76", source=ErrorSource.MECHANICAL),
        ErrorTag(category="prose", source=ErrorSource.JUDGE),
        ErrorTag(category="sign", source=ErrorSource.MECHANICAL),
    ]
    assert result.validity.errors == []


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("not json", "not JSON"),
        ({"category": "x"}, "an object, not a list"),
        ([{"category": "x"}, "unit mismatch"], "[1]: is a string"),
        ([{"category": "x", "source": "human"}], "[0].source: a verifier cannot speak for a person"),
        ([{"category": "x", "source": ["judge"]}], "[0].source"),
        ([{"category": ""}], "[0].category"),
        ([{"description": "no category"}], "[0].category"),
        ([{"category": "x", "severity": 3}], "[0].severity"),
        ([{"category": 7}], "[0].category"),
        ([{"category": "x"}] * 1001, "too many"),
    ],
)
def test_a_bad_file_loses_its_tags_and_keeps_the_reward(written: Any, says: str) -> None:
    result = ingested(reward={"reward": 0.5}, errors=written)
    assert (result.reward, result.validity.verifier_completed, result.error_taxonomy) == (0.5, True, None)
    [message] = result.validity.errors
    assert message.startswith("tags are left out: errors.json: ")
    assert says in message


def test_tags_come_along_when_there_is_no_reward() -> None:
    """A verifier that knows why it failed is heard, after the mechanical tag."""
    result = ingested(errors=[{"category": "reference data missing"}])
    assert [tag.category for tag in result.error_taxonomy or ()] == [
        "verifier failure",
        "reference data missing",
    ]


def test_a_breakdown_that_names_both_values_is_diagnosed_by_itself() -> None:
    """No kit, no errors.json: the fields say what was expected and what was found, and that is enough."""
    details = {
        "depth_m": {"score": 0.0, "max_score": 1.0, "expected": 1.25, "actual": 1250.0, "unit": "m"},
        "width_m": {"score": 1.0, "max_score": 1.0, "expected": 2.0, "actual": 2.0},
    }
    (tag,) = ingested(reward={"reward": 0.5}, details=details).error_taxonomy or []
    assert (tag.category, tag.source) == ("unit mismatch", ErrorSource.MECHANICAL)
    assert "answer / reference = 1000" in str(tag.description)
