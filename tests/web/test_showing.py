"""An agent's file is shown by what it is, and nothing in it is a tag, a script or an address to load."""

from __future__ import annotations

import io
import re
import tracemalloc
import zipfile

import pytest

from adjudge.web.pages.trial import raw_file
from adjudge.web.showing.tables import MOST_ROWS
from adjudge.web.showing.text import render_markdown
from adjudge.web.showing.view import LONGEST_TEXT, view_of
from support.report_ledgers import HOSTILE

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.md", b"# hello", "markdown"),
        ("a.json", b'{"b": 1}', "source"),
        ("a.txt", b' {"b": 1}', "source"),
        ("a.json", b'{"b": ', "source"),
        ("a.csv", b"a,b\n1,2\n", "table"),
        ("a.csv", b"just words", "text"),
        ("a.py", b"x = 1", "source"),
        ("a.png", PNG, "image"),
        ("a.txt", PNG, "image"),
        ("a.pdf", b"%PDF-1.7 ...", "pdf"),
        ("a.svg", b"<svg onload=alert(1)>", "source"),
        ("a.html", b"<script>alert(1)</script>", "source"),
        ("a.bin", b"a\0b", "binary"),
        ("a.xlsx", b"PK\x03\x04 broken", "binary"),
        ("a", b"plain", "text"),
        ("a", b"", "text"),
    ],
)
def test_the_kind_follows_from_name_and_bytes(name: str, data: bytes, kind: str) -> None:
    assert view_of(name, data).kind == kind


@pytest.mark.parametrize("name", ["a.md", "a.json", "a.csv", "a.py", "a.html", "a.xml", "a.txt", "a.toml"])
def test_hostile_text_becomes_no_tag(name: str) -> None:
    view = view_of(name, f"a,b\n{HOSTILE},2\n[x](javascript:alert(1)) ![y](http://e/x.png)".encode())
    assert "<script" not in view.html
    assert "<img" not in view.html
    assert "\x1b" not in view.html + view.text
    assert "\u202e" not in view.html + view.text + str(view.rows)


@pytest.mark.parametrize(
    ("levels", "shown"),
    [
        ([1, 2, 3], [3, 4, 5]),
        ([2, 2], [3, 3]),
        ([1, 4, 2, 6], [3, 4, 4, 5]),
        ([1, 2, 3, 4, 5, 6], [3, 4, 5, 6, 6, 6]),
    ],
)
def test_headings_stand_below_the_pages_own_and_skip_no_level(levels: list[int], shown: list[int]) -> None:
    made = render_markdown("\n\n".join(f"{'#' * level} title" for level in levels))
    assert [int(level) for level in re.findall(r"<h(\d)>title</h\1>", made)] == shown


def test_markdown_keeps_web_links_and_loads_nothing() -> None:
    made = render_markdown(
        "[a](https://x.example) [b](javascript:alert(1)) [c](data:text/html,x) ![p](http://e/i.png)"
        "\n\n<b onclick=x>raw</b>\n\n| a |\n|:-:|\n| 1 |\n"
    )
    assert 'href="https://x.example" rel="noopener noreferrer nofollow"' in made
    assert "javascript:" not in made.replace("[b](javascript:alert(1))", "")
    assert "<img" not in made
    assert "&lt;b onclick" in made
    assert "<table>" in made
    assert "style=" not in made


def test_long_things_are_cut_and_say_so() -> None:
    assert str(LONGEST_TEXT)[:3] in str(view_of("a.txt", b"x" * (LONGEST_TEXT + 5)).note)
    rows = view_of("a.csv", b"a,b\n" + b"1,2\n" * 500)
    assert len(rows.rows) == MOST_ROWS
    assert "rows" in str(rows.note)
    nested = view_of("a.json", b"[" * 100_000 + b"]" * 100_000)
    assert nested.kind in ("source", "text")


def sheet(cells: str, shared: str = "") -> bytes:
    """A workbook of one sheet."""
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as book:
        book.writestr(
            "xl/worksheets/sheet1.xml", f"<worksheet {space}><sheetData>{cells}</sheetData></worksheet>"
        )
        book.writestr("xl/sharedStrings.xml", f"<sst {space}>{shared}</sst>")
    return held.getvalue()


