"""One file of an output as a page shows it: rendered, as a table, highlighted, as a picture, or raw.

The kind follows from the file's name and bytes, never from what the agent claims alone. Every view is bounded
and says what it leaves out. A picture or a PDF is shown by the browser from an address of its own, with a
policy that lets nothing in it run; SVG and HTML can hold scripts and are shown as their source.
"""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct, field

from adjudge.errors import printable
from adjudge.web.showing.source import highlight, language_of
from adjudge.web.showing.tables import read_csv, read_xlsx
from adjudge.web.showing.text import render_markdown

LONGEST_TEXT = 200_000
LONGEST_RENDERED = 100_000
_IMAGES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"BM": "image/bmp",
}


class View(Struct, frozen=True):
    """What a template shows: `kind` says which of the others are filled."""

    kind: str
    """markdown, source, table, image, pdf, text, binary."""
    html: str = ""
    """Safe: made by our renderers from escaped text."""
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    note: str | None = None
    media_type: str = "application/octet-stream"
    keys: tuple[str, ...] = field(default=())
    """The names at the top of a JSON object."""


def view_of(name: str, data: bytes) -> View:
    """The best view of a file."""
    suffix = PurePosixPath(name).suffix.lower()
    media = media_type_of(data)
    if media.startswith("image/"):
        return View("image", media_type=media, note=f"{len(data):,} bytes")
    if media == "application/pdf":
        return View("pdf", media_type=media, note=f"{len(data):,} bytes")
    if data[:4] == b"PK\x03\x04" and suffix in (".xlsx", ".xlsm"):
        found = read_xlsx(data)
        return View("table", rows=found.rows, note=found.note) if found.rows else _binary(data)
    if b"\0" in data[:8192]:
        return _binary(data)
    return _of_text(suffix, data)


def media_type_of(data: bytes) -> str:
    """What a browser may be told that this is: a picture, a PDF or plain bytes; never HTML or SVG."""
    for magic, media in _IMAGES.items():
        if data.startswith(magic):
            return media
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data.startswith(b"%PDF-"):
        return "application/pdf"
    return "application/octet-stream"


def _binary(data: bytes) -> View:
    return View("binary", note=f"binary, {len(data):,} bytes")


def _of_text(suffix: str, data: bytes) -> View:
    whole = data.decode("utf-8", "replace")
    note = None
    if len(whole) > LONGEST_TEXT:
        note = f"the first {LONGEST_TEXT:,} of {len(whole):,} characters"
    text = printable(whole[:LONGEST_TEXT], keep_newlines=True)
    if note is None and (suffix in (".json", ".ipynb") or text.lstrip()[:1] in ("{", "[")):
        pretty = _pretty(whole)
        if pretty is not None:
            return View("source", html=highlight(pretty[0], "json"), text=pretty[0], keys=pretty[1])
    if suffix in (".csv", ".tsv"):
        found = read_csv(text, "\t" if suffix == ".tsv" else None)
        if found.rows:
            return View("table", rows=found.rows, text=text, note=note or found.note)
    if suffix in (".md", ".markdown") and len(text) <= LONGEST_RENDERED:
        return View("markdown", html=render_markdown(text), text=text, note=note)
    language = language_of(suffix)
    if language is not None and len(text) <= LONGEST_RENDERED:
        return View("source", html=highlight(text, language), text=text, note=note)
    return View("text", text=text, note=note)


def _pretty(text: str) -> tuple[str, tuple[str, ...]] | None:
    """JSON with indents, and the names at its top; None if it is no JSON or too much to show so."""
    parts: list[str] = []
    length = 0
    try:
        value = json.loads(text, object_pairs_hook=_object)
        for part in json.JSONEncoder(indent=2, ensure_ascii=False).iterencode(value):
            length += len(part)
            if length > LONGEST_RENDERED:  # deep lists are mostly indents, a thousand times the text
                return None
            parts.append(part)
    except (ValueError, RecursionError):
        return None
    pretty = "".join(parts)
    keys = tuple(str(key) for key in value)[:100] if isinstance(value, dict) else ()
    return printable(pretty, keep_newlines=True), tuple(printable(key) for key in keys)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; ValueError if a name stands twice in it, because only one of them could be shown."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found
