"""The output contract: format and schema, declared or inferred; a schema that cannot be used is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from adjudge.contracts import Origin, OutputFormat
from adjudge.errors import TaskError
from adjudge.tasks import load_task
from support.task_folders import write_task

SCHEMA = {"type": "object", "required": ["flow"], "properties": {"flow": {"type": "number"}}}
SKELETON = '```json\n{"flow": 0.0}\n```\nWrite it to `/workspace/answer.json`.'


@pytest.mark.parametrize(
    ("path", "declared", "expected"),
    [
        ("/workspace/a.json", None, OutputFormat.JSON),
        ("/workspace/a.JSON", None, OutputFormat.JSON),
        ("/workspace/a.jsonl", None, OutputFormat.JSONL),
        ("/workspace/a.csv", None, OutputFormat.CSV),
        ("/workspace/a.yml", None, OutputFormat.YAML),
        ("/workspace/a.toml", None, OutputFormat.TOML),
        ("/workspace/a.xml", None, OutputFormat.XML),
        ("/workspace/a.md", None, OutputFormat.MARKDOWN),
        ("/workspace/a.txt", None, OutputFormat.TEXT),
        ("/workspace/a.py", None, OutputFormat.PYTHON),
        ("/workspace/a", None, OutputFormat.BINARY),
        ("/workspace/a.md", "markdown+json", OutputFormat.MARKDOWN_JSON),
        ("/workspace/a.md", "Markdown", OutputFormat.MARKDOWN),
        ("/workspace/a.out", "yml", OutputFormat.YAML),
        ("/workspace/a.json", "text", OutputFormat.TEXT),
    ],
)
def test_the_format_is_declared_or_follows_the_extension(
    tmp_path: Path, path: str, declared: str | None, expected: OutputFormat
) -> None:
    toml = f'[output]\npath = "{path}"\n' + (f'format = "{declared}"\n' if declared else "")
    output = load_task(write_task(tmp_path / "t", toml=toml)).output
    assert output.format is expected
    assert output.format_origin is (Origin.DECLARED if declared else Origin.INFERRED)


@pytest.mark.parametrize(
    ("toml", "files"),
    [
        ("", {"tests/output.schema.json": json.dumps(SCHEMA)}),
        ("", {"tests/output.schema.json": "\ufeff" + json.dumps(SCHEMA)}),
        ('[output]\nschema = "shape.json"', {"shape.json": json.dumps(SCHEMA)}),
        (
            '[output.schema]\ntype = "object"\nrequired = ["flow"]\nproperties.flow.type = "number"',
            {"tests/output.schema.json": '{"type": "array"}'},
        ),
    ],
)
def test_a_declared_schema_beats_the_skeleton(
    tmp_path: Path, toml: str, files: dict[str, str | bytes]
) -> None:
    output = load_task(write_task(tmp_path / "t", toml=toml, instruction=SKELETON, files=files)).output
    assert output.json_schema == SCHEMA
    assert output.schema_origin is Origin.DECLARED


def test_else_the_skeleton_gives_one_and_says_so(tmp_path: Path) -> None:
    output = load_task(write_task(tmp_path / "t", instruction=SKELETON)).output
    assert output.json_schema == SCHEMA
    assert output.schema_origin is Origin.INFERRED


def test_a_jsonl_skeleton_describes_each_line(tmp_path: Path) -> None:
    toml = '[output]\npath = "/workspace/a.jsonl"\n'
    output = load_task(write_task(tmp_path / "t", toml=toml, instruction=SKELETON)).output
    assert output.json_schema == {"type": "array", "items": SCHEMA}


@pytest.mark.parametrize("name", ["a.csv", "a.xml", "a.txt", "a.py"])
def test_formats_without_json_infer_no_schema(tmp_path: Path, name: str) -> None:
    toml = f'[output]\npath = "/workspace/{name}"\n'
    output = load_task(write_task(tmp_path / "t", toml=toml, instruction=SKELETON)).output
    assert (output.json_schema, output.schema_origin) == (None, None)


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "nosuch"}, "not a usable JSON Schema: at $.type"),
        ({"properties": {"a": {"pattern": "(("}}}, "not a usable JSON Schema: at $.properties.a.pattern"),
        ({"$ref": "#/nowhere"}, "does not exist"),
        ({"$ref": "http://127.0.0.1:9/schema.json"}, "nothing is fetched"),
        ({"$ref": "file:///etc/passwd"}, "nothing is fetched"),
        ({"$schema": "http://example.org/own"}, "not a usable JSON Schema"),
        ([1], "a JSON Schema is an object; found [1]"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused_when_loading(tmp_path: Path, schema: Any, says: str) -> None:
    folder = write_task(tmp_path / "t", files={"tests/output.schema.json": json.dumps(schema)})
    with pytest.raises(TaskError) as caught:
        load_task(folder)
    assert "tests/output.schema.json: " in str(caught.value)
    assert says in str(caught.value)


@pytest.mark.parametrize("text", ["{", "", "[" * 100_000, '{"a":' * 100 + "1" + "}" * 100])
def test_a_schema_file_that_is_not_plain_json_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(TaskError, match=r"output\.schema\.json: "):
        load_task(write_task(tmp_path / "t", files={"tests/output.schema.json": text}))


@pytest.mark.parametrize("path", ["nowhere.json", "../outside.json", "/etc/passwd", "tests"])
def test_a_schema_path_must_be_a_file_of_the_task(tmp_path: Path, path: str) -> None:
    (tmp_path / "outside.json").write_text("{}")
    with pytest.raises(TaskError):
        load_task(write_task(tmp_path / "t", toml=f'[output]\nschema = "{path}"\n'))


def test_a_schema_needs_a_format_with_values(tmp_path: Path) -> None:
    toml = '[output]\npath = "/workspace/a.txt"\n'
    folder = write_task(tmp_path / "t", toml=toml, files={"tests/output.schema.json": json.dumps(SCHEMA)})
    with pytest.raises(TaskError, match="cannot describe an output of format 'text'"):
        load_task(folder)
