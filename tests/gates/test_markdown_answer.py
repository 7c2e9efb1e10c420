"""Finding the JSON answer in Markdown, the way agents write it."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.contracts import Origin, OutputFormat
from adjudge.gates.markdown import NoAnswer, find_answer
from support.no_hang import no_hang
from support.output_reports import judge, reason

ANSWER = {"a": 1, "b": [2]}
TEXT = '{"a": 1, "b": [2]}'
SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "number"}}}
MARKDOWN, WITH_JSON = OutputFormat.MARKDOWN, OutputFormat.MARKDOWN_JSON


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{TEXT}\n```\n",
        f"```JSON\n{TEXT}\n```\n",
        f"```Json title=x\n{TEXT}\n```\n",
        f"``` json\n{TEXT}\n```\n",
        f"```{{.json}}\n{TEXT}\n```\n",
        f"```json5\n{TEXT}\n```\n",
        f"```\n{TEXT}\n```\n",
        f"~~~json\n{TEXT}\n~~~\n",
        f"````json\n{TEXT}\n````\n",
        f"```json\r\n{TEXT}\r\n```\r\n",
        f"# Working\n\nSome prose.\n\n```json\n{TEXT}\n```\n\nDone.\n",
        f"1. Answer:\n\n   ```json\n   {TEXT}\n   ```\n",
        f"- Answer:\n\t```json\n\t{TEXT}\n\t```\n",
        f"```json\n{TEXT}\n",
        f"```json\n{TEXT}",
        f"```json {TEXT}```",
        f"`{TEXT}`",
        TEXT,
        f"\n\n{TEXT}\n\n",
        f"The answer is:\n\n{TEXT}\n",
        f"The answer is {TEXT}.",
        f"{TEXT}\n\nThat is the answer.",
        f"Footnote [1] and a [link](http://x). Answer: {TEXT}",
        f"[link](http://x) starts the text.\n{TEXT}",
        f'```json\n{{"first": 0}}\n```\nNo, rather:\n```json\n{TEXT}\n```\n',
        f"```json\n{TEXT}\n```\n```json\nnot json\n```\n",
        f"```json\n{TEXT}\n```\n```json\n42\n```\n",
        f"```json\n{TEXT}\n```\n```python\nprint({{}})\n```\n",
        f"```python\nx = {{1: 2}}\n```\n```json\n{TEXT}\n```\n",
        f"```\nforgotten fence\n\n```json\n{TEXT}\n```\n",
        f"```markdown\n# Report\n```json\n{TEXT}\n```\n",
        f"````markdown\n# Report\n```json\n{TEXT}\n```\n````\n",
        '```json\n{\n  "a": 1,\n  "b": [\n    2\n  ]\n}\n```',
        f'First {{"x": 0}} and then {TEXT}',
    ],
)
def test_the_answer_is_found(text: str) -> None:
    assert find_answer(text).value == ANSWER
    report = judge("\ufeff" + text, WITH_JSON, schema=SCHEMA)
    assert (report.output_parseable, report.schema_valid, report.errors) == (True, True, ())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Only prose.", "no JSON answer: no fenced JSON block, and no JSON in the text"),
        ("A footnote [1].\n[2] another\n", "no JSON answer: no fenced JSON block, and no JSON in the text"),
        ("[link](http://x)", "no JSON answer: no fenced JSON block, and no JSON in the text"),
        ("```python\n{}\n```", "no JSON answer: no fenced JSON block, and no JSON in the text"),
        ("Sets {a, b} and \\frac{1}{2}.", "no JSON answer: no fenced JSON block, and no JSON in the text"),
        (
            'Text\n\n```json\n{"a": 1,\n',
            "truncated: the JSON block that starts at line 4 is never closed; "
            "the JSON ends early, in what begins at line 5, column 1",
        ),
        (
            'Text\n```json\n{"a": {"b": 1},',
            "truncated: the JSON block that starts at line 3 is never closed; "
            "the JSON ends early, in what begins at line 3, column 16",
        ),
        ("```json\n", "the JSON block that starts at line 2 is empty"),
        ("```json\n\n```", "the JSON block that starts at line 2 is empty"),
        (
            "x\n```json\n{'a': 1}\n```\n",
            "the last JSON block is broken: not JSON: "
            "Expecting property name enclosed in double quotes at line 3, column 2",
        ),
        (
            'x\n```json\n{"a": NaN}\n```\n',
            "the last JSON block is broken: not JSON: NaN is not a JSON value, at line 3, column 7",
        ),
        (
            '```json\n{"a": {"b": 1}, oops}\n```',
            "the last JSON block is broken: not JSON: "
            "Expecting property name enclosed in double quotes at line 2, column 17",
        ),
        ('{"a": {"b": 1}, ', "truncated: the JSON ends early, in what begins at line 1, column 17"),
    ],
)
def test_no_answer_says_what_came_nearest(text: str, says: str) -> None:
    """A piece of a broken answer is not the answer: {"b": 1} above never counts."""
    report = judge(text, WITH_JSON)
    assert (report.output_parseable, report.schema_valid) == (False, False)
    assert reason(report) == says


def test_in_plain_markdown_a_missing_answer_never_forces_a_zero() -> None:
    """The verifier may be more tolerant than we are; the report says that the expectation was inferred."""
    report = judge("Only prose.", MARKDOWN, schema=SCHEMA, origin=Origin.INFERRED)
    assert report.output_parseable is True
    assert report.schema_valid is False
    assert [error.split(": ", 1)[1] for error in report.errors] == [
        "no JSON answer: no fenced JSON block, and no JSON in the text",
        "the expected shape was inferred from the JSON example in the instruction, not declared",
    ]
    declared = judge("Only prose.", MARKDOWN, schema=SCHEMA)
    assert (declared.output_parseable, declared.schema_valid) == (True, False)
    assert "inferred" not in "".join(declared.errors)


def test_without_a_schema_any_text_is_markdown() -> None:
    assert judge("Only prose.", MARKDOWN).schema_valid
    assert judge("Only prose.", OutputFormat.TEXT).schema_valid


@pytest.mark.parametrize("kind", [MARKDOWN, WITH_JSON, OutputFormat.TEXT])
@pytest.mark.parametrize("data", [b"", b"\n \n", b"caf\xe9"])
def test_empty_blank_and_other_bytes_are_no_text(kind: OutputFormat, data: bytes) -> None:
    assert judge(data, kind).output_parseable is False


def test_an_inferred_shape_that_differs_says_so_once() -> None:
    report = judge('```json\n{"A": 1}\n```', MARKDOWN, schema=SCHEMA, origin=Origin.INFERRED)
    assert report.output_parseable is True
    assert [error.split(": ", 1)[1] for error in report.errors] == [
        "$: keys are missing: 'a'; found an object with the keys 'A'",
        "the expected shape was inferred from the JSON example in the instruction, not declared",
    ]


def test_of_a_very_long_text_the_end_is_searched_and_lines_are_still_right() -> None:
    prose = "word\n" * 1_000_000
    assert find_answer(f"{prose}```json\n{TEXT}\n```\n").value == ANSWER
    with pytest.raises(NoAnswer, match="at line 1000002, column 2"):
        find_answer(f"{prose}```json\n{{'a': 1}}\n```\n")
    with pytest.raises(NoAnswer, match="no JSON answer"):
        find_answer(f"```json\n{TEXT}\n```\n{prose}")


@pytest.mark.parametrize(
    "text",
    [
        '{"' * 200_000,
        '{"a":\n' * 200_000,
        "[\n" * 200_000,
        "```json\n{\n" * 100_000,
        "```\n" * 300_001,
        '{"a": "' * 100_000,
        "[1]\n" * 200_000,
        "~~~" * 300_000,
        " " * 1_000_000 + "`",
    ],
)
def test_hostile_text_is_read_in_reasonable_time(text: str) -> None:
    with no_hang(), contextlib.suppress(NoAnswer):
        find_answer(text)


@given(st.text(alphabet='`~{}[]":,a1 \n\r\\jsonNa', max_size=80))
def test_it_never_raises_anything_else(text: str) -> None:
    with contextlib.suppress(NoAnswer):
        assert isinstance(find_answer(text).value, dict | list)
