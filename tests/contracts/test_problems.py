"""An error keeps its parts: a person reads the sentence, a program reads the parts."""

from __future__ import annotations

import pickle
from datetime import datetime
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from adjudge.contracts import (
    Annotation,
    EvaluationResult,
    Judgment,
    OutputFormat,
    Rubric,
    problem_of,
    problems_of,
)
from adjudge.errors import AdjudgeError, LedgerError, MissingExtra, Problem, UsageError, show


def test_the_text_is_made_from_the_parts() -> None:
    error = UsageError(
        "no such rollup", file="rubric.toml", field="rollup", found="max", allowed="min", remedy="Pick one."
    )
    assert str(error) == "rubric.toml: rollup: no such rollup; found 'max'; allowed: min. Pick one."
    assert error.problem.as_json() == {
        "what": "no such rollup",
        "file": "rubric.toml",
        "field": "rollup",
        "found": "'max'",
        "allowed": "min",
        "remedy": "Pick one.",
    }


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"what": "It broke."}, "It broke."),
        ({"what": "It broke.", "remedy": "Mend it."}, "It broke. Mend it."),
        (
            {"what": "It broke", "allowed": "one sentence.", "remedy": "Mend it."},
            "It broke; allowed: one sentence. Mend it.",
        ),
        ({"what": "It broke.", "found": 3}, "It broke; found 3"),
        ({"what": "Is it broken?", "remedy": "Look."}, "Is it broken? Look."),
    ],
)
def test_no_full_stop_stands_twice(parts: dict[str, Any], text: str) -> None:
    assert str(Problem(**parts)) == text


def test_an_enum_is_shown_as_its_value() -> None:
    assert show(Judgment.PASS) == "'pass'"
    assert show([OutputFormat.JSON, OutputFormat.CSV]) == "['json', 'csv']"


@pytest.mark.parametrize(
    "error",
    [
        UsageError("no", found=[1]),
        LedgerError("no", file="x", remedy="Yes."),
        MissingExtra("web", needed_for="it"),
    ],
)
def test_an_error_survives_the_way_between_processes(error: AdjudgeError) -> None:
    back = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(back) is type(error)
    assert (str(back), back.problem) == (str(error), error.problem)


def test_a_problem_can_be_placed_in_a_larger_whole() -> None:
    inner = Problem("too small", field="weight", found=-1)
    assert (
        str(inner.at(file="r.toml", field="dimensions[0]"))
        == "r.toml: dimensions[0].weight: too small; found -1"
    )
    assert inner.at(field="$").at(file="a").at(file="b").file == "a"


def refused(model: type[BaseModel], value: object) -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(value)
    return caught.value


NOW = datetime.fromisoformat("2026-01-31T09:30:00+00:00")
GOOD = {"reviewer_id": "ada", "timestamp": NOW, "judgment": Judgment.PASS}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"reviewer_id": ""}, "reviewer_id: is empty; found ''; allowed: at least one character"),
        ({"reviewer_id": 3}, "reviewer_id: not a text; found 3; allowed: a text"),
        (
            {"judgment": "maybe"},
            "judgment: no such choice; found 'maybe'; allowed: 'pass', 'fail' or 'defer'",
        ),
        ({"categories": "units"}, "categories: not a list; found 'units'; allowed: a list"),
        ({"categories": ["a", 1]}, "categories[1]: not a text; found 1; allowed: a text"),
        (
            {"note": "x"},
            "note: no such field; did you mean notes?; found 'x'; allowed: reviewer_id, "
            "reviewer_discipline, timestamp, judgment, categories, notes",
        ),
        (
            {"timestamp": NOW.replace(tzinfo=None)},
            "timestamp: a time without a time zone; found '2026-01-31T09:30:00'; "
            "allowed: a time such as 2026-01-31T09:30:00Z",
        ),
    ],
)
def test_what_a_model_refuses_is_said_in_plain_words(change: dict[str, Any], text: str) -> None:
    assert str(problem_of(refused(Annotation, GOOD | change), model=Annotation)) == text


def test_a_missing_field_shows_the_keys_there_are() -> None:
    problem = problem_of(refused(Rubric, {"dimension": [], "rollup": "min"}), file="r.toml", model=Rubric)
    assert str(problem) == (
        "r.toml: dimensions: this field is missing; found ['dimension', 'rollup']; "
        "allowed: dimensions, rollup, threshold"
    )


def test_a_rule_of_our_own_keeps_its_words_and_repeats_no_model() -> None:
    value = {
        "reward": 0.5,
        "validity": {"output_parseable": False, "schema_valid": False, "verifier_completed": True},
    }
    [problem] = problems_of(refused(EvaluationResult, value))
    assert str(problem).startswith("reward is 0.5 but validity.output_parseable is False; an output")


def test_a_field_can_be_named_as_the_reader_knows_it() -> None:
    error = refused(Annotation, GOOD | {"reviewer_id": ""})
    assert problem_of(error, named=lambda name: f"--{name}").field == "--reviewer_id"


def test_no_part_shows_the_password_of_an_address() -> None:
    address = f"postgresql://me:{'S3CRET' * 40}@host/db"
    problem = Problem(
        f"no {address}",
        file=address,
        field=address,
        found=[address],
        allowed=address,
        remedy=f"See {address}.",
    )
    for told in (problem, Problem("x", found=address), problem.at(file=address)):
        assert "S3CRET" not in str(told) + str(told.as_json())
    assert "me:…@host/db" in str(problem)
