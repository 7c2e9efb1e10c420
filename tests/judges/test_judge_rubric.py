"""A judge's rubric says what is asked and on what scale; what cannot mean anything is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import RubricError
from adjudge.judges import JudgeRubric, Scale, ScaleKind, lint_rubric, load_judge_rubric
from support.judge_cases import LEVELS

TEXT = """
name = "memo"
rollup = "min"

[[dimensions]]
id = "value"
evaluate = "mechanical"
field = "voltage_drop_v"

[[dimensions]]
id = "why"
criterion = "The memo says why the next smaller cable was not chosen."
see = ["output:Rationale", "instruction"]
scale = {kind = "ordinal", levels = [{label = "no", score = 0, description = ""}, {label = "yes", score = 2}]}
examples = [{text = "because of the drop", verdict = "yes", reason = "names a cause"}]
patterns = [{match = "because", verdict = "yes"}]
otherwise = "no"
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "judge.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_rubric_is_read_with_all_its_parts(tmp_path: Path) -> None:
    rubric = load_judge_rubric(written(tmp_path, TEXT))
    assert [d.id for d in rubric.judged] == ["why"]
    assert rubric.judged[0].see == ["output:Rationale", "instruction"]
    assert rubric.plain().rollup == "min"
    changed = load_judge_rubric(written(tmp_path, TEXT.replace("names a cause", "names the cause")))
    assert changed.digest != rubric.digest


WRONG = [
    ('id = "why"', 'id = "value"', "dimension ids must be unique"),
    ("smaller cable was not chosen.", '"', "cannot be parsed as TOML"),
    ('criterion = "The memo says why the next smaller cable was not chosen."', "", "needs a criterion"),
    ('field = "voltage_drop_v"', 'criterion = "no"', "a mechanical dimension has no criterion"),
    ('"instruction"]', '"everything"]', "a judge cannot see 'everything'"),
    ('otherwise = "no"', "otherwise = true", "True is not one of these labels"),
    ('verdict = "yes", reason', "verdict = 1, reason", "1.0 is not one of these labels"),
    ('match = "because"', 'match = "("', "is no regular expression"),
    ("score = 2", "score = 0", "each with a higher score"),
    ('kind = "ordinal"', 'kind = "binary"', "a binary scale has no levels"),
    ('rollup = "min"', 'rollup = "best of"', "best of"),
    ('name = "memo"', 'name = "memo"\nwords = 1', "no such field"),
    ('see = ["output:Rationale", "instruction"]', 'see = ["reference"]', "there is none"),
]


@pytest.mark.parametrize(("part", "instead", "why"), WRONG, ids=[why for _, _, why in WRONG])
def test_what_cannot_mean_anything_is_refused_with_the_file(
    tmp_path: Path, part: str, instead: str, why: str
) -> None:
    assert part in TEXT
    with pytest.raises(RubricError, match=r"judge\.toml") as refused:
        load_judge_rubric(written(tmp_path, TEXT.replace(part, instead)))
    assert why in str(refused.value)


def test_a_reference_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "right.md").write_text("16 mm²", encoding="utf-8")
    text = TEXT.replace('rollup = "min"', 'reference_file = "right.md"').replace(
        '"instruction"]', '"reference"]'
    )
    assert load_judge_rubric(written(tmp_path, text)).reference == "16 mm²"
    with pytest.raises(RubricError, match="reference_file"):
        load_judge_rubric(written(tmp_path, text.replace("right.md", "gone.md")))


@pytest.mark.parametrize(
    ("scale", "verdict", "place"),
    [
        (Scale(), True, 1.0),
        (Scale(), False, 0.0),
        (Scale(), "false", None),
        (Scale(), "true", None),
        (Scale(), 1, None),
        (Scale(), None, None),
        (LEVELS, "partial", 0.5),
        (LEVELS, "Partial", None),
        (LEVELS, 1, None),
        (Scale(kind=ScaleKind.NUMERIC, low=0, high=10), 7, 0.7),
        (Scale(kind=ScaleKind.NUMERIC, low=0, high=10), 10.5, None),
        (Scale(kind=ScaleKind.NUMERIC, low=0, high=10), True, None),
        (Scale(kind=ScaleKind.NUMERIC, low=0, high=10), "7", None),
    ],
)
def test_only_a_verdict_of_the_scale_has_a_place(scale: Scale, verdict: object, place: float | None) -> None:
    assert scale.place(verdict) == place


def test_unwise_rubrics_get_remarks() -> None:
    rubric = JudgeRubric.model_validate(
        {
            "name": "x",
            "dimensions": [
                {"id": "a", "criterion": "Is it good?"},
                {
                    "id": "b",
                    "criterion": "How many of the assumptions are named?",
                    "scale": {"kind": "numeric", "low": 0.0, "high": 5.0},
                },
            ],
        }
    )
    said = [str(problem) for problem in lint_rubric(rubric)]
    assert [text.split(":")[0] for text in said] == ["dimensions.a", "dimensions.a", "dimensions.b"]
    assert "two people read differently; found 'good'" in said[1]
