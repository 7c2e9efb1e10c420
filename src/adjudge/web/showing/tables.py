"""CSV and spreadsheets as rows of text: the first sheet, the first rows and columns, and what is left out."""

from __future__ import annotations

import csv
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Any
from xml.etree.ElementTree import ParseError

from msgspec import Struct

from adjudge.errors import printable

MOST_ROWS = 200
MOST_COLUMNS = 40
_LONGEST_CELL = 400
_LONGEST_PART = 20 << 20
"""Of a spreadsheet's part, unpacked."""
_MOST_NODES = 100_000
"""Beginnings and ends of elements within one row or one shared string."""
_SHARED = "xl/sharedStrings.xml"
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


class TableView(Struct, frozen=True):
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

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            names = book.namelist()
            sheets = sorted(n for n in names if re.fullmatch(r"xl/worksheets/sheet\d+\.xml", n))
            if not sheets:
                return TableView()
            sheet = next((n for n in sheets if n.endswith("/sheet1.xml")), sheets[0])
            rows = [_cells(row) for row in islice(_nodes(book, sheet, "row"), MOST_ROWS + 1)]
            last = max((c.shared for row in rows for c in row if c.shared is not None), default=-1)
            shared = [_text(n)[:_LONGEST_CELL] for n in islice(_nodes(book, _SHARED, "si"), last + 1)]
            texts = [[c.text if c.shared is None else shared[c.shared] for c in row] for row in rows]
    except (zipfile.BadZipFile, lzma.LZMAError, zlib.error, ParseError, DefusedXmlException):
        return TableView()  # what packs and what is packed may be broken anywhere
    except (
        LookupError,
        ValueError,
        RuntimeError,
        EOFError,
        OSError,
    ):  # encrypted, or packed as nobody does
        return TableView()
    found = _table(texts)
    more = f"; {len(sheets) - 1} more sheets are not shown" if len(sheets) > 1 else ""
    return TableView(found.rows, f"{found.note or 'the first sheet'}{more}")


class _Cell(Struct, frozen=True):
    """A cell's text, or its number among the shared strings."""

    text: str = ""
    shared: int | None = None


def _nodes(book: zipfile.ZipFile, name: str, kind: str) -> Iterator[Any]:
    """The elements of a kind, one at a time, each forgotten after it; ValueError if one is a tree of trees.

    A few kilobytes may unpack to millions of elements: no more is read than is asked for or than is bounded.
    """
    from defusedxml.ElementTree import iterparse

    if book.getinfo(name).file_size > _LONGEST_PART:
        raise ValueError("too large to show")
    with book.open(name) as part:
        root, since = None, 0
        for event, node in iterparse(part, events=("start", "end"), forbid_dtd=True):
            root = node if root is None else root
            since += 1
            if since > _MOST_NODES:
                raise ValueError("too large to show")
            if event == "end" and node.tag == f"{_MAIN}{kind}":
                yield node
                node.clear()
                root.clear()
                since = 0


def _cells(row: Any) -> list[_Cell]:
    cells: list[_Cell] = []
    for cell in row.iter(f"{_MAIN}c"):
        place = _column(cell.get("r", ""))
        if place is not None and place <= MOST_COLUMNS:
            cells += [_Cell()] * (place - len(cells))
        value = cell.find(f"{_MAIN}v")
        text = _text(cell) if value is None else value.text or ""
        if cell.get("t") == "s" and (number := int(text)) >= 0:
            cells.append(_Cell(shared=number))
        else:
            cells.append(_Cell(text[:_LONGEST_CELL]))
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
