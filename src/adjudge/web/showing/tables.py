"""CSV and spreadsheets as rows of text: the first sheet, the first rows and columns, and what is left out."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import ParseError

from adjudge.errors import printable

MOST_ROWS = 200
MOST_COLUMNS = 40
_LONGEST_CELL = 400
_LONGEST_PART = 20 << 20
"""Of a spreadsheet's part, unpacked."""
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


@dataclass(frozen=True)
class TableView:
    """The first row is the head. No rows: this is no table."""

    rows: tuple[tuple[str, ...], ...] = ()
    note: str | None = None


def read_csv(text: str, delimiter: str | None = None) -> TableView:
    """The rows of a CSV file; nothing if it cannot be read as one."""
    if delimiter is None:
        first = text.partition("\n")[0]
        delimiter = max(",;\t", key=first.count)
    try:
        rows = []
        for row in csv.reader(io.StringIO(text), delimiter=delimiter):
            rows.append(row)
            if len(rows) > MOST_ROWS:
                break
    except csv.Error:
        return TableView()
    return _table(rows)


def read_xlsx(data: bytes) -> TableView:
    """The first sheet of a workbook: values as they are stored, no formula is worked out."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            shared = [_text(item) for item in _part(book, "xl/sharedStrings.xml", fromstring)]
            sheets = sorted(n for n in book.namelist() if re.fullmatch(r"xl/worksheets/sheet\d+\.xml", n))
            if not sheets:
                return TableView()
            sheet = next((n for n in sheets if n.endswith("/sheet1.xml")), sheets[0])
            rows = [_cells(row, shared) for row in _rows(_part(book, sheet, fromstring))]
    except (zipfile.BadZipFile, KeyError, ValueError, IndexError, ParseError, DefusedXmlException, OSError):
        return TableView()
    found = _table(rows)
    more = f"; {len(sheets) - 1} more sheets are not shown" if len(sheets) > 1 else ""
    return TableView(found.rows, f"{found.note or 'the first sheet'}{more}")


def _part(book: zipfile.ZipFile, name: str, parse: Any) -> Any:
    if name not in book.namelist():
        return ()
    if book.getinfo(name).file_size > _LONGEST_PART:
        raise ValueError("too large to show")
    with book.open(name) as part:
        return parse(part.read(_LONGEST_PART + 1), forbid_dtd=True)


def _rows(sheet: Any) -> Iterator[Any]:
    for at, row in enumerate(sheet.iter(f"{_MAIN}row")):
        if at > MOST_ROWS:
            return
        yield row


def _cells(row: Any, shared: list[str]) -> list[str]:
    cells: list[str] = []
    for cell in row.iter(f"{_MAIN}c"):
        place = _column(cell.get("r", ""))
        if place is not None and place <= MOST_COLUMNS:
            cells += [""] * (place - len(cells))
        value = cell.find(f"{_MAIN}v")
        text = _text(cell) if value is None else value.text or ""
        cells.append(shared[int(text)] if cell.get("t") == "s" else text)
        if len(cells) > MOST_COLUMNS:
            break
    return cells


def _column(reference: str) -> int | None:
    letters = re.match(r"[A-Z]{1,3}", reference)
    if letters is None:
        return None
    number = 0
    for letter in letters[0]:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _text(node: Any) -> str:
    return "".join(part.text or "" for part in node.iter(f"{_MAIN}t"))


def _table(rows: list[list[str]]) -> TableView:
    rows = [row for row in rows if any(row)]
    wide = max(map(len, rows), default=0)
    if not rows or wide < 2:
        return TableView()
    left_out = []
    if len(rows) > MOST_ROWS:
        left_out.append(f"the first {MOST_ROWS} rows")
    if wide > MOST_COLUMNS:
        left_out.append(f"the first {MOST_COLUMNS} columns")
    width = min(wide, MOST_COLUMNS)
    shown = tuple(
        tuple(printable(cell[:_LONGEST_CELL]) for cell in (*row, *[""] * width)[:width])
        for row in rows[:MOST_ROWS]
    )
    return TableView(shown, " and ".join(left_out) or None)
