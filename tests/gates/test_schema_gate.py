"""The second gate: what differs from the schema, each with its place, and never too much of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adjudge.contracts import OutputFormat
from support.no_hang import no_hang
from support.output_reports import judge, reason

JSON = OutputFormat.JSON
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["flow", "status"],
    "additionalProperties": False,
    "properties": {
        "flow": {"type": "number", "minimum": 0},
        "status": {"enum": ["pass", "fail"]},
        "pumps": {"type": "array", "items": {"type": "object", "required": ["head m"]}},
        "note": {"type": ["string", "null"]},
    },
}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "$: is array, not object; found an array of 0; allowed: object"),
        ("null", "$: is null, not object; found None; allowed: object"),
        ("{}", "$: keys are missing: 'flow', 'status'; found an object without keys"),
        (
            '{"flow": "5 m3/s", "status": "pass"}',
            "$.flow: is string, not number; found '5 m3/s'; allowed: number",
        ),
        (
            '{"flow": true, "status": "pass"}',
            "$.flow: is boolean, not number; found True; allowed: number",
        ),
        (
            '{"flow": -1, "status": "pass"}',
            "$.flow: breaks a rule of the schema; found -1; allowed: minimum 0",
        ),
        (
            '{"flow": 1, "status": "PASS"}',
            "$.status: is not one of the allowed values; found 'PASS'; allowed: ['pass', 'fail']",
        ),
        (
            '{"flow": 1, "status": "pass", "x": {}, "y": 2}',
            "$: the schema does not know these keys; found 'x', 'y'",
        ),
        (
            '{"flow": 1, "status": "pass", "note": 3}',
            "$.note: is number, not null or string; found 3; allowed: null or string",
        ),
        (
            '{"flow": 1, "status": "pass", "pumps": [{"head m": 1}, {}]}',
            "$.pumps[1]: keys are missing: 'head m'; found an object without keys",
        ),
    ],
)
def test_each_difference_has_its_place(text: str, says: str) -> None:
    report = judge(text, JSON, schema=SCHEMA)
    assert (report.output_parseable, report.schema_valid) == (True, False)
    assert reason(report) == says


def test_a_match_has_no_errors() -> None:
    report = judge('{"flow": 1, "status": "pass", "note": null}', JSON, schema=SCHEMA)
    assert (report.schema_valid, report.errors) == (True, ())


def test_a_thousand_differences_are_told_as_ten() -> None:
    report = judge(json.dumps(["x"] * 1000), JSON, schema={"items": {"type": "number"}})
    assert len(report.errors) == 11
    assert report.errors[-1].endswith("there may be more such differences; these are the first")


def test_of_a_million_only_the_first_is_told_and_soon() -> None:
    with no_hang():
        report = judge(json.dumps([1] + ["x"] * 1_000_000), JSON, schema={"items": {"type": "number"}})
    assert [error.split(": ", 1)[1] for error in report.errors] == [
        "$[1]: is string, not number; found 'x'; allowed: number",
        "there may be more such differences; these are the first",
    ]


def test_a_message_never_spells_out_a_whole_output() -> None:
    long = "k" * 1_000_000
    schema = {"type": "object", "additionalProperties": {"type": "number"}, "propertyNames": {"maxLength": 9}}
    for value in ({long: 1}, {"a": long}, [[long]], {long: {long: "x"}}):
        report = judge(json.dumps(value), JSON, schema=schema)
        assert report.schema_valid is False
        assert sum(map(len, report.errors)) < 2000


def test_control_characters_do_not_reach_the_message() -> None:
    report = judge('{"\\u001b[31m": "\\u001b[0m"}', JSON, schema={"additionalProperties": {"type": "number"}})
    assert "\x1b" not in "".join(report.errors)
    assert "$['\\x1b[31m']: is string, not number; found '\\x1b[0m'" in report.errors[0]


def test_half_a_surrogate_pair_is_told_not_raised() -> None:
    report = judge('{"flow": "\\ud800", "status": "pass"}', JSON, schema=SCHEMA)
    assert report.output_parseable is True
    assert reason(report) == "a string holds half of a surrogate pair, which no schema can check"


def test_a_reference_inside_the_schema_works() -> None:
    schema = {"$defs": {"n": {"type": "number"}}, "properties": {"a": {"$ref": "#/$defs/n"}}}
    assert judge('{"a": 1}', JSON, schema=schema).schema_valid
    assert not judge('{"a": "1"}', JSON, schema=schema).schema_valid


def test_rules_made_of_schemas_are_named() -> None:
    schema = {"properties": {"a": {"oneOf": [{"type": "string"}, {"type": "null"}]}}}
    assert reason(judge('{"a": 3}', JSON, schema=schema)) == (
        "$.a: breaks a rule of the schema; found 3; allowed: what the schema's oneOf says"
    )


def test_jsonl_is_an_array_to_its_schema() -> None:
    schema = {"type": "array", "items": {"required": ["a"]}}
    assert judge('{"a": 1}\n{"a": 2}\n', OutputFormat.JSONL, schema=schema).schema_valid
    assert reason(judge('{"a": 1}\n{"b": 2}\n', OutputFormat.JSONL, schema=schema)) == (
        "$[1]: keys are missing: 'a'; found an object with the keys 'b'"
    )
