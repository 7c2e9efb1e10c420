"""What the files of data beside a verifier hold, and the inputs that the agent is given. Nothing is run.

A reference may stand in a file of any make: JSON, YAML, TOML, a table with a header or without, lines such as
`Q1 B` or `flow=12.5`, a dump of SQL. Cells of a table are numbers where they look like numbers;
the functions of a verifier get them as the texts that its reader would give.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from adjudge.audit.documents import KINDS, open_document
from adjudge.contracts import Task
from adjudge.scoring import files_of_image

Reference = tuple[str, str, Any]

_MAX_BYTES = 1 << 18
_MAX_FILES = 40
_MAX_ROWS = 200
_TABLES = frozenset({".csv", ".tsv", ".tab", ".psv"})
_LINES = frozenset(
    {"", ".txt", ".dat", ".lst", ".list", ".key", ".keys", ".ref", ".exp", ".expected", ".golden", ".gold"}
    | {".truth", ".answer", ".answers", ".want", ".properties", ".env", ".ini", ".cfg", ".conf"}
)
_MARKS = ("\t", ";", "|", ",", "=", ":")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d+)?(?:[eE][-+]?\d+)?")
_NAME = re.compile(r"[A-Za-z_][\w .%/()-]*")
_VALUES = re.compile(r"insert\s+into\s+[\"`\[]?(\w+)[^;]*?\bvalues\b([^;]*)", re.I)
_TUPLE = re.compile(r"\(((?:'(?:[^']|'')*'|[^()'])*)\)")


def data_beside(task: Task) -> list[Reference]:
    """(file, what, value) of the verifier's files of data, with the texts of tables as they stand."""
    tests = task.folder / "tests"
    paths = (path for path in sorted(tests.rglob("*")) if path.is_file() and not path.is_symlink())
    usable = (path for path in paths if path.stat().st_size <= _MAX_BYTES)
    return [
        (path.relative_to(tests).as_posix(), what, value)
        for path in islice(usable, _MAX_FILES)
        for what, value in _held(path.suffix.lower(), path.read_bytes())
    ]


def inputs_given(task: Task) -> list[Reference]:
    """The same of the inputs that the agent is given, by their paths."""
    return [
        (path, what, value)
        for path, file in islice(files_of_image(task).items(), _MAX_FILES)
        if len(file.data) <= _MAX_BYTES
        for what, value in _held(Path(path).suffix.lower(), file.data)
    ]


def as_numbers(value: Any) -> Any:
    """A value with a number in place of each text that looks like one."""
    if isinstance(value, dict):
        return {key: as_numbers(child) for key, child in value.items()}
    if isinstance(value, list):
        return [as_numbers(child) for child in value]
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value) if value.lstrip("-").isdigit() else float(value)
    return value


def _held(ending: str, data: bytes) -> Iterator[tuple[str, Any]]:
    """(what, value) of each way in which a file of this ending may be read; nothing if it is damaged."""
    text = data.decode("utf-8-sig", "replace")
    try:
        if ending == ".json":
            yield "the data", json.loads(text)
        elif ending in (".jsonl", ".ndjson"):
            yield "the lines", [json.loads(line) for line in text.splitlines()[:_MAX_ROWS] if line.strip()]
        elif ending in (".yaml", ".yml", ".toml"):
            document = open_document(data, KINDS[ending])
            if document is not None:
                yield "the data", document.value
        elif ending == ".sql":
            yield from _inserted(text)
        elif ending in _TABLES or ending in _LINES:
            yield from _lined(text, table=ending in _TABLES)
    except (ValueError, RecursionError, csv.Error):
        return


def _inserted(text: str) -> Iterator[tuple[str, Any]]:
    """The rows that a dump of SQL inserts, by table."""
    tables: dict[str, list[list[Any]]] = {}
    for match in _VALUES.finditer(text):
        for row in _TUPLE.findall(match[2]):
            cells = next(csv.reader([row], quotechar="'", skipinitialspace=True))
            tables.setdefault(match[1], []).append([cell.strip() for cell in cells])
    yield from ((name, rows[:_MAX_ROWS]) for name, rows in tables.items())


def _lined(text: str, *, table: bool) -> Iterator[tuple[str, Any]]:
    """Lines of cells: as records if the first has the names, else as rows, or as names with their values."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    rows = _cells(lines[: _MAX_ROWS + 1])
    if not rows:
        return
    width = len(rows[0])
    if width == 1:
        yield "the lines", [row[0] for row in rows]
        return
    head = rows[0]
    named = len(set(head)) == width and all(_NAME.fullmatch(cell) for cell in head)
    if named and len(rows) > 1 and (table or any(_NUMBER.fullmatch(c) for row in rows[1:] for c in row)):
        yield "the rows", [dict(zip(head, row, strict=True)) for row in rows[1:]]
    if width == 2 and len({row[0] for row in rows}) == len(rows):
        yield "the lines", dict(rows)
    yield "the rows", rows


def _cells(lines: list[str]) -> list[list[str]]:
    """The cells of lines that have as many each, by the first mark that parts them so; else a line is one."""
    for mark in _MARKS:
        if lines and all(mark in line for line in lines):
            rows = [next(csv.reader(io.StringIO(line), delimiter=mark)) for line in lines]
            if len({len(row) for row in rows}) == 1:
                return [[cell.strip() for cell in row] for row in rows]
    words = [line.split() for line in lines]
    if len({len(row) for row in words}) == 1:
        return words
    return [[line.strip()] for line in lines]
