"""Annotations as files: one row per annotation, the spec's fields beside the trial's id, as JSONL or CSV.

Two more columns, `chosen` and `probability`, say how the trial was chosen for this review, if that is known.

CSV has the same columns; categories are separated by `;`, or written as a JSON list if one contains it. A
text with characters that do not print (escape sequences, bidirectional overrides) is a JSON string there.
A bad row is a `BadAnnotation` with its line, and the rest goes on. A file is UTF-8 and opened with
`errors="surrogateescape"`, so that a row in another encoding is a bad one, not one with other words.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, TextIO

from msgspec import Struct
from pydantic import ValidationError

from adjudge._escape import escape_json, prints_as_it_is
from adjudge.contracts import Annotation, BadJson, ChosenBy, ReviewSelection, load_json, problem_of
from adjudge.errors import UsageError, describe

COLUMNS = ("trial_id", *Annotation.model_fields, "chosen", "probability")
_LONGEST_ROW = 1 << 20


class AnnotationFormat(StrEnum):
    """How annotations are written down."""

    JSONL = "jsonl"
    CSV = "csv"


class BadAnnotation(Struct, frozen=True):
    """A row that cannot be used: where, and why."""

    line: int
    problem: str


class AnnotationRow(Struct, frozen=True):
    """A row that can."""

    line: int
    trial_id: str
    annotation: Annotation
    selection: ReviewSelection | None = None


def read_annotations(file: TextIO, kind: AnnotationFormat) -> Iterator[AnnotationRow | BadAnnotation]:
    """Every row of a file in its order. Empty lines are passed over; an empty file has no rows."""
    rows = _jsonl(file) if kind is AnnotationFormat.JSONL else _csv(file)
    for line, row in rows:
        yield row if isinstance(row, BadAnnotation) else _parsed(line, row)


def write_annotations(
    rows: Iterable[tuple[str, Annotation, ReviewSelection | None]], file: TextIO, kind: AnnotationFormat
) -> int:
    """Write rows as they come; returns how many. What is written reads back the same."""
    count = 0
    writer = csv.writer(file, lineterminator="\n")
    if kind is AnnotationFormat.CSV:
        writer.writerow(COLUMNS)
    for trial_id, annotation, selection in rows:
        row = {"trial_id": trial_id, **annotation.model_dump(mode="json")}
        if selection is not None:
            row |= {"chosen": selection.method.value, "probability": selection.probability}
        if kind is AnnotationFormat.CSV:
            row["categories"] = _categories_text(row["categories"])
            writer.writerow(["" if row.get(column) is None else _cell(row[column]) for column in COLUMNS])
        else:
            file.write(escape_json(json.dumps(row, ensure_ascii=False)) + "\n")
        count += 1
    return count


def _parsed(line: int, row: dict[str, Any]) -> AnnotationRow | BadAnnotation:
    fields = dict(row)
    trial_id, chosen, probability = (fields.pop(name, None) for name in ("trial_id", "chosen", "probability"))
    if not isinstance(trial_id, str) or not trial_id:
        return BadAnnotation(
            line, describe("a row needs the id of its trial", field="trial_id", found=trial_id)
        )
    try:
        # through JSON, so that a timestamp may be text while every type stays strict
        annotation = Annotation.model_validate_json(json.dumps(fields))
    except ValidationError as error:
        return BadAnnotation(line, str(problem_of(error, model=Annotation)))
    if chosen is None and probability is None:
        return AnnotationRow(line, trial_id, annotation)
    selection = selection_for(annotation, chosen, probability)
    if not isinstance(selection, ReviewSelection):
        return BadAnnotation(line, selection)
    return AnnotationRow(line, trial_id, annotation, selection)


def selection_for(annotation: Annotation, chosen: object, probability: object) -> ReviewSelection | str:
    """How the trial of this annotation was chosen for its reviewer; or what is wrong with these words."""
    if chosen is None:
        return describe(
            "a probability needs the way of choosing beside it",
            field="chosen",
            found=None,
            allowed=", ".join(ChosenBy),
        )
    fields = {"reviewer_id": annotation.reviewer_id, "method": chosen, "probability": probability}
    try:
        return ReviewSelection.model_validate({**fields, "timestamp": annotation.timestamp})
    except ValidationError as error:
        return str(problem_of(error, named=lambda name: "chosen" if name == "method" else name))


def _jsonl(file: TextIO) -> Iterator[tuple[int, dict[str, Any] | BadAnnotation]]:
    for number, text in enumerate(file, start=1):
        if not text.strip():
            continue
        try:
            row = load_json(text.encode("utf-8", "surrogateescape"), max_bytes=_LONGEST_ROW)
        except BadJson as error:
            yield number, BadAnnotation(number, error.worded())
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            yield number, BadAnnotation(number, describe("a row is a JSON object", found=row))


def _csv(file: TextIO) -> Iterator[tuple[int, dict[str, Any] | BadAnnotation]]:
    reader = csv.reader(file, strict=True)
    heading: list[str] | None = None
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield reader.line_num, BadAnnotation(reader.line_num, f"not CSV: {error}")
            continue
        if cells is None:
            return
        if not any(cells):
            continue
        if heading is None:
            heading = [cell.strip().lstrip("\ufeff") for cell in cells]
            _check_heading(heading)
        elif not _is_utf8(cells):
            yield reader.line_num, BadAnnotation(reader.line_num, "not UTF-8")
        elif len(cells) != len(heading):
            problem = f"{len(cells)} cells under {len(heading)} columns"
            yield reader.line_num, BadAnnotation(reader.line_num, problem)
        else:
            yield reader.line_num, _csv_row(dict(zip(heading, cells, strict=True)))


def _is_utf8(cells: list[str]) -> bool:
    try:
        "".join(cells).encode()
    except UnicodeEncodeError:
        return False
    return True


def _check_heading(heading: list[str]) -> None:
    """Without its columns a file cannot be read at all: this one is no bad row but a wrong file."""
    if unknown := [name for name in heading if name not in COLUMNS]:
        raise UsageError(
            "the first line must name the columns", found=", ".join(unknown), allowed=", ".join(COLUMNS)
        )
    if missing := [n for n in ("trial_id", "reviewer_id", "timestamp", "judgment") if n not in heading]:
        raise UsageError(f"the first line lacks {', '.join(missing)}", allowed=", ".join(COLUMNS))


def _csv_row(cells: dict[str, str]) -> dict[str, Any]:
    row: dict[str, Any] = {key: _text(value) for key, value in cells.items() if value != ""}
    if "categories" in row:
        row["categories"] = _categories(row["categories"])
    if "probability" in row:
        row["probability"] = _number(row["probability"])
    return row


def _number(text: str) -> float | str:
    """A number, or the text as it is, which the row's check then names."""
    try:
        return float(text)
    except ValueError:
        return text


def _cell(value: str | float) -> str:
    """The text, or a JSON string if it would steer a terminal, or would be taken for such a string."""
    text = str(value)
    if prints_as_it_is(text) and _text(text) == text:
        return text
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return escape_json(f'"{quoted}"')


def _text(cell: str) -> str:
    """What a cell stands for. A text that merely stands in quotes is itself: only an escape makes it JSON."""
    if cell.startswith('"') and cell.endswith('"') and "\\u" in cell:
        try:
            found = json.loads(cell, strict=False)  # line ends and tabs stay as they are
        except ValueError:
            return cell
        return found if isinstance(found, str) else cell
    return cell


def _categories(text: str) -> list[Any]:
    if text.startswith("["):
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if isinstance(found, list):
            return found
    return [part.strip() for part in text.split(";") if part.strip()]


def _categories_text(categories: list[str]) -> str:
    plain = ";".join(categories)
    return plain if _categories(plain) == categories else json.dumps(categories, ensure_ascii=False)
