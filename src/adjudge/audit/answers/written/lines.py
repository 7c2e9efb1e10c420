"""References as lines of text, in the layout that an instruction shows: `Qn: answer`, `key=integer`, a table.

A verifier keeps what it looks for as a mapping or a list; the task says how a line is written, mostly in a
few words between backticks. The first of several accepted spellings is taken. Pure: nothing is run here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.audit.answers.written.layouts import blocks_shown, decimals_told, written_number
from adjudge.contracts import OutputFormat

Reference = tuple[str, str, Any]

_CODE = re.compile(r"`([^`\n]{1,80})`")
_TEMPLATE = re.compile(
    r"<?([A-Za-z]\w*)>?(\s*(?:<TAB>|\\t|\t|=>|->|[:=,;|])\s*|\s+)[<\[({\"']?[A-Za-z.\d][^`]*"
)
_HEADER = re.compile(r"[A-Za-z_]\w*(?:([,;\t])\s?[A-Za-z_]\w*)+")
_SAID_HEADER = re.compile(r"\b(?:header|heading|columns?)\b", re.I)
_NO_HEADER = re.compile(r"\b(?:no|without(?: an?)?) header", re.I)
_DEFAULT = {OutputFormat.CSV: (",",)}
_OTHERWISE = (": ", " = ", "=", "\t", ",", " ")
_MOST_MARKS = 3
_MOST_LINES = 60
_MOST = 30


def written_lines(found: list[Reference], instruction: str, kind: OutputFormat) -> list[tuple[str, str]]:
    """(source, text) for each reference that can be written in lines; at most thirty, the likeliest first."""
    made: dict[str, str] = {}
    for where, name, value in found:
        source = f"{name} of tests/{where}"
        for text in _texts(value, instruction, kind):
            made.setdefault(text, source)
    return [(source, text) for text, source in made.items()][:_MOST]


def placeholder(instruction: str) -> str:
    """A text in the layout that an instruction shows, with nothing right in it: a line for each template."""
    shown = [match for code in _CODE.findall(instruction) if (match := _TEMPLATE.fullmatch(code))]
    keys = [code for code in _CODE.findall(instruction) if re.fullmatch(r"[A-Za-z_]\w*", code)]
    mark = _mark(shown[0][2]) if shown else "="
    lines = [f"{match[1]}{_mark(match[2])}1" for match in shown] + [f"{key}{mark}1" for key in keys]
    examples = [block for block in blocks_shown(instruction) if "\n" in block.strip()]
    return "\n".join(dict.fromkeys([*lines[:_MOST_LINES], *examples[-1:]])) or "1"


def _texts(value: Any, instruction: str, kind: OutputFormat) -> Iterator[str]:
    if isinstance(value, Mapping) and 2 <= len(value) <= _MOST_LINES:
        yield from _mapped(value, instruction, kind)
    elif isinstance(value, list) and 2 <= len(value) <= _MOST_LINES:
        cells = [_cell(item, instruction) for item in value]
        if None not in cells:
            yield "\n".join(map(str, cells))
    elif isinstance(value, int | float | str) and not isinstance(value, bool) and len(str(value)) <= 80:
        shown = [m for code in _CODE.findall(instruction) if (m := _TEMPLATE.fullmatch(code))]
        yield from (f"{match[1]}{_mark(match[2])}{_cell(value, instruction)}" for match in shown[:2])


def _mapped(value: Mapping[str, Any], instruction: str, kind: OutputFormat) -> Iterator[str]:
    prefix = _prefix(list(value), instruction)
    if prefix is None:
        return
    header = _header(instruction)
    rows = [_row(f"{prefix}{key}", cell, header, instruction) for key, cell in value.items()]
    if any(row is None for row in rows):
        return
    for mark in _marks(instruction, kind):
        lines = [mark.join(map(str, row)) for row in rows if row is not None]
        if header and (mark.strip() or mark == "\t") and not _NO_HEADER.search(instruction):
            yield "\n".join([mark.strip(" ").join(header), *lines])
        yield "\n".join(lines)


def _row(key: str, cell: Any, header: list[str], instruction: str) -> list[Any] | None:
    """The cells of a line: the key and what belongs to it, by the names of the header if there are any."""
    if isinstance(cell, Mapping):
        others = [name for name in header if name not in cell]
        if len(header) < 2 or len(others) != 1:
            return None
        parts = [key if name in others else _cell(cell[name], instruction) for name in header]
    elif isinstance(cell, list) and len(header) > 2 and len(cell) == len(header) - 1:
        parts = [key, *(_cell(part, instruction) for part in cell)]
    else:
        parts = [key, _cell(cell, instruction)]
    return None if None in parts or (header and len(parts) != len(header)) else parts


def _cell(value: Any, instruction: str) -> Any:
    """A reference as it is written: itself, or the first of several spellings; None for anything else."""
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(first, bool) or not isinstance(first, int | float | str):
        return None
    if not isinstance(first, float):
        return first
    return written_number(first, decimals_told(instruction))


def _prefix(keys: list[str], instruction: str) -> str | None:
    """What stands before each key in the instruction: nothing, or a letter or word as in Q1; None if not."""
    if all(_stands_in(key, instruction) for key in keys) and not _numbered(keys):
        return ""
    before: list[str] = re.findall(rf"(?<!\w)([A-Za-z]{{1,12}}[ _-]?){re.escape(keys[0])}(?!\w)", instruction)
    for prefix in dict.fromkeys(before):
        if all(_stands_in(f"{prefix}{key}", instruction) for key in keys):
            return prefix
    return "" if _numbered(keys) else None


def _numbered(keys: list[str]) -> bool:
    return all(re.fullmatch(r"\d{1,3}", key) for key in keys)


def _stands_in(key: str, instruction: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(key)}(?!\w)", instruction, re.I) is not None


def _marks(instruction: str, kind: OutputFormat) -> list[str]:
    """What stands between the cells of a line: as the instruction shows, then as is usual."""
    shown = [_mark(match[2]) for code in _CODE.findall(instruction) if (match := _TEMPLATE.fullmatch(code))]
    marks = list(dict.fromkeys([*_DEFAULT.get(kind, ()), *shown, *_OTHERWISE]))
    return marks[:1] if kind is OutputFormat.CSV else marks[:_MOST_MARKS]


def _mark(shown: str) -> str:
    return "\t" if "TAB" in shown or "\\t" in shown else shown


def _header(instruction: str) -> list[str]:
    """The columns that an instruction shows between backticks with marks between them."""
    for code in _CODE.findall(instruction):
        match = _HEADER.fullmatch(code)
        if match is not None and (_SAID_HEADER.search(instruction) or code.count(match[1]) > 1):
            return [name.strip() for name in code.split(match[1])]
    return []
