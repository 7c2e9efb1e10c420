"""Files that are no plain text: whole or not, told by their own structure."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from typing import Literal

import pytest

from adjudge.contracts import OutputFormat
from adjudge.gates.examine import examine


def archive(**files: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as out:
        for name, text in files.items():
            out.writestr(name.replace("__", "/") + ".xml", text)
    return held.getvalue()


def png(*, damaged: bool = False) -> bytes:
    parts = b""
    for kind, body in ((b"IHDR", b"\0" * 13), (b"IEND", b"")):
        check = zlib.crc32(kind + body) ^ (1 if damaged else 0)
        parts += len(body).to_bytes(4, "big") + kind + body + check.to_bytes(4, "big")
    return b"\x89PNG\r\n\x1a\n" + parts


BOOK = json.dumps({"nbformat": 4, "cells": []}).encode()
PDF = b"%PDF-1.7\n1 0 obj\nendobj\nstartxref\n9\n%%EOF\n"
GOOD = {
    OutputFormat.PYTHON: b"print((1))\n",
    OutputFormat.NOTEBOOK: BOOK,
    OutputFormat.ZIP: archive(a="<a/>"),
    OutputFormat.XLSX: archive(xl__workbook="<workbook/>"),
    OutputFormat.PDF: PDF,
    OutputFormat.IMAGE: png(),
}


@pytest.mark.parametrize("kind", GOOD)
def test_a_whole_file_is_parseable_and_half_of_it_is_not(kind: OutputFormat) -> None:
    assert examine(GOOD[kind], kind, None).unparseable is None
    half = GOOD[kind][: len(GOOD[kind]) - 4]
    assert examine(half, kind, None).unparseable is not None
    assert examine(b"", kind, None).unparseable == "the output is empty: it has 0 bytes"


@pytest.mark.parametrize(
    ("data", "kind", "says"),
    [
        (b"def f(:\n", OutputFormat.PYTHON, "not Python: "),
        (b"(" * 100_000, OutputFormat.PYTHON, "Python"),
        (b"[]", OutputFormat.NOTEBOOK, "it has no nbformat"),
        (archive(a="<a/>"), OutputFormat.XLSX, "xl/workbook.xml is missing"),
        (archive(xl__workbook="<workbook>"), OutputFormat.XLSX, "xl/workbook.xml is not XML"),
        (png(damaged=True), OutputFormat.IMAGE, "a damaged part at byte 8"),
        (b"hello", OutputFormat.IMAGE, "neither PNG, JPEG"),
        (b"PAR1" + b"\0" * 8 + b"PAR1", OutputFormat.PARQUET, "not Parquet"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, kind: OutputFormat, says: str) -> None:
    found = examine(data, kind, None).unparseable
    assert found is not None
    assert says in found


def test_an_archive_that_unpacks_to_more_than_all_memory_is_refused() -> None:
    held = io.BytesIO()
    with (
        zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as out,
        out.open("zeros", "w", force_zip64=True) as stream,
    ):
        for _ in range(1100):
            stream.write(b"\0" * (1 << 20))
    found = examine(held.getvalue(), OutputFormat.ZIP, None).unparseable
    assert found is not None
    assert "unpacks to more than 1024 MB" in found or "takes more than" in found


def tiff(order: Literal["little", "big"]) -> bytes:
    """Four grey pixels in one strip of four bytes, which lies at the end."""
    tags = {256: 2, 257: 2, 258: 8, 262: 1, 273: 0, 277: 1, 279: 4}
    end = 8 + 2 + 12 * len(tags) + 4
    tags[273] = end
    rows = [
        tag.to_bytes(2, order) + (4).to_bytes(2, order) + (1).to_bytes(4, order) + value.to_bytes(4, order)
        for tag, value in tags.items()
    ]
    mark = b"II" if order == "little" else b"MM"
    head = mark + (42).to_bytes(2, order) + (8).to_bytes(4, order) + len(tags).to_bytes(2, order)
    return head + b"".join(rows) + b"\0" * 4 + b"\1\2\3\4"


@pytest.mark.parametrize("order", ["little", "big"])
def test_a_tiff_whose_strip_is_cut_off_is_truncated(order: Literal["little", "big"]) -> None:
    assert examine(tiff(order), OutputFormat.IMAGE, None).unparseable is None
    for length in (len(tiff(order)) - 1, 60, 9):
        assert "ends early" in str(examine(tiff(order)[:length], OutputFormat.IMAGE, None).unparseable)


JPEG = b"\xff\xd8\xff\xc0\0\x0b\x08\0\1\0\1\1\1\x11\0\xff\xda\0\x08\1\1\0\0\x3f\0\x7f\xff\xd9"


@pytest.mark.parametrize("data", [JPEG], ids=["jpeg"])
def test_a_picture_without_its_pixels_is_truncated(data: bytes) -> None:
    assert examine(data, OutputFormat.IMAGE, None).unparseable is None
    without_scan = data[:15] + b"\xff\xd9"
    assert "ends early" in str(examine(without_scan, OutputFormat.IMAGE, None).unparseable)
