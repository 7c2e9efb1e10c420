"""The skeleton in an instruction gives required keys and obvious types, and never more than that."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adjudge.tasks import check_schema, schema_problems
from adjudge.tasks.skeleton import infer_schema, read_skeleton

NUMBER = {"type": "number"}
STRING = {"type": "string"}
ANYTHING: dict[str, Any] = {}


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("0.0", NUMBER),
        ("0", NUMBER),
        ("-1.5e3", NUMBER),
        (".5", NUMBER),
        ("<numeric_value>", NUMBER),
        ("<numeric_value_from_schedule>", NUMBER),
        ("<number>", NUMBER),
        ("<float>", NUMBER),
        ("<float, m3/s>", NUMBER),
        ("<integer>", NUMBER),
        ("number", NUMBER),
        ("float", NUMBER),
        ('"<number>"', NUMBER),
        ('"number"', NUMBER),
        ("<number of rooms>", NUMBER),
        ('"<part number>"', ANYTHING),
        ("<your_calculated_value>", ANYTHING),
        ("<value>", ANYTHING),
        ("...", ANYTHING),
        ('"..."', ANYTHING),
        ('"…"', ANYTHING),
        ('""', ANYTHING),
        ("null", ANYTHING),
        ('"null"', ANYTHING),
        ('"NONE"', ANYTHING),
        ('"map"', ANYTHING),
        ('"list"', ANYTHING),
        ("{{ answer }}", ANYTHING),
        ('"<brief description of the error>"', ANYTHING),
        ("true", {"type": "boolean"}),
        ("<bool>", {"type": "boolean"}),
        ("<true/false>", {"type": "boolean"}),
        ("true|false", {"type": "boolean"}),
        ("<true or false>", {"type": "boolean"}),
        ('"<string>"', STRING),
        ("string", STRING),
        ('"pass|fail"', STRING),
        ('"pass" | "fail"', STRING),
        ('"compliant"', STRING),
        ('"YYYY-MM-DD"', STRING),
        ("<float|null>", {"type": ["null", "number"]}),
        ("<float> | null", ANYTHING),
        ("number | string", {"type": ["number", "string"]}),
        ('"number|null"', {"type": ["null", "number"]}),
        ("[]", {"type": "array"}),
        ("[...]", {"type": "array"}),
        ("[0.0, 0.0, ...]", {"type": "array", "items": NUMBER}),
        ('[1, "two"]', {"type": "array"}),
        ('["<string>", ...]', {"type": "array", "items": STRING}),
        ("{}", {"type": "object", "required": [], "properties": {}}),
        ('{"<room>": 1}', {"type": "object", "required": [], "properties": {}}),
        ('{"x": 1}', {"type": "object", "required": ["x"], "properties": {"x": NUMBER}}),
    ],
)
def test_what_a_value_stands_for(value: str, schema: dict[str, Any]) -> None:
    read = read_skeleton(f'{{"key": {value}}}')
    assert read is not None
    assert read["required"] == ["key"]
    assert read["properties"]["key"] == schema


@pytest.mark.parametrize(
    "body",
    [
        '"a": 1, "b": 2',
        '"a": 1,\n"b": 2,\n',
        '"a": 1, // metres\n"b": 2 // seconds\n',
        '"a": 1,  # metres\n"b": 2  # seconds\n',
        '/* both */ "a": 1, "b": 2 /* end */',
        '"a": <number>,  // metres, (see above)\n"b": <number>   # {braces}\n',
        '"a": 1,\n"b": 2,\n...\n',
        '"a": 1\n"b": 2\n',
        "'a': 1, 'b': 2",
    ],
)
def test_comments_trailing_commas_and_dots_are_no_obstacle(body: str) -> None:
    read = read_skeleton("{" + body + "}")
    assert read is not None
    assert read["required"] == ["a", "b"]
    assert read["properties"] == {"a": NUMBER, "b": NUMBER}


def test_a_key_whose_comment_says_optional_is_not_required() -> None:
    read = read_skeleton('{"a": 1,  // optional\n"b": 2,\n"c": 3 # Optional: in mm\n}')
    assert read is not None
    assert read["required"] == ["b"]
    assert set(read["properties"]) == {"a", "b", "c"}


def test_the_last_skeleton_counts() -> None:
    instruction = """
