"""Formats that are no plain text: is this a whole file of its kind? Always examined in a confined child.

Each is looked at only as far as its own structure goes, with the standard library and bounded work: archives
are read entry by entry without writing anything, pictures and documents chunk by chunk. What stands in them
is the verifier's business. Parquet is read by pyarrow if it is installed (`adjudge[export]`).
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Literal

from adjudge._python import parse_python
from adjudge.contracts import OutputFormat
from adjudge.gates.parsed import Parsed, Unparseable, decode, parse_json_output

MAX_ENTRIES = 100_000
MAX_UNPACKED = 1 << 30
_CHUNK = 1 << 20
_PNG = b"\x89PNG\r\n\x1a\n"
_PDF_WINDOW = 2048
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_TIFF_SIZES = {3: 2, 4: 4}
_TIFF_PLACES = frozenset({273, 279, 324, 325})
"""Where strips and tiles begin, and how long they are."""


def parse_container(data: bytes, kind: OutputFormat) -> Parsed:
    """Check a file of one of these formats. Raises Unparseable with what is wrong."""
    if not data:
        raise Unparseable("the output is empty: it has 0 bytes")
    return CONTAINERS[kind](data)


def _python(data: bytes) -> Parsed:
    try:
        parse_python(data)
    except SyntaxError as error:
        raise Unparseable(f"not Python: {error.msg} at line {error.lineno}") from None
    except (ValueError, RecursionError, MemoryError) as error:  # zero bytes; nested without end
        raise Unparseable(f"not readable Python: {type(error).__name__}") from None
    return Parsed()


def _notebook(data: bytes) -> Parsed:
    parsed = parse_json_output(decode(data))
    book = parsed.value
    if not isinstance(book, dict) or not isinstance(book.get("nbformat"), int):
        raise Unparseable("not a notebook: it has no nbformat")
    if not isinstance(book.get("cells"), list) and not isinstance(book.get("worksheets"), list):
        raise Unparseable("not a notebook: it has no cells")
    return parsed


def _zip(data: bytes) -> Parsed:
    _entries(data)
    return Parsed()


def _entries(data: bytes) -> zipfile.ZipFile:
    """An archive whose entries are all whole: none is written, and no more is unpacked than the limit."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        listed = archive.infolist()
        if len(listed) > MAX_ENTRIES:
            raise Unparseable(f"more than {MAX_ENTRIES} entries, which is more than is read")
        unpacked = 0
        for entry in listed:
            if entry.flag_bits & 1:
                continue  # encrypted: whole or not, nobody can tell
            with archive.open(entry) as stream:
                while part := stream.read(_CHUNK):
                    unpacked += len(part)
                    if unpacked > MAX_UNPACKED:
                        raise Unparseable(f"unpacks to more than {MAX_UNPACKED >> 20} MB")
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, struct.error) as error:
        raise Unparseable(f"not a whole ZIP archive: {str(error)[:200]}") from None
    return archive


def _xlsx(data: bytes) -> Parsed:
    from xml.sax import SAXException
    from xml.sax.handler import ContentHandler

    import defusedxml.sax
    from defusedxml.common import DefusedXmlException

    archive = _entries(data)
    names = set(archive.namelist())
    if "xl/workbook.xml" not in names:
        raise Unparseable("not a workbook: xl/workbook.xml is missing from the archive")
    for name in sorted(names):
        if name.endswith((".xml", ".rels")):
            try:
                defusedxml.sax.parseString(archive.read(name), ContentHandler())
            except (SAXException, DefusedXmlException, ValueError) as error:
                raise Unparseable(f"not a workbook: {name} is not XML: {str(error)[:200]}") from None
    return Parsed()


def _pdf(data: bytes) -> Parsed:
    if b"%PDF-" not in data[:_PDF_WINDOW]:
        raise Unparseable("not PDF: it does not begin with %PDF-")
    end = data[-_PDF_WINDOW:]
    if b"%%EOF" not in end or b"startxref" not in end:
        raise Unparseable("truncated: the PDF has no end (startxref, %%EOF)")
    return Parsed()


