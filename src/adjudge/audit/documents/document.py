"""An answer as a value that can be changed and written again in its own format.

`open_document` reads the bytes of an answer; `Document.render` writes any value of the same kind. Where a
format has no values (prose, XML), the numbers in the text are the values, and only they change. What cannot
be read at all has no document.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from adjudge.audit.documents.databases import MAGIC, read_database, write_database
from adjudge.audit.documents.leaves import CODE_NUMBER
from adjudge.audit.documents.lines import NAME_LINE, read_lines
from adjudge.audit.documents.prose import find_block, number_document
from adjudge.audit.documents.tables import read_numbered, read_settings, read_table
from adjudge.contracts import OutputFormat
from adjudge.tasks import toml_as_json

KINDS = {
    ".json": OutputFormat.JSON,
    ".jsonl": OutputFormat.JSONL,
    ".csv": OutputFormat.CSV,
    ".yaml": OutputFormat.YAML,
    ".yml": OutputFormat.YAML,
    ".toml": OutputFormat.TOML,
    ".md": OutputFormat.MARKDOWN,
    ".txt": OutputFormat.TEXT,
    ".tsv": OutputFormat.TEXT,
}
"""What can be taken apart, by a file's ending: data before prose."""
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_CELL_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_RAW = re.compile(rb"""(["'])@@([^"'@\n]+)@@\1|@@([^"'@\n,]+)@@""")
_AGAIN = re.compile(rb"@@\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_ALIKE = 3
_MOST_NAMES = 500
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class Document(Struct, frozen=True):
    """A value, and how to write one like it."""

    value: Any
    render: Callable[[Any], bytes]
    structured: bool = True
    """False if the values are the numbers in a text: nothing can be added or moved there."""
    by_place: bool = False
    """Is it a text laid out in lines or columns, whose order may be part of what is asked for?"""


def raw_number(text: str) -> str:
    """A number in a spelling that no writer gives it, such as 1e999: `unquoted` takes its quotes away."""
    return f"@@{text}@@"


def key_again(key: str, number: int) -> str:
    """The same key once more: `unquoted` makes it the same."""
    return f"{key}@@{number}"


def unquoted(data: bytes) -> bytes:
    """Written output in which raw numbers stand as they are and keys may stand several times."""
    if b"@@" not in data:
        return data
    return _AGAIN.sub(b"", _RAW.sub(lambda m: m[2] or m[3], data))


def open_document(data: bytes, kind: OutputFormat) -> Document | None:
    """The document in an output; None if nothing in it can be changed with sense."""
    if data.startswith(MAGIC):
        tables = read_database(data)
        return None if tables is None else Document(tables, lambda value: write_database(data, value))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    reader = _READERS.get(kind, _prose)
    try:
        found = reader(text)
    except (ValueError, RecursionError, csv.Error):
        found = None
    return found if found is not None else _numbers(text)


def open_as_text(data: bytes) -> Document | None:
    """The numbers of an output, whatever its format: all else is written to the byte as it was."""
    try:
        return _numbers(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return None


def write_json(value: Any) -> str:
    """JSON as people write it. NaN is written as Python does, which is what some probes are about."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _numbers(text: str) -> Document | None:
    found = number_document(text)
    return None if found is None else Document(found[0], found[1], structured=False)


def _json(text: str) -> Document | None:
    value = json.loads(text)
    return (
        Document(value, lambda v: f"{write_json(v)}\n".encode()) if isinstance(value, dict | list) else None
    )


def _jsonl(text: str) -> Document:
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    return Document(rows, lambda v: "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in v).encode())


def _prose(text: str) -> Document | None:
    """Markdown with its JSON answer in place, one table, lines of names and values, or a numbered list."""
    block = find_block(text)
    if block is None:
        readers = (read_table, read_settings, read_numbered)
        found = next((read for reader in readers if (read := reader(text, _cell, _written))), None)
        return None if found is None else Document(*found, by_place=True)
    return Document(block.value, lambda v: block.around(write_json(v)).encode())


def _names(text: str) -> Document | None:
    """Names, one per line, or a single one; None for prose, and for lines that are only numbers."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or len(lines) > _MOST_NAMES:
        return None
    if not (all(NAME_LINE.fullmatch(line) for line in lines) or _are_tuples(lines)):
        return None
    return Document(lines[0] if len(lines) == 1 else lines, _write_names)


def _are_tuples(lines: list[str]) -> bool:
    """Is every line two names, or every line three, such as `P1 B3`? Each has a digit, unlike prose."""
    words = [line.split() for line in lines]
    alike = len(lines) > 2 and {len(line) for line in words} in ({2}, {3})
    return alike and all(
        NAME_LINE.fullmatch(word) and re.search(r"\d", word) for line in words for word in line
    )


def _write_names(value: Any) -> bytes:
    items = value if isinstance(value, list) else [value]
    return "".join(f"{_written(item)}\n" for item in items).encode()


def _lines(text: str) -> Document | None:
    found = read_lines(text, _cell, _written)
    return None if found is None else Document(*found, by_place=True)


def _numbers_in_lines(text: str) -> Document | None:
    """One number in each line, three lines at least."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not _LEAST_ALIKE <= len(lines) <= _MOST_NAMES or not all(map(_CELL_NUMBER.fullmatch, lines)):
        return None
    return Document([_cell(line) for line in lines], _write_names, by_place=True)


class _CellNumber(float):
    """A number of a table that is written as it was read: `1800.00` stays so in whoever compares texts."""

    text: str

    def __new__(cls, text: str | float) -> _CellNumber:
        number = super().__new__(cls, text)
        number.text = str(text)
        return number

    def __getnewargs__(self) -> tuple[str]:  # type: ignore[override]  # what a copy is made from
        return (self.text,)

    def __str__(self) -> str:
        return self.text


def _csv(text: str) -> Document | None:
    head = text.lstrip().partition("\n")[0]
    separator = max(",;\t", key=head.count)
    if not head.count(separator):
        return None
    first = next(csv.reader([head], delimiter=separator), [])
    rows_of_cells = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]
    if _is_data(first) or _is_like_the_rest(rows_of_cells):
        return _bare_csv(text, separator)
    rows = list(csv.DictReader(io.StringIO(text), delimiter=separator))
    if not rows:
        return None
    columns = [name for name in rows[0] if name is not None]
    values = [{name: _cell(row[name] or "") for name in columns} for row in rows]

    return Document(values, lambda value: write_csv(value, columns, separator))


def _is_data(row: list[str]) -> bool:
    """Is a first row no header? Then all its cells are numbers, or one of them has a decimal point."""
    numbers = [cell.strip() for cell in row if _CELL_NUMBER.fullmatch(cell.strip())]
    return len(numbers) == len(row) or any("." in number for number in numbers)


def _is_like_the_rest(rows: list[list[str]]) -> bool:
    """Has a first row one number, where all others have one as well? A year may be the name of a column."""
    numbers = [[bool(_CELL_NUMBER.fullmatch(cell.strip())) for cell in row] for row in rows]
    if len(rows) < _LEAST_ALIKE or sum(numbers[0]) != 1 or len({len(row) for row in rows}) > 1:
        return False
    place = numbers[0].index(True)
    return all(row[place] for row in numbers) and not _YEAR.fullmatch(rows[0][place].strip())


def _rows_of_numbers(text: str) -> Document | None:
    """`-117.504,35.708`: a text of which every line is as many numbers, with a mark between them."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for mark in ",;\t" if len(lines) <= _MOST_NAMES else "":
        rows = [[cell.strip() for cell in line.split(mark)] for line in lines]
        numbers = all(_CELL_NUMBER.fullmatch(cell) for row in rows for cell in row)
        thousands = mark == "," and any(_THOUSANDS.fullmatch(line) for line in lines)
        if rows and numbers and not thousands and {len(row) for row in rows} == {len(rows[0])} != {1}:
            return _bare_csv("\n".join(lines) + "\n", mark)
    return None


def _bare_csv(text: str, separator: str) -> Document:
    """Rows without a header: the columns are named by their places, and the names are not written."""
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]
    values = [{f"column {n + 1}": _cell(cell) for n, cell in enumerate(row)} for row in rows]
    columns = list(values[0])

    def render(value: Any) -> bytes:
        return write_csv(value, columns, separator).partition(b"\n")[2]

    return Document(values, render)


def write_csv(value: Any, columns: list[str], separator: str) -> bytes:
    """Rows under a header: the columns that any row has, known ones first. What is no row has one cell."""
    stream = io.StringIO()
    records = [row for row in value if isinstance(row, dict)]
    names = list(dict.fromkeys([*columns, *(key for row in records for key in row)]))
    kept = [name for name in names if any(name in row for row in records)] or columns
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerow(kept)
    for row in value:
        known = row if isinstance(row, dict) else {kept[0]: row}
        writer.writerow([_written(known.get(name, "")) for name in kept])
    return stream.getvalue().encode()


def _cell(text: str) -> Any:
    text = text.strip()
    if not _CELL_NUMBER.fullmatch(text) or CODE_NUMBER.match(text):
        return text
    return int(text) if re.fullmatch(r"-?(0|[1-9]\d{0,14})", text) else _CellNumber(text)


def _written(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _yaml(text: str) -> Document | None:
    import yaml

    from adjudge.audit.documents.yaml_values import YamlText

    try:
        read = YamlText(text)
    except yaml.YAMLError:
        return None
    return Document(read.value, read.render) if isinstance(read.value, dict | list) else None


def _toml(text: str) -> Document:
    return Document(toml_as_json(tomllib.loads(text)), lambda v: write_toml(v).encode())


def write_toml(table: dict[str, Any], above: str = "") -> str:
    """Plain keys first, then tables; lists of tables as inline tables, which TOML allows anywhere."""
    plain = [f"{_key(k)} = {_toml_value(v)}\n" for k, v in table.items() if not isinstance(v, dict)]
    inner = [(f"{above}.{_key(k)}" if above else _key(k), v) for k, v in table.items() if isinstance(v, dict)]
    return "".join(plain) + "".join(f"\n[{name}]\n{write_toml(child, name)}" for name, child in inner)


def _toml_value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_toml_value(v)}" for k, v in value.items()) + "}"
    if value is None:
        return '""'
    return json.dumps(value, ensure_ascii=False).replace("NaN", "nan").replace("Infinity", "inf")


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else json.dumps(name)


_READERS: dict[OutputFormat, Callable[[str], Document | None]] = {
    OutputFormat.JSON: _json,
    OutputFormat.JSONL: _jsonl,
    OutputFormat.CSV: _csv,
    OutputFormat.YAML: _yaml,
    OutputFormat.TOML: _toml,
    OutputFormat.TEXT: lambda text: (
        _names(text) or _numbers_in_lines(text) or _rows_of_numbers(text) or _lines(text) or _prose(text)
    ),
    OutputFormat.BINARY: lambda text: _lines(text) or _prose(text),
}
