"""The quick parser never takes what the thorough one refuses, and never reads another value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.contracts import MAX_JSON_DEPTH, BadJson, load_json, strict_json

TEXT = st.text(st.sampled_from('a:"\\{}[],éµ\n\t 😀'), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
PIECES = st.lists(
    st.sampled_from(
        [
            *('{"a":1', '"a":1', '"a" : 2', "{", "}", "[", "]", ",", ":", '":"', '"\\":"', '"\\\\"', "1e999"),
            *("-0.0", "NaN", "null", '"\\ud800"', '"\\u003a"', "1" * 400, "\x00", " "),
        ]
    ),
    max_size=9,
)


def outcome(read: Any, data: bytes) -> Any:
    try:
        return repr(read(data))  # repr tells 1 from 1.0 and 0.0 from -0.0
    except BadJson as error:
        return BadJson, str(error)


def thoroughly(data: bytes) -> Any:
    text = data.decode("utf-8-sig")
    if not text.strip():
        raise BadJson("the file is empty")
    return strict_json._read_thoroughly(text, text.count("[") + text.count("{"), MAX_JSON_DEPTH, None, 1)


@given(VALUES, st.booleans(), st.sampled_from([None, 1]), st.sampled_from([":", " : ", ":\n"]))
def test_any_value_is_read_alike(value: Any, ascii_only: bool, indent: int | None, colon: str) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=(",", colon))
    data = text.encode()
    assert outcome(lambda d: load_json(d, max_bytes=1 << 20), data) == outcome(thoroughly, data)


@given(PIECES)
def test_any_rubble_is_refused_alike(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    assert outcome(lambda d: load_json(d, max_bytes=1 << 20), data) == outcome(thoroughly, data)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a": {"b": 1, "b": 1}, "c": ":"}',
        '{":": 1, ":": 2}',
        '{"a\\"": 1, "a\\"": 2}',
        '{"\\\\": ":", "\\\\": 1}',
        '{"a" : 1, "x": ":", "a"\n:2}',
        '{"a": 1, "\\u0061": 2}',
    ],
)
def test_a_key_that_stands_twice_is_found_however_it_is_written(text: str) -> None:
    with pytest.raises(BadJson, match="stands twice"):
        load_json(text.encode(), max_bytes=1000)


@pytest.mark.parametrize(
    "text", ['{"a": ":"}', '{"a:b": "\\":"}', '{"\\\\": "\\\\\\":"}', '[":", {"x": "a: b: c"}]', '":"']
)
def test_colons_in_strings_are_no_keys(text: str) -> None:
    assert load_json(text.encode(), max_bytes=1000) == json.loads(text)
    assert strict_json._read_quickly(text, MAX_JSON_DEPTH) is not strict_json._UNSURE


@pytest.mark.parametrize("depth", [MAX_JSON_DEPTH, MAX_JSON_DEPTH + 1, 500, 5000])
def test_the_depth_is_bounded(depth: int) -> None:
    """Counted from 0, the outermost value."""
    data = b"[" * (depth + 1) + b"]" * (depth + 1)
    if depth <= MAX_JSON_DEPTH:
        assert load_json(data, max_bytes=100_000) == json.loads(data)
    else:
        with pytest.raises(BadJson, match="nested deeper"):
            load_json(data, max_bytes=100_000)


@pytest.mark.parametrize("text", ["[1,2]", "[[[]]]", '[{"a":1}]', '"[,{[,{"'])
def test_more_values_than_allowed_are_refused_before_anything_is_parsed(text: str) -> None:
    """Brackets and commas are counted, in strings too. Only a longer text than that can have more of them."""
    marks = sum(text.count(mark) for mark in "[{,")
    assert strict_json.parse_json(text, max_values=marks) == json.loads(text)
    with pytest.raises(BadJson, match=f"more than {marks - 1} values"):
        strict_json.parse_json(text, max_values=marks - 1)
    with pytest.raises(BadJson, match="more than 2 values"):
        strict_json.parse_json("[[[", max_values=2)
    with pytest.raises(BadJson, match="truncated"):
        strict_json.parse_json("[[[", max_values=3)
