"""What a task's output must look like: its format and, if known, its JSON Schema.

Declared beats inferred. Only a declared format may find an output unparseable; one that follows from the
extension, like a schema read off the instruction's skeleton, only ever informs.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from adjudge.contracts import BadJson, Origin, OutputContract, OutputFormat, check_json, parse_json
from adjudge.errors import TaskError
from adjudge.tasks.output_path import Answer
from adjudge.tasks.schema import check_schema
from adjudge.tasks.settings import Settings, toml_as_json
from adjudge.tasks.skeleton import infer_schema

SCHEMA_FILE = "tests/output.schema.json"
EXTENSIONS = {
    ".json": OutputFormat.JSON,
    ".geojson": OutputFormat.JSON,
    ".jsonl": OutputFormat.JSONL,
    ".ndjson": OutputFormat.JSONL,
    ".csv": OutputFormat.CSV,
    ".yaml": OutputFormat.YAML,
    ".yml": OutputFormat.YAML,
    ".toml": OutputFormat.TOML,
    ".xml": OutputFormat.XML,
    ".md": OutputFormat.MARKDOWN,
    ".markdown": OutputFormat.MARKDOWN,
    ".txt": OutputFormat.TEXT,
    ".py": OutputFormat.PYTHON,
    ".ipynb": OutputFormat.NOTEBOOK,
    ".xlsx": OutputFormat.XLSX,
    ".pdf": OutputFormat.PDF,
    ".zip": OutputFormat.ZIP,
    ".png": OutputFormat.IMAGE,
    ".jpg": OutputFormat.IMAGE,
    ".jpeg": OutputFormat.IMAGE,
    ".gif": OutputFormat.IMAGE,
    ".webp": OutputFormat.IMAGE,
    ".bmp": OutputFormat.IMAGE,
    ".tif": OutputFormat.IMAGE,
    ".tiff": OutputFormat.IMAGE,
    ".parquet": OutputFormat.PARQUET,
}
_ALIASES = {
    "md": OutputFormat.MARKDOWN,
    "md+json": OutputFormat.MARKDOWN_JSON,
    "ndjson": OutputFormat.JSONL,
    "txt": OutputFormat.TEXT,
    "yml": OutputFormat.YAML,
}
_WITHOUT_SHAPE = frozenset(
    {
        OutputFormat.XML,
        OutputFormat.TEXT,
        OutputFormat.BINARY,
        OutputFormat.PYTHON,
        OutputFormat.XLSX,
        OutputFormat.PDF,
        OutputFormat.ZIP,
        OutputFormat.IMAGE,
        OutputFormat.PARQUET,
    }
)


def read_output_contract(
    settings: Settings, answer: Answer, instruction: str, read: Callable[[str], str | None]
) -> OutputContract:
    """The contract of one task. `read` gives the text of a file of the task by relative path, or None."""
    declared = settings.text("output", "format")
    kind = _declared_format(settings, declared) if declared is not None else _format_of(answer)
    format_origin = Origin.INFERRED if declared is None else Origin.DECLARED
    schema = _declared_schema(settings, read)
    where: dict[str, Any] = {
        "paths": list(answer.paths),
        "path_origin": answer.origin,
        "is_folder": answer.is_folder,
    }
    if schema is not None:
        if kind in _WITHOUT_SHAPE:
            raise TaskError(
                f"a JSON Schema cannot describe an output of format {kind.value!r}",
                file=settings.file,
                field="[output] format",
                allowed="a format with values: "
                + ", ".join(f for f in OutputFormat if f not in _WITHOUT_SHAPE),
                remedy="Declare such a format, or remove the schema.",
            )
        return OutputContract(
            format=kind,
            format_origin=format_origin,
            json_schema=schema,
            schema_origin=Origin.DECLARED,
            **where,
        )
    inferred = None if kind in _WITHOUT_SHAPE or kind is OutputFormat.CSV else infer_schema(instruction)
    if inferred is not None and kind is OutputFormat.JSONL and inferred["type"] == "object":
        inferred = {"type": "array", "items": inferred}
    return OutputContract(
        format=kind,
        format_origin=format_origin,
        json_schema=inferred,
        schema_origin=None if inferred is None else Origin.INFERRED,
        **where,
    )


def _declared_format(settings: Settings, name: str) -> OutputFormat:
    lower = name.strip().lower()
    try:
        return _ALIASES[lower] if lower in _ALIASES else OutputFormat(lower)
    except ValueError:
        raise settings.bad("output", "format", name, ", ".join(OutputFormat)) from None


def _format_of(answer: Answer) -> OutputFormat:
    """By extension; of a folder or an unknown one nothing is known, so the output only has to be there."""
    if answer.is_folder:
        return OutputFormat.BINARY
    return EXTENSIONS.get(PurePosixPath(answer.paths[0]).suffix.lower(), OutputFormat.BINARY)


def _declared_schema(settings: Settings, read: Callable[[str], str | None]) -> dict[str, Any] | None:
    """`[output] schema` (a table, or a path in the task), else `tests/output.schema.json`, else None."""
    declared = settings.section("output").get("schema")
    if isinstance(declared, dict):
        return _usable(declared, file=settings.file, field="[output.schema]")
    if declared is None:
        text = read(SCHEMA_FILE)
        return None if text is None else _parsed(text, file=settings.file.parent / SCHEMA_FILE)
    path = settings.text("output", "schema")
    text = read(path) if path is not None else None
    if text is None:
        raise settings.bad("output", "schema", path, "the path of a file in this task, or a table")
    return _parsed(text, file=settings.file.parent / str(path))


def _parsed(text: str, *, file: object) -> dict[str, Any]:
    try:
        schema = parse_json(text.removeprefix("\ufeff"), told=[])
    except BadJson as error:
        raise TaskError(str(error), file=file, remedy="Correct the schema.") from error
    return _usable(schema, file=file, field=None)


def _usable(schema: Any, *, file: object, field: str | None) -> dict[str, Any]:
    try:
        schema = toml_as_json(schema)
        check_json(schema)  # before it is compiled: what nests without end must not reach a compiler
        problem = check_schema(schema)
    except ValueError as error:
        problem = str(error)
    if problem is not None:
        raise TaskError(
            problem, file=file, field=field, remedy="Correct the schema; references must stay in it."
        )
    return dict(schema)
