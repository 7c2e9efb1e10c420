"""JSON: what is it, what is it not, and where did it go wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.contracts import OutputFormat
from support.output_reports import judge, reason

JSON = OutputFormat.JSON
TWICE = "the key 'a' stands twice in one object; readers disagree which one counts"
NO_NAME = "not JSON: Expecting property name enclosed in double quotes"


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        "0",
        '"text"',
        "null",
        "true",
        '  {"a": [1, 2.5e-3, {"b": null}]}\r\n',
        '\ufeff{"a": 1}',
        '"\\ud83d\\ude00"',
    ],
)
def test_json_is_json(text: str) -> None:
    report = judge(text, JSON)
    assert (report.output_parseable, report.schema_valid, report.errors) == (True, True, ())


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the output is empty: it has 0 bytes"),
        (b"\xef\xbb\xbf", "the output holds nothing but white space (3 bytes)"),
        (b" \n\t ", "the output holds nothing but white space (4 bytes)"),
        (b'{"a": "caf\xe9"}', "not UTF-8 text: byte 0xe9 at offset 10"),
        (b'\xef\xbb\xbf{"a": "\xff"}', "not UTF-8 text: byte 0xff at offset 10"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8 text: byte 0xff at offset 0; it starts like UTF-16"),
        (b'{"a": 1', "truncated: the JSON ends early, in what begins at line 1, column 8"),
        (b'{"a": 1,', "truncated: the JSON ends early, in what begins at line 1, column 9"),
        (b'{\n  "a": "hel', "truncated: the JSON ends early, in what begins at line 2, column 8"),
        (b'{"a": tru', "truncated: the JSON ends early, in what begins at line 1, column 7"),
        (b'{"a": 1.', "truncated: the JSON ends early, in what begins at line 1, column 8"),
        (b'{"a": 1.5e-', "truncated: the JSON ends early, in what begins at line 1, column 10"),
        (b'{"a": "\\u00', "truncated: the JSON ends early, in what begins at line 1, column 9"),
        (b'{"a": -', "truncated: the JSON ends early, in what begins at line 1, column 7"),
        (b'{"a"', "truncated: the JSON ends early, in what begins at line 1, column 5"),
        (b"[1, 2", "truncated: the JSON ends early, in what begins at line 1, column 6"),
        (b'{"a": 1}\nDone.', "not JSON: more text after the first value, at line 2, column 1"),
        (b"{'a': 1}", f"{NO_NAME} at line 1, column 2"),
        (b'{"a": 1 "b": 2}', "not JSON: Expecting ',' delimiter at line 1, column 9"),
        (b"The answer is 3.", "not JSON: Expecting value at line 1, column 1"),
        (
            b'```json\n{"a": 1}\n```',
            "not JSON: Expecting value at line 1, column 1; it looks like JSON inside a Markdown fence",
        ),
        (b'{"s": "NaN", "a": NaN}', "not JSON: NaN is not a JSON value, at line 1, column 19"),
        (b'{"a":\n -Infinity}', "not JSON: -Infinity is not a JSON value, at line 2, column 2"),
        (b"[" * 100_000, "nested deeper than 200 levels"),
        (b"[" * 202 + b"]" * 202, "nested deeper than 200 levels"),
        (b'{"a":' * 300 + b"1" + b"}" * 300, "nested deeper than 200 levels"),
    ],
)
def test_what_is_not_says_why_and_where(data: bytes, says: str) -> None:
    report = judge(data, JSON)
    assert (report.output_parseable, report.schema_valid) == (False, False)
    assert reason(report) == says


def test_nesting_up_to_the_limit_is_fine() -> None:
    assert judge("[" * 201 + "]" * 201, JSON).output_parseable


def test_more_values_than_are_read() -> None:
    report = judge("[" + "1," * 5_000_001 + "1]", JSON)
    assert reason(report) == "more than 5000000 values, which is more than is read"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '{"a": 1, "b": 2, "a": 3}',
            "the key 'a' stands twice in one object; readers disagree which one counts",
        ),
        ('{"a": 1e999}', "the number '1e999' is larger than any float"),
        ('{"a": -1e999}', "the number '-1e999' is larger than any float"),
    ],
)
def test_what_the_grammar_allows_but_readers_dispute_is_a_matter_of_shape(text: str, says: str) -> None:
    """It parses, so it must not force a zero."""
    report = judge(text, JSON)
    assert (report.output_parseable, report.schema_valid) == (True, False)
    assert reason(report) == says


def test_an_integer_of_thousands_of_digits() -> None:
    assert judge("9" * 300, JSON).schema_valid
    assert judge("0." + "9" * 6000, JSON).schema_valid
    report = judge("9" * 6000, JSON)
    assert (report.output_parseable, report.schema_valid) == (True, False)


def test_many_problems_are_not_all_told() -> None:
    report = judge("[" + ",".join(['{"a": 1, "a": 2}'] * 1000) + "]", JSON)
    assert len(report.errors) == 5


@pytest.mark.parametrize(
    ("text", "parseable", "says"),
    [
        ('{"a": 1}\n{"a": 2}\n', True, None),
        ('\ufeff{"a": 1}\r\n\r\n[2]\r\n3', True, None),
        ('{"a": 1}\n{"a": \n', False, "truncated: the JSON ends early, in what begins at line 2, column 7"),
        (
            '{"a": 1}\n{a: 2}\n',
            False,
            "not JSON: Expecting property name enclosed in double quotes at line 2, column 2",
        ),
        ('{"a": 1} {"a": 2}', False, "not JSON: more text after the first value, at line 1, column 10"),
        (
            '1\n{"a": 1, "a": 2}',
            True,
            "line 2: the key 'a' stands twice in one object; readers disagree which one counts",
        ),
        (
            '{\n  "a": 1\n}\n',
            False,
            "not JSON Lines: line 1 does not hold a whole JSON value; JSON Lines has one on each line",
        ),
        ("", False, "the output is empty: it has 0 bytes"),
    ],
)
def test_jsonl(text: str, parseable: bool, says: str | None) -> None:
    report = judge(text, OutputFormat.JSONL)
    assert report.output_parseable is parseable
    assert report.schema_valid is (says is None)
    if says is not None:
        assert reason(report) == says


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(json_values)
def test_whatever_python_writes_as_json_parses(value: Any) -> None:
    assert judge(json.dumps(value), JSON).schema_valid
    assert judge(
        json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass"), JSON
    ).output_parseable


@given(json_values, st.data())
def test_a_cut_off_object_is_called_truncated(value: Any, data: st.DataObject) -> None:
    """Every proper beginning of a JSON object is a truncated one: no other word is used for it."""
    text = json.dumps({"key": value, "last": 1})
    cut = data.draw(st.integers(1, len(text) - 1))
    assert reason(judge(text[:cut], JSON)).startswith("truncated: ")
