"""`adjudge schema`: the JSON Schemas of the contracts, for people who are not in Python."""

from __future__ import annotations

import json
import sys

import jsonschema_rs
import pytest

from adjudge.cli import main
from adjudge.contracts import EvaluationResult


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["adjudge", "schema", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    assert isinstance(caught.value.code, int)
    return caught.value.code


def test_one_contract(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "EvaluationResult") == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema == EvaluationResult.model_json_schema()
    validator = jsonschema_rs.validator_for(schema)
    validity = {"output_parseable": True, "schema_valid": True, "verifier_completed": True}
    assert validator.is_valid({"reward": 0.93, "validity": validity})
    assert not validator.is_valid({"reward": 1.5, "validity": validity})
    assert not validator.is_valid({"reward": 1.0, "validity": validity, "extra": 1})
    assert not validator.is_valid({"reward": 1.0})


def test_all_of_them_by_name(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch) == 0
    schemas = json.loads(capsys.readouterr().out)
    assert {"EvaluationResult", "TrialRecord", "Task", "VerifierSpec", "Rubric"} <= set(schemas)
    assert "StrictModel" not in schemas
    for schema in schemas.values():
        jsonschema_rs.validator_for(schema)


def test_an_unknown_name_lists_the_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "Reward") == 2
    error = capsys.readouterr().err
    assert "no contract has this name; found 'Reward'; allowed: " in error
    assert "EvaluationResult" in error
