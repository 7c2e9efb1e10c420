"""CSV: a header row, then rows. A schema sees an array of objects, one for each row.

Cells are text; for the schema an empty cell is null, a JSON number is that number, true and false are
booleans and the rest are strings, except in columns to which the schema gives the type string. Only a
quoted cell that never ends makes a CSV unparseable; rows of another length than the header's are a problem
of the shape.
"""

from __future__ import annotations

import csv
import io
import re
from typing import Any

from adjudge.gates.parsed import MAX_VALUES, Parsed, Unparseable

_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,300})(?:\.\d+)?(?:[eE][-+]?\d{1,2})?")
_MAX_RAGGED = 5


def parse_csv(text: str, schema: dict[str, Any] | None) -> Parsed:
    """The rows of a table. Raises Unparseable if the last quoted cell is never closed."""
    if text.count(",") + text.count("\n") > MAX_VALUES:
        raise Unparseable(f"more than {MAX_VALUES} cells, which is more than is read")
    rows, problems = _rows(text)
    if not rows:
        raise Unparseable("the CSV holds no row, not even a header")
    header, body = rows[0][1], rows[1:]
    if len(set(header)) < len(header):
        problems.append("two columns have the same name")
    ragged = [(line, len(row)) for line, row in body if len(row) != len(header)]
    problems.extend(
        f"the row that ends at line {line} has {count} cells, the header {len(header)}"
        for line, count in ragged[:_MAX_RAGGED]
    )
    kept = _text_columns(schema)
    values = [
        {
            name: _text(cell, kept[name]) if name in kept else _value(cell)
            for name, cell in zip(header, row, strict=False)
        }
        for _, row in body
    ]
    return Parsed(values, True, tuple(problems))


def _rows(text: str) -> tuple[list[tuple[int, list[str]]], list[str]]:
    """Rows with the line each ends at; blank lines are no rows."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # a long cell is still a cell
    try:
        return _read(text, strict=True), []
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            raise Unparseable("truncated: a quoted cell is never closed") from None
        problem = f"text follows a closing quote: {error}"
    try:
        return _read(text, strict=False), [problem]
    except csv.Error as error:
        raise Unparseable(f"not CSV: {error}") from None


def _read(text: str, *, strict: bool) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=strict)
    return [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row) or len(row) > 1]


def _text_columns(schema: dict[str, Any] | None) -> dict[str, bool]:
    """Columns that the schema wants as text, where 2024 is no number; and whether they may be null."""
    items = (schema or {}).get("items")
    columns = items.get("properties") if isinstance(items, dict) else None
    if not isinstance(columns, dict):
        return {}
    wanted = {
        name: {rule["type"]} if isinstance(rule["type"], str) else set(rule["type"])
        for name, rule in columns.items()
        if isinstance(rule, dict) and "type" in rule
    }
    return {name: "null" in types for name, types in wanted.items() if types - {"null"} == {"string"}}


def _text(cell: str, nullable: bool) -> str | None:
    return None if nullable and not cell.strip() else cell


def _value(cell: str) -> Any:
    text = cell.strip()
    if not text:
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if not _NUMBER.fullmatch(text):
        return cell
    return int(text) if text.lstrip("-").isdigit() else float(text)
