"""The rubric scorer: worked arithmetic, what counts, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from adjudge.contracts import Dimension, DimensionScore, Rubric
from adjudge.errors import RubricError
from adjudge.scoring import load_rubric, register_rollup, rollup_names, score_rubric


def rubric(*weights: float, rollup: str = "weighted_mean", maximum: float = 1.0, **more: Any) -> Rubric:
    dimensions = [Dimension(id="abcdef"[i], weight=w, max_score=maximum) for i, w in enumerate(weights)]
    return Rubric(dimensions=dimensions, rollup=rollup, **more)


@pytest.mark.parametrize(
    ("rollup", "reward"),
    [
        ("weighted_mean", 0.7),  # (1*2 + 0.5*1 + 0.25*1 + 0.75*1) / 5 = 3.5 / 5
        ("min", 0.25),
        ("geometric_mean", 0.6229),  # (1^2 * 0.5 * 0.25 * 0.75)^(1/5) = 0.09375^0.2 = 0.62286…
        ("all_pass", 0.0),  # 0.25 < 0.5
        ("threshold", 1.0),  # 0.7 >= 0.5
    ],
)
def test_rollups(rollup: str, reward: float) -> None:
    scores = {"a": 1.0, "b": 0.5, "c": 0.25, "d": 0.75}
    assert score_rubric(rubric(2, 1, 1, 1, rollup=rollup), scores).reward == reward


def test_scores_are_normalised_and_clamped() -> None:
    """5/4 -> 1, -1/4 -> 0, 1/4 = 0.25: (1 + 0 + 0.25) / 3 = 0.41666… -> 0.4167."""
    result = score_rubric(rubric(1, 1, 1, maximum=4), {"a": 5, "b": -1, "c": 1})
    assert result.reward == 0.4167
    assert [d.normalised for d in result.dimensions] == [1.0, 0.0, 0.25]
    assert [d.score for d in result.dimensions] == [5.0, -1.0, 1.0]


def test_a_missing_score_is_zero_and_says_so() -> None:
    result = score_rubric(rubric(1, 1), {"a": 1})
    assert result.reward == 0.5
    assert result.dimensions[1].score == 0.0
    assert "no score was given" in (result.dimensions[1].evidence or "")


@pytest.mark.parametrize("not_applicable", [None, {"score": None}, DimensionScore(score=None)])
def test_not_applicable_is_not_zero_and_leaves_the_mean(not_applicable: Any) -> None:
    result = score_rubric(rubric(1, 5), {"a": 0.8, "b": not_applicable})
    assert result.reward == 0.8
    assert result.dimensions[1].normalised is None


@pytest.mark.parametrize("rollup", ["min", "all_pass", "geometric_mean", "weighted_mean", "threshold"])
def test_a_dimension_of_weight_zero_is_shown_and_never_counts(rollup: str) -> None:
    result = score_rubric(rubric(1, 0, rollup=rollup), {"a": 1, "b": 0})
    assert result.reward == 1.0
    assert [d.id for d in result.dimensions] == ["a", "b"]


def test_evidence_is_kept() -> None:
    scores: dict[str, Any] = {
        "a": {"score": 1, "evidence": "seen"},
        "b": DimensionScore(score=0.5, max_score=1, evidence="half"),
    }
    assert [d.evidence for d in score_rubric(rubric(1, 1), scores).dimensions] == ["seen", "half"]


def test_a_threshold_is_met_by_the_number_a_person_reads() -> None:
    """0.1 + 0.2 + … is 0.7 to a person, 0.7000000000000001 or 0.6999999999999999 to a machine."""
    scores = {"a": 0.6, "b": 0.7, "c": 0.8}
    assert score_rubric(rubric(1, 1, 1, rollup="threshold", threshold=0.7), scores).reward == 1.0
    assert score_rubric(rubric(1, rollup="all_pass", threshold=0.7, maximum=3), {"a": 2.1}).reward == 1.0


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ({"z": 1}, "no such dimension; found 'z'; allowed: a, b"),
        ({"a": True}, "a: not a score; found True"),
        ({"a": "1"}, "a: not a score"),
        ({"a": float("nan")}, "a: not a finite number"),
        ({"a": float("inf")}, "a: not a finite number"),
        ({"a": 10**400}, "a: not a finite number"),
        (
            {"a": {"score": 1, "max_score": 10}},
            "a.max_score: the score's maximum contradicts the rubric's; found 10.0",
        ),
        ({"a": {"score": "x"}}, "a.score"),
        ({"a": {"points": 1}}, "a.score"),
        ({"a": None, "b": None}, "no dimension that counts applies"),
    ],
)
def test_scores_without_a_meaning_are_refused(scores: dict[str, Any], says: str) -> None:
    with pytest.raises(RubricError) as caught:
        score_rubric(rubric(1, 1), scores)
    assert says in str(caught.value)


def test_an_unknown_rollup_is_refused() -> None:
    with pytest.raises(RubricError, match=r"no such rollup; found 'median'; allowed: weighted_mean, min"):
        score_rubric(rubric(1, rollup="median"), {"a": 1})


def test_weights_that_cannot_be_added_up_are_refused() -> None:
    with pytest.raises(RubricError, match="infinity"):
        score_rubric(rubric(1.7e308, 1.7e308), {"a": 1})


@pytest.mark.parametrize("weights", [(0.0, 0.0), (-1.0, 2.0), (float("nan"), 1.0), (float("inf"), 1.0)])
def test_a_rubric_that_cannot_mean_anything_cannot_be_made(weights: tuple[float, float]) -> None:
    with pytest.raises(ValidationError):
        rubric(*weights)


def test_a_rollup_of_ones_own() -> None:
    if "best" not in rollup_names():
        register_rollup("best", lambda normalised, weights: max(normalised))
    assert score_rubric(rubric(1, 1, rollup="best"), {"a": 0.2, "b": 0.7}).reward == 0.7
    with pytest.raises(RubricError, match="registered already"):
        register_rollup("min", min)


def test_a_rollup_that_leaves_the_range_is_refused() -> None:
    if "sum" not in rollup_names():
        register_rollup("sum", lambda normalised, weights: sum(normalised))
    with pytest.raises(RubricError, match=r"left the range of rewards; found 2\.0"):
        score_rubric(rubric(1, 1, rollup="sum"), {"a": 1, "b": 1})


RUBRIC = {
    "rollup": "min",
    "threshold": 0.6,
    "dimensions": [{"id": "a", "weight": 2, "max_score": 4.0, "description": "first"}, {"id": "b"}],
}
TOML = """
rollup = "min"
threshold = 0.6
[[dimensions]]
id = "a"
weight = 2
max_score = 4.0
description = "first"
[[dimensions]]
id = "b"
"""
YAML = """
rubric:
  rollup: min
  threshold: 0.6
  dimensions:
    - {id: a, weight: 2, max_score: 4.0, description: first}
    - {id: b}