def test_a_spreadsheet_is_a_table() -> None:
    cells = '<row><c r="A1" t="s"><v>0</v></c><c r="C1"><v>2.5</v></c></row><row><c r="A2"><v>1</v></c></row>'
    view = view_of("a.xlsx", sheet(cells, "<si><t>name</t></si>"))
    assert view.rows == (("name", "", "2.5"), ("1", "", ""))


@pytest.mark.parametrize(
    "cells", ['<row><c t="s"><v>9</v></c></row>', "<row>", '<row><c r="A1"><v>x</v></c></row>']
)
def test_a_spreadsheet_that_makes_no_sense_is_bytes(cells: str) -> None:
    assert view_of("a.xlsx", sheet(cells)).kind == "binary"


def _bits(data: bytes, *changes: tuple[bytes, int, int]) -> bytes:
    """These bytes with a bit set, at a distance from each place where a mark stands."""
    changed = bytearray(data)
    for mark, distance, bit in changes:
        at = data.find(mark)
        while at >= 0:
            changed[at + distance] |= bit
            at = data.find(mark, at + 1)
    return bytes(changed)


ROWS = '<row><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>'


@pytest.mark.parametrize(
    "data",
    [
        _bits(sheet(ROWS), (b"PK\x01\x02", 8, 1), (b"PK\x03\x04", 6, 1)),
        _bits(sheet(ROWS), (b"PK\x01\x02", 10, 99), (b"PK\x03\x04", 8, 99)),
        _bits(sheet(ROWS), (b"PK\x01\x02", 10, 8), (b"PK\x03\x04", 8, 8)),
        _bits(sheet(ROWS), (b"PK\x01\x02", 10, 14), (b"PK\x03\x04", 8, 14)),
        sheet(ROWS).replace(b"<worksheet ", b"<worksheeT ", 1),
    ],
    ids=["encrypted", "packed as nobody does", "broken deflate", "broken lzma", "another sum"],
)
def test_a_broken_spreadsheet_is_bytes(data: bytes) -> None:
    assert view_of("a.xlsx", data).kind == "binary"


@pytest.mark.parametrize(
    ("cells", "shared"),
    [
        ("<row>" + "<c/>" * 1_000_000 + "</row>", ""),
        ('<row><c t="s"><v>0</v></c><c><v>1</v></c></row>', "<si>" + "<t/>" * 1_000_000 + "</si>"),
    ],
    ids=["cells", "strings"],
)
def test_a_small_file_that_unpacks_to_millions_of_parts_takes_little(cells: str, shared: str) -> None:
    data = sheet(cells, shared)
    tracemalloc.start()
    try:
        assert view_of("a.xlsx", data).kind == "binary"
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()


def test_only_the_rows_that_are_shown_are_read() -> None:
    data = sheet('<row><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>' * 20_000)
    found = view_of("a.xlsx", data)
    assert (len(found.rows), found.note) == (MOST_ROWS, f"the first {MOST_ROWS} rows")


def test_deep_json_is_not_made_pretty_at_any_price() -> None:
    text = b"[" * 150 + b"1," * 90_000 + b"1" + b"]" * 150
    tracemalloc.start()
    try:
        assert view_of("a.json", text).kind in ("source", "text")
        assert tracemalloc.get_traced_memory()[1] < 12 << 20
    finally:
        tracemalloc.stop()


def test_json_that_says_a_thing_twice_is_shown_as_it_is() -> None:
    """Made pretty, it would show only the second."""
    assert view_of("a.txt", b'{"volts": 1, "volts": 2}').text == '{"volts": 1, "volts": 2}'


@pytest.mark.parametrize(
    ("data", "media", "disposition"),
    [
        (b"<script>alert(1)</script>", "text/plain; charset=utf-8", "inline"),
        (PNG, "image/png", "inline"),
        (b"a\0<script>", "application/octet-stream", "attachment; filename=output"),
    ],
)
def test_a_raw_file_is_sealed(data: bytes, media: str, disposition: str) -> None:
    answer = raw_file([("x.html", data)], 0)
    assert answer.headers["content-type"] == media
    assert answer.headers["content-disposition"] == disposition
    assert "sandbox" in answer.headers["content-security-policy"]