def _image(data: bytes) -> Parsed:
    if data.startswith(_PNG):
        return _png(data)
    if data.startswith(b"\xff\xd8\xff"):
        whole = data.rstrip(b"\0").endswith(b"\xff\xd9") and _has_scan(data)
    elif data.startswith((b"GIF87a", b"GIF89a")):
        whole = data.rstrip(b"\0").endswith(b";")
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        whole = len(data) >= int.from_bytes(data[4:8], "little") + 8
    elif data[:2] == b"BM":
        whole = len(data) >= int.from_bytes(data[2:6], "little")
    elif data[:4] in (b"II*\0", b"MM\0*"):
        whole = _has_strips(data)
    elif data[:4] in (b"II+\0", b"MM\0+"):  # its larger kin: only that its first list lies in the file
        order: Literal["little", "big"] = "little" if data[:2] == b"II" else "big"
        whole = 16 <= int.from_bytes(data[8:16], order) < len(data)
    else:
        raise Unparseable("not a picture: neither PNG, JPEG, GIF, WebP, BMP nor TIFF")
    if not whole:
        raise Unparseable("truncated: the picture ends early")
    return Parsed()


def _has_scan(data: bytes) -> bool:
    """Do a JPEG's segments lead to a frame and to the beginning of its scan?"""
    at, frame = 2, False
    while at + 4 <= len(data) and data[at] == 0xFF:
        kind = data[at + 1]
        if kind == 0xFF:  # filling
            at += 1
            continue
        frame = frame or kind in _JPEG_FRAMES
        if kind == 0xDA:
            return frame
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return False


def _has_strips(data: bytes) -> bool:
    """Do all strips or tiles of a TIFF's first picture lie in the file?"""
    order: Literal["little", "big"] = "little" if data[:2] == b"II" else "big"

    def number(at: int, size: int) -> int:
        return int.from_bytes(data[at : at + size], order)

    at = number(4, 4)
    count = number(at, 2) if 8 <= at <= len(data) - 2 else 0
    if not count or at + 2 + 12 * count > len(data):
        return False
    listed: dict[int, list[int]] = {}
    for entry in range(at + 2, at + 2 + 12 * count, 12):
        tag, size, items = number(entry, 2), _TIFF_SIZES.get(number(entry + 2, 2)), number(entry + 4, 4)
        if tag in _TIFF_PLACES and size is not None and items <= len(data):
            where = entry + 8 if size * items <= 4 else number(entry + 8, 4)
            if where + size * items > len(data):
                return False
            listed[tag] = [number(where + size * item, size) for item in range(items)]
    starts, sizes = listed.get(273) or listed.get(324), listed.get(279) or listed.get(325)
    if not starts or not sizes or len(starts) != len(sizes):
        return False
    return all(start + size <= len(data) for start, size in zip(starts, sizes, strict=True))


def _png(data: bytes) -> Parsed:
    at = len(_PNG)
    while at + 12 <= len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        body = data[at + 4 : at + 8 + length]
        check = data[at + 8 + length : at + 12 + length]
        if len(check) < 4:
            break
        if zlib.crc32(body) != int.from_bytes(check, "big"):
            raise Unparseable(f"not a whole PNG: a damaged part at byte {at}")
        if body[:4] == b"IEND":
            return Parsed()
        at += 12 + length
    raise Unparseable("truncated: the PNG ends early")


def _parquet(data: bytes) -> Parsed:
    if data[:4] != b"PAR1" or data[-4:] != b"PAR1" or len(data) < 12:
        raise Unparseable("not Parquet: it does not begin and end with PAR1")
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        return Parsed()  # its two marks are all that can be seen without the extra
    try:
        parquet.ParquetFile(io.BytesIO(data)).metadata  # noqa: B018 - reading it is the check
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise Unparseable(f"not Parquet: {str(error).splitlines()[0][:200]}") from None
    return Parsed()


CONTAINERS: dict[OutputFormat, Callable[[bytes], Parsed]] = {
    OutputFormat.PYTHON: _python,
    OutputFormat.NOTEBOOK: _notebook,
    OutputFormat.ZIP: _zip,
    OutputFormat.XLSX: _xlsx,
    OutputFormat.PDF: _pdf,
    OutputFormat.IMAGE: _image,
    OutputFormat.PARQUET: _parquet,
}