```json
{"input": 1}
```
Now do it, with `python3 calc.py`:
```bash
echo '{"not": "this"}'
```
```JSON
{"answer": <numeric_value>}
```
Write it to `/workspace/output.md`; if there is none, use `{"none": []}`.
"""
    assert infer_schema(instruction) == {
        "type": "object",
        "required": ["answer"],
        "properties": {"answer": NUMBER},
    }


@pytest.mark.parametrize(
    "instruction",
    [
        'Write a JSON object like {"a": {"x": 0.0}, "b": [1, 2]} to /workspace/x.json.',
        'Format: `{"a": {"x": 0.0}, "b": [1, 2]}`',
        'Format:\n\n    {\n      "a": {"x": 0.0},\n      "b": [1, 2]\n    }\n',
        'Format:\n~~~\n{"a": {"x": 0.0}, "b": [1, 2]}\n~~~\n',
        '1. Format:\n   ```\n   {"a": {"x": 0.0}, "b": [1, 2]}\n   ```\n',
        'Format:\n```jsonl\n{"a": {"x": 0.0}, "b": [1, 2]}\n{"a": {"x": 0.0}, "b": [1, 2]}\n```\n',
    ],
)
def test_a_skeleton_may_stand_in_prose_or_any_fence(instruction: str) -> None:
    schema = infer_schema(instruction)
    assert schema is not None
    assert schema["required"] == ["a", "b"]
    assert schema["properties"]["a"]["required"] == ["x"]


@pytest.mark.parametrize(
    "instruction",
    [
        "No skeleton here.",
        "```\nstatus: fixed\n```",
        "```json\nnot json at all\n```",
        '```json\n{"a": 1\n```',
        "```json\n{}\n```",
        "```json\n[]\n```",
        "Use {braces} and [brackets] freely, and a list: [1, 2].",
        "",
    ],
)
def test_what_is_no_skeleton_says_nothing(instruction: str) -> None:
    assert infer_schema(instruction) is None


def test_a_list_of_objects() -> None:
    schema = infer_schema('```json\n[\n  {"room": "<string>", "load_w": <number>},\n  ...\n]\n```')
    assert schema is not None
    assert schema["type"] == "array"
    assert schema["items"]["required"] == ["room", "load_w"]


def test_nesting_without_end_is_no_skeleton() -> None:
    assert infer_schema("```json\n" + '{"a": ' * 5000 + "\n```") is None


# Not those strings that are placeholders: "<number>" and "float" are there to be replaced.
strings = st.text(max_size=5).filter(
    lambda text: not re.search(r"[<\[{]|num|int|float|real|str|text|bool|tru|fals", text, re.IGNORECASE)
)
json_values = st.recursive(
    st.none() | st.booleans() | st.floats(-1e6, 1e6) | strings,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.text(alphabet='{}[]":,<>|./#* \n\\abnumber01', max_size=60))
def test_it_never_raises(text: str) -> None:
    infer_schema("```json\n" + text + "\n```")
    infer_schema(text)


@example({"status": "NONE"})
@example({"status": "NONE|NULL"})
@example({"kind": "map", "shape": ["list"]})
@given(st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), json_values, min_size=1, max_size=4))
def test_an_example_answer_matches_the_schema_read_from_it(answer: dict[str, Any]) -> None:
    """Whatever the example is: the author's own example must never be called wrong."""
    schema = read_skeleton(json.dumps(answer, indent=2))
    assert schema is not None
    assert check_schema(schema) is None
    assert schema_problems(schema, answer) == ([], False)
