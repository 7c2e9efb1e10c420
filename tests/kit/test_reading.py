"""The answer is found however it is wrapped, by the rule of adjudge's gates; what is no answer says why."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge_kit as kit
from adjudge.contracts import OutputFormat
from adjudge.gates.parse import parse_output
from adjudge.gates.parsed import Unparseable
from adjudge_kit import Unreadable, Verifier, lookup, read_answer, read_bytes

ANSWER = {"a": 1, "b": [1, 2]}
JSON = '{"a": 1, "b": [1, 2]}'

WRAPPED = {
    "bare": JSON,
    "bare with blank lines": f"\n\n{JSON}\n\n",
    "json fence": f"Here it is:\n```json\n{JSON}\n```\nDone.",
    "JSON fence": f"```JSON\n{JSON}\n```",
    "Json fence with a title": f'```Json title="answer"\n{JSON}\n```',
    "attribute fence": f"```{{.json}}\n{JSON}\n```",
    "unlabelled fence": f"```\n{JSON}\n```",
    "tildes": f"~~~json\n{JSON}\n~~~",
    "long fence": f"````json\n{JSON}\n````",
    "indented fence": f"1. Answer\n\n   ```json\n   {JSON}\n   ```\n",
    "never closed": f"```json\n{JSON}\n",
    "the last of two": f'```json\n{{"a": 0}}\n```\nI corrected it:\n```json\n{JSON}\n```',
    "the last that parses": f"```json\n{JSON}\n```\n```json\n{{broken\n```",
    "not the code": f"```json\n{JSON}\n```\n```python\nprint({{}})\n```",
    "after prose": f"The answer is\n{JSON}\n",
    "within a sentence": f"The answer is {JSON} as asked.",
    "the last in prose": f'First {{"a": 0}} and then\n{JSON}',
    "before a footnote": f"The answer: {JSON}\n[1] see the standard\n",
    "beside set braces": f"The set {{x}} is open. Answer: {JSON}",
}


@pytest.mark.parametrize("text", WRAPPED.values(), ids=WRAPPED)
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("bom", ["", "\ufeff"], ids=["", "BOM"])
def test_the_answer_is_found_and_the_gates_find_the_same(text: str, ends: str, bom: str) -> None:
    data = (bom + text.replace("\n", ends)).encode()
    assert read_answer(data) == ANSWER
    assert parse_output(data, OutputFormat.MARKDOWN_JSON, None).value == ANSWER


PIECES = st.sampled_from(
    [
        JSON,
        '{"a": 0}',
        "[1, 2]",
        "[1] note",
        "{broken",
        "```json",
        "```",
        "~~~",
        "````",
        "```python",
        "text",
        "{}",
        '"x"',
        "```json x",
        '{"a": NaN}',
        "[[1]]",
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=9).map("\n".join))
def test_kit_and_gates_agree_on_any_mixture(text: str) -> None:
    """A verifier must not score another answer than the one whose shape was checked."""
    if text.lstrip().startswith('"'):
        return  # bare text in quotes: JSON to the kit, prose to the gates; neither has fields
    try:
        expected: Any = parse_output(text.encode(), OutputFormat.MARKDOWN_JSON, None).value
    except Unparseable:
        expected = Unparseable
    try:
        found = read_answer(text)
    except Unreadable:
        found = Unparseable
    assert found == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the output is empty"),
        (b" \r\n\t", "the output is empty"),
        (b"\xff\xfea", "not UTF-8 text: invalid start byte at byte 0"),
        (b"I could not do it.", "no JSON in the text"),
        (b'{"a": 1', "not JSON: Expecting"),
        (b"```json\n{broken\n```", "the last fenced block is not JSON"),
        (b'```\n"just text"\n```', "no JSON in the text"),
        (b"[" * 100_000, "nested too deeply"),
        (b"{" * 100_000, "not JSON"),
        (b'Take {"a": ' + b"[" * 100_000, "no JSON in the text"),
        (b'Take {"a" and {"b" ' * 1500, "no JSON in the text"),
    ],
)
def test_what_is_no_answer_says_why(data: bytes, message: str) -> None:
    with pytest.raises(Unreadable, match="^" + message.replace("(", r"\(")) as raised:
        read_answer(data)
    assert raised.value.category == "parsing error"


def test_what_python_takes_for_numbers_is_not_json() -> None:
    with pytest.raises(Unreadable, match="not JSON: NaN is not a JSON value"):
        read_answer('{"a": NaN}')
    assert read_answer('```\n{"a": 1}\n```\n```\n{"a": -Infinity}\n```') == {"a": 1}
    assert read_answer('First {"a": 1} then {"a": NaN}') == {"a": 1}


def test_of_a_very_long_text_the_end_is_searched() -> None:
    """By kit and gates alike; in one line of it too, and at once, whatever brackets it has."""
    prose = "{ [1] and {x\n" * 400_000
    for text in (f"{prose}Answer: {JSON}", f"{prose.replace(chr(10), ' ')}Answer: {JSON}"):
        assert read_answer(text) == ANSWER
        assert parse_output(text.encode(), OutputFormat.MARKDOWN_JSON, None).value == ANSWER
    with pytest.raises(Unreadable):
        read_answer(f"Answer: {JSON}\n{prose}")


def test_an_unknown_format_is_the_authors_mistake() -> None:
    with pytest.raises(ValueError, match="format is 'yaml'; allowed: json, jsonl, csv, text"):
        read_answer("a", "yaml")


def test_jsonl() -> None:
    assert read_answer('{"a": 1}\n\n{"a": 2}\n', "jsonl") == [{"a": 1}, {"a": 2}]
    assert read_answer('Rows:\n```jsonl\n{"a": 1}\n```', "jsonl") == [{"a": 1}]
    with pytest.raises(Unreadable, match="line 2 is not JSON"):
        read_answer('{"a": 1}\noops', "jsonl")


@pytest.mark.parametrize(
    "text",
    [
        "id,x\nS1, 1.5\nS2,2\n",
        "id;x\r\nS1;1.5\r\nS2;2",
        "id\tx\nS1\t1.5\nS2\t2",
        'Table:\n```csv\n"id","x"\n\nS1,1.5\nS2,2\n```',
    ],
)
def test_csv(text: str) -> None:
    assert read_answer(text, "csv") == [{"id": "S1", "x": "1.5"}, {"id": "S2", "x": "2"}]


def test_csv_that_is_none() -> None:
    with pytest.raises(Unreadable, match="names a column twice"):
        read_answer("a,a\n1,2", "csv")
    with pytest.raises(Unreadable, match="not CSV"):
        read_answer('a,b\n"1"x,2', "csv")
    assert read_answer("a,b\n1", "csv") == [{"a": "1"}]


TEXT = """# Report
Nq: 18.4
**Nc** = 30.1
| Ngamma | 22.4 | - |
- Applied pressure: 350 kPa
nq = 18.5
a line without a mark
"""


@pytest.mark.parametrize(
    ("name", "value"),
    [("Nq", "18.5"), ("nc", "30.1"), ("Ngamma", "22.4"), ("applied_pressure", "350 kPa"), ("x", kit.MISSING)],
)
def test_a_field_of_plain_text_is_its_last_labelled_line(name: str, value: object) -> None:
    assert lookup(read_answer(TEXT, "text"), name) == value


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("", {"a": {"b": [{"c": 5}]}, "x.y": 7}),
        ("a.b.0.c", 5),
        ("a.b[0].c", 5),
        ("x.y", 7),
        ("a.b.1.c", kit.MISSING),
        ("a.z", kit.MISSING),
        ("a.b.first", kit.MISSING),
    ],
)
def test_paths(path: str, value: object) -> None:
    assert lookup({"a": {"b": [{"c": 5}]}, "x.y": 7}, path) == value


def test_only_a_regular_file_is_an_answer(tmp_path: Path) -> None:
    secret = tmp_path / "expected.json"
    secret.write_text(JSON)
    link, pipe, giant = tmp_path / "link.json", tmp_path / "pipe.json", tmp_path / "giant.json"
    link.symlink_to(secret)
    os.mkfifo(pipe)
    with giant.open("wb") as file:
        file.truncate(kit.MAX_BYTES + 1)
    for path, message in (
        (link, "cannot be opened: Too many levels of symbolic links"),
        (pipe, "is not a regular file"),
        (tmp_path, "is not a regular file"),
        (giant, "is larger than 16 MiB"),
    ):
        with pytest.raises(Unreadable, match=message):
            read_bytes(path)
    with pytest.raises(Unreadable, match="there is no file") as raised:
        read_bytes(tmp_path / "absent.json")
    assert raised.value.category == "output missing"
    assert read_bytes(secret) == JSON.encode()


@pytest.mark.parametrize(
    ("name", "content", "answer"),
    [
        ("output.md", f"```\n{JSON}\n```", ANSWER),
        ("rows.jsonl", '{"a": 1}', [{"a": 1}]),
        ("rows.CSV", "a,b\n1,2", [{"a": "1", "b": "2"}]),
        ("report.txt", "a: 1", "a: 1"),
    ],
)
def test_the_suffix_tells_the_format(tmp_path: Path, name: str, content: str, answer: object) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert Verifier.from_file(path, logs=tmp_path / "logs").answer == answer


def test_a_declared_format_wins_over_the_suffix(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text(JSON)
    assert Verifier.from_file(path, format="json", logs=tmp_path / "logs").answer == ANSWER


def test_a_line_that_only_mentions_a_field_is_not_its_value() -> None:
    """Prose with the name in it, and a label that only begins with it, are passed over."""
    text = "The load is heavy\nload: 12 kN\nload factor: 3\nwhat load means\n"
    assert lookup(text, "load") == "12 kN"