"""


@pytest.mark.parametrize(
    ("name", "text"), [("r.toml", TOML), ("r.yaml", YAML), ("r.yml", YAML), ("r.json", json.dumps(RUBRIC))]
)
def test_rubrics_load_from_toml_yaml_and_json(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert load_rubric(tmp_path / name) == Rubric.model_validate(RUBRIC)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        (
            "r.json",
            '{"dimensions": [{"id": "a"}, {"id": "a"}]}',
            "ids must be unique; found more than once: a",
        ),
        ("r.json", '{"dimensions": [{"id": "a", "weight": -1}]}', "dimensions[0].weight"),
        ("r.json", '{"dimensions": [{"id": "a", "weight": 0}]}', "every weight is 0"),
        ("r.yaml", "dimensions: [{id: a, weight: .nan}]", "dimensions[0].weight"),
        ("r.toml", '[[dimensions]]\nid = "a"\nweight = true', "dimensions[0].weight"),
        ("r.json", '{"dimensions": [{"id": "a"}], "rollup": "median"}', "no such rollup; found 'median'"),
        ("r.json", '{"dimensions": []}', "dimensions"),
        ("r.json", '{"dimension": []}', "dimension"),
        ("r.json", "[]", "not a table"),
        ("r.json", "{", "cannot be parsed"),
        ("r.yaml", "a: [", "cannot be parsed"),
        ("r.toml", "a = ", "cannot be parsed"),
        ("r.txt", "", "unknown kind of file"),
    ],
)
def test_a_bad_rubric_file_is_refused_with_file_and_reason(
    tmp_path: Path, name: str, text: str, says: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(RubricError) as caught:
        load_rubric(tmp_path / name)
    assert name in str(caught.value)
    assert says in str(caught.value)


def test_the_example_of_the_documentation(tmp_path: Path) -> None:
    """(3/4 * 2 + 1 * 1) / 3 = 2.5 / 3."""
    page = (Path(__file__).parents[2] / "docs" / "rubric.md").read_text(encoding="utf-8")
    (tmp_path / "rubric.toml").write_text(page.partition("```toml\n")[2].partition("```")[0])
    found = score_rubric(load_rubric(tmp_path / "rubric.toml"), {"method": {"score": 3}, "units": 1})
    assert found.reward == 0.8333
    assert f"= {found.reward}" in page


def test_a_missing_rubric_file(tmp_path: Path) -> None:
    with pytest.raises(RubricError, match="No such file"):
        load_rubric(tmp_path / "none.toml")


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, np.uint8, Fraction])
def test_every_kind_of_real_number_is_a_score(kind: Any) -> None:
    scores = {"a": kind(1), "b": {"score": kind(0), "max_score": kind(1)}}
    assert score_rubric(rubric(1.0, 1.0), scores).reward == 0.5


@pytest.mark.parametrize("value", [np.bool_(True), np.float32("nan"), np.array([1.0]), "1", 1j])
def test_what_only_looks_like_a_number_is_no_score(value: Any) -> None:
    with pytest.raises(RubricError, match="a: not a"):
        score_rubric(rubric(1.0), {"a": value})
