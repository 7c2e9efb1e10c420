"""The alarm for a reward that its own details contradict, and above all: no false ones."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from adjudge.scoring import REWARD_DISAGREES, contradiction
from support.artifacts_by_hand import ingested


def spec(*scores: float, maximum: float = 1.0) -> dict[str, Any]:
    return {f"f{i}": {"score": s, "max_score": maximum, "evidence": "…"} for i, s in enumerate(scores)}


@pytest.mark.parametrize(
    ("reward", "details"),
    [
        (0.2, spec(1, 1, 1)),
        (1.0, spec(0, 0)),
        (0.5, spec(0.95, 1.0, 1.0)),
        (0.0, spec(1, 1)),
        (1.0, spec(1, 0, 0)),
        (0.9, spec(1, 0, 0)),
        (0.9, {"a": 0.1, "b": 0.2}),
        (1.0, {"a": 0.0}),
        (0.3, {"reward": 0.9, "note": "x"}),
        (0.9, {"c": [{"name": "x", "score": 1, "weight": 1}, {"name": "y", "score": 0, "weight": 1}]}),
        (0.1, {"r": {"score": 0.9, "criteria": [{"name": "x", "value": 0.9, "raw": 1, "weight": 1.0}]}}),
    ],
)
def test_a_contradiction_is_tagged_and_the_file_counts(reward: float, details: dict[str, Any]) -> None:
    result = ingested(reward={"reward": reward}, details=details)
    assert result.reward == reward
    [tag] = result.error_taxonomy or []
    assert tag.category == REWARD_DISAGREES
    assert f"{reward:.4g}" in (tag.description or "")


@pytest.mark.parametrize(
    ("reward", "details", "because"),
    [
        (0.67, {"a": 1.0, "b": 0.0, "c": 1.0}, "the mean 2/3, rounded to two decimals"),
        (0.12, spec(1, 0, 0, 0, 0, 0, 0, 0), "the mean 1/8, rounded half to even"),
        (0.0, spec(1, 1, 0), "the minimum; or everything had to be right"),
        (1.0, spec(1, 1, 0), "a pass mark of two out of three"),
        (0.7, spec(1, 0), "weights 0.7 and 0.3 that the file does not state"),
        (0.855, spec(0.95, 0.9), "the product"),
        (0.5, {"a": {"score": 1, "max_score": 1}, "b": {"score": 4, "max_score": 9}}, "points: 5 of 10"),
        (
            0.9,
            {"c": [{"name": "x", "score": 1, "weight": 9}, {"name": "y", "score": 0, "weight": 1}]},
            "9 of 10",
        ),
        (1.0, {"acceptance": 0.6, "distractor": 0.4}, "shares that were weighted already"),
        (0.3, {"acceptance": 0.3, "distractor": 0.0}, "shares that were weighted already"),
        (0.0, {"output_missing": True}, "a bare bool may mean anything"),
        (0.0, {"error_rate": 1.0}, "a name that is no score's"),
        (1.0, {"min_iou": 0.4, "midpoint_s": 0.5}, "parameters, not scores"),
        (1.0, {"iou": 0.2, "windows": [1, 2]}, "a number among other content"),
        (0.4, {"clarity": 8, "accuracy": 1}, "points of an unknown maximum"),
        (0.0, {**spec(1, 1), "gate": {"status": "closed"}}, "the file has a rule of its own"),
        (0.5, {"a": {"score": None}, "b": {"score": 0.5}}, "not applicable leaves the mean"),
        (0.5, {"a": {"score": None}}, "nothing applies"),
        (0.5, {}, "an empty table implies nothing"),
        (0.5, {"reward": 10**400, "a": 10**400}, "numbers no float can hold"),
        (0.5, {"g1": spec(1, 1, 1, 1), "g2": {"x": 0.0}}, "the mean of two groups"),
    ],
)
def test_no_alarm(reward: float, details: dict[str, Any], because: str) -> None:
    assert ingested(reward={"reward": reward}, details=details).error_taxonomy is None, because


FIELDS = st.lists(
    st.tuples(st.integers(0, 10), st.sampled_from([1.0, 2.0, 3.0, 0.5])), min_size=1, max_size=8
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    FIELDS,
    st.sampled_from(["mean", "weighted", "weighted, stated", "min", "product", "all", "geometric"]),
    st.integers(2, 6),
)
def test_no_usual_verifier_is_ever_accused(
    fields: list[tuple[int, float]], rollup: str, decimals: int
) -> None:
    """Rewards made by every usual rollup, rounded to two decimals or more, are never called contradictory."""
    values = [score / 10 for score, _ in fields]
    weights = [weight for _, weight in fields]
    reward = {
        "mean": sum(values) / len(values),
        "weighted": sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights),
        "min": min(values),
        "product": math.prod(values),
        "all": float(min(values) == 1),
        "geometric": math.prod(v**w for v, w in zip(values, weights, strict=True)) ** (1 / sum(weights)),
    }[rollup.partition(",")[0]]
    details = spec(*[10 * v for v in values], maximum=10.0)
    if rollup == "weighted, stated":
        for entry, weight in zip(details.values(), weights, strict=True):
            entry["weight"] = weight
    if rollup == "geometric":
        assume(min(values) > 0 and len(set(weights)) == 1)
    assert contradiction(round(reward, decimals), details) is None
