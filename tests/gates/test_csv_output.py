"""CSV: a table with a header; a schema sees an array of objects."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.contracts import OutputFormat
from adjudge.gates.table import parse_csv
from support.output_reports import judge, reason

CSV = OutputFormat.CSV


def rows(text: str, schema: dict[str, Any] | None = None) -> Any:
    return parse_csv(text, schema).value


def test_cells_become_values() -> None:
    assert rows("id,flow,ok,note\n007,1.5,TRUE,\n8,-2e3,false, x \n") == [
        {"id": "007", "flow": 1.5, "ok": True, "note": None},
        {"id": 8, "flow": -2000.0, "ok": False, "note": " x "},
    ]


def test_a_column_the_schema_calls_a_string_stays_text() -> None:
    schema = {
        "items": {
            "properties": {
                "id": {"type": "string"},
                "code": {"type": ["string", "null"]},
                "n": {"type": ["number", "string"]},
            }
        }
    }
    assert rows("id,code,n\n7,1,2\n,,\n", schema) == [
        {"id": "7", "code": "1", "n": 2},
        {"id": "", "code": None, "n": None},
    ]


@pytest.mark.parametrize("schema", [None, {}, {"items": True}, {"items": {"properties": {"a": True}}}])
def test_any_schema_will_do(schema: dict[str, Any] | None) -> None:
    assert rows("a\n1\n", schema) == [{"a": 1}]


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n",
        "\ufeffa,b\r\n1,2\r\n",
        "a,b\n\n1,2\n\n",
        'a,b\n"x, y","two\nlines"\n',
        'a\n"say ""hi"""\n',
        'a\n5" pipe\n',
        "a,b\n",
        "a\n" + "x" * 300_000,
    ],
)
def test_what_is_csv(text: str) -> None:
    report = judge(text, CSV)
    assert (report.output_parseable, report.schema_valid, report.errors) == (True, True, ())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('a,b\n1,"never closed\n', "truncated: a quoted cell is never closed"),
        ('""\n', "the CSV holds no row, not even a header"),
        ("", "the output is empty: it has 0 bytes"),
    ],
)
def test_what_is_not(text: str, says: str) -> None:
    report = judge(text, CSV)
    assert report.output_parseable is False
    assert reason(report) == says


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,2\n3\n", "the row that ends at line 3 has 1 cells, the header 2"),
        ("a,b\n1,2,3\n", "the row that ends at line 2 has 3 cells, the header 2"),
        ("a,a\n1,2\n", "two columns have the same name"),
        ('a\n"x"y\n', "text follows a closing quote: ',' expected after '\"'"),
    ],
)
def test_odd_tables_parse_but_have_a_problem_of_shape(text: str, says: str) -> None:
    report = judge(text, CSV)
    assert (report.output_parseable, report.schema_valid) == (True, False)
    assert reason(report) == says


def test_a_schema_describes_the_rows() -> None:
    schema = {
        "type": "array",
        "minItems": 1,
        "items": {"required": ["flow"], "properties": {"flow": {"type": "number"}}},
    }
    assert judge("flow\n1.5\n", CSV, schema=schema).schema_valid
    report = judge("flow\n1.5\nfast\n", CSV, schema=schema)
    assert reason(report) == "$[1].flow: is string, not number; found 'fast'; allowed: number"
    assert reason(judge("Flow\n1\n", CSV, schema=schema)) == (
        "$[0]: keys are missing: 'flow'; found an object with the keys 'Flow'"
    )
    assert reason(judge("flow\n", CSV, schema=schema)) == (
        "$: breaks a rule of the schema; found an array of 0; allowed: minItems 1"
    )
