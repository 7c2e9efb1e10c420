"""Texts whose lines are all alike: names, addresses, short phrases, or rows with one mark between the cells.

Such a text is a list, and its lines are items that can be left out, repeated and put in another order. Prose
is none of these: its lines are longer, of many lengths, and end with a point.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

NAME_LINE = re.compile(r"(?=[^\s]*[A-Za-z])[\w.:/@+#-]{1,80}|\d+(?:[.:-]\d+){2,}(?:/\d+)?")
"""A name without blanks; or digits with marks between them: an address, a version, a date."""
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_PHRASE = re.compile(r"[^\W\d_][^\n:=;|`{}\[\]()<>\"]*[^\W_]")
_MOST = 500
_MOST_PHRASES = 40
_LONGEST_PHRASE = 4
_LEAST = 3

Lines = tuple[Any, Callable[[Any], bytes]]


def read_lines(text: str, cell: Callable[[str], Any], write: Callable[[Any], str]) -> Lines | None:
    """The list in a text, and its writer; None if the lines are not alike."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or len(lines) > _MOST:
        return None
    return _rows(text, cell, write) or _phrases(lines, write)


def _rows(text: str, cell: Callable[[str], Any], write: Callable[[Any], str]) -> Lines | None:
    """Cells with tabs between them; or a word, a blank and a number, in every line."""
    lines = [line.strip("\r\n") for line in text.splitlines() if line.strip()]
    tabbed = [line.split("\t") for line in lines]
    spaced = [line.split() for line in lines]
    if len(lines) >= 2 and {len(row) for row in tabbed} == {len(tabbed[0])} != {1}:
        mark, rows = "\t", tabbed
    elif len(lines) >= _LEAST and all(_is_tally(row) for row in spaced):
        mark, rows = " ", spaced
    else:
        return None
    head = [name.strip() for name in rows[0]]
    named = _is_header(rows) and len(set(head)) == len(head)
    columns = head if named else [f"column {n + 1}" for n in range(len(head))]
    records = [
        {name: cell(part) for name, part in zip(columns, row, strict=True)}
        for row in (rows[1:] if named else rows)
    ]

    def render(value: Any) -> bytes:
        known = [row if isinstance(row, dict) else {columns[0]: row} for row in value]
        kept = [name for name in columns if any(name in row for row in known)] or columns
        extra = [name for row in known for name in row if name not in columns]
        names = [*kept, *dict.fromkeys(extra)]
        table = [[write(row.get(name, "")) for name in names] for row in known]
        return "".join(f"{mark.join(row)}\n" for row in ([names] if named else []) + table).encode()

    return records, render


def _is_tally(words: list[str]) -> bool:
    named = len(words) == 2 and not _NUMBER.fullmatch(words[0]) and words[0][-1] not in ":="
    return named and bool(_NUMBER.fullmatch(words[1]))


def _is_header(rows: list[list[str]]) -> bool:
    """Are there numbers in a column below a first row that has none?"""
    numbers = [[bool(_NUMBER.fullmatch(part.strip())) for part in row] for row in rows]
    below = [all(column) for column in zip(*numbers[1:], strict=True)]
    return not any(numbers[0]) and any(below)


def _phrases(lines: list[str], write: Callable[[Any], str]) -> Lines | None:
    """Lines of a few words each, without a mark that would make them something else."""
    short = all(_PHRASE.fullmatch(line) and len(line.split()) <= _LONGEST_PHRASE for line in lines)
    if not short or not _LEAST <= len(lines) <= _MOST_PHRASES:
        return None
    return lines, lambda value: "".join(
        f"{write(item)}\n" for item in (value if isinstance(value, list) else [value])
    ).encode()
