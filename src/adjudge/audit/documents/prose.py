"""Answers inside text: the JSON block of a Markdown note, and the numbers of a report.

A `Block` is the answer with the text before and after it, so that the fence can be spelled in other ways. In
a text without JSON the numbers are the values: each is named by the words before it on its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from adjudge.audit.documents.leaves import write_number
from adjudge.audit.documents.tables import numbered_lines
from adjudge.tasks import find_fences

_LABELS = frozenset({"", "json", "jsonc", "json5"})
_NUMBER = re.compile(
    r"(?<![\w.,-])(?<!\d[/:])(?<!\d [/:] )[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w]|[.,]\d)"
)
_LABEL = re.compile(r"([A-Za-z_][\w ()/%.-]{0,38}?)[\s*`]*[:=|][\s*`]*$")
_WORDED = re.compile(
    r"^[ \t]*(?:[-*] )?([A-Za-z_][\w ]{0,30}?)[ \t]*[:=][ \t]*([A-Za-z][\w-]*(?: [\w-]+){0,2})[ \t]*$", re.M
)
_PATTERN = re.compile(r"\\[dwsDWS]|\(\?[:=!<]|\[\^")
"""A line with a regular expression: its digits are no values."""
_REST_OF_DATE = re.compile(r"-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)")
_FIRST_YEAR, _YEARS = 1900, 200
_MAX_NUMBERS = 60
_NEAR = 500
_MAX_WORDS = 6
_LEAST_LINES = 2


class Block(Struct, frozen=True):
    """A JSON answer in a text: what stands before its fence, in it, and after it."""

    value: Any
    before: str
    after: str
    fenced: bool

    def around(self, answer: str) -> str:
        """The text with another answer, fenced or bare as it was."""
        return self.in_fence(answer) if self.fenced else f"{self.before}{answer}{self.after}"

    def in_fence(self, answer: str, opening: str = "```json", closing: str = "```") -> str:
        """The text with another answer in a fence of any spelling."""
        return f"{self.before}{opening}\n{answer}\n{closing}{self.after}"


def find_block(text: str) -> Block | None:
    """The last fence with a JSON object or list, else the whole text or the last object in it; else None."""
    text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    for fence in reversed(list(find_fences(text))):
        value = _loads(fence.content) if fence.label in _LABELS else None
        if value is not None:
            first, count = fence.line - 1, fence.content.count("\n") + 1
            before = "".join(f"{line}\n" for line in lines[: first - 1])
            rest = lines[first + count + (1 if fence.closed else 0) :]
            after = "\n" + "\n".join(rest) if rest else ""
            return Block(value, before, after, fenced=True)
    if (value := _loads(text)) is not None:
        return Block(value, "", "\n", fenced=False)
    for start in reversed(
        [match.start() for match in re.finditer(r'^\s*\{(?=\s*")', text, re.MULTILINE)][-20:]
    ):
        begin = text.index("{", start)
        try:
            value, end = json.JSONDecoder().raw_decode(text, begin)
        except (ValueError, RecursionError):
            continue
        return Block(value, text[:begin], text[end:], fenced=False)
    return None


def _loads(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _words(text: str) -> list[tuple[str, str, tuple[int, int]]]:
    """(name, word, place) of lines such as `pump: centrifugal`, if the text has any beside its numbers."""
    found = [(m[1].strip(), m[2], m.span(2)) for m in _WORDED.finditer(text)]
    return found[:_MAX_WORDS]


def _all_worded(text: str) -> bool:
    """Are there at least two lines, and is each a name of its own and a word?"""
    lines = [line for line in text.splitlines() if line.strip()]
    names = {match[1].strip() for line in lines if (match := _WORDED.fullmatch(line))}
    return len(lines) == len(names) >= _LEAST_LINES


def number_document(text: str) -> tuple[dict[str, Any], Callable[[Any], bytes]] | None:
    """The numbers of a text by name, and the words of lines that are a name and a word, and a writer.

    None for a text without numbers, unless all its lines are a name and a word.
    """
    labels = _item_numbers(text)
    found = [match for match in _NUMBER.finditer(text) if match.start() not in labels]
    found = [match for match in found if not _PATTERN.search(_line(text, match.start()))][-_MAX_NUMBERS:]
    if not found and not _all_worded(text):
        return None
    values: dict[str, Any] = {}
    places: dict[str, tuple[int, int]] = {}
    years: set[str] = set()
    for match in found:
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        label = _LABEL.search(line)
        name = label[1].strip() if label else f"number at line {text.count(chr(10), 0, match.start()) + 1}"
        while name in values:
            name += "'"
        digits = match[0]
        values[name] = int(digits) if re.fullmatch(r"[-+]?\d{1,15}", digits) else float(digits)
        places[name] = match.span()
        if re.fullmatch(r"[12]\d{3}", digits) and _REST_OF_DATE.match(text, match.end()):
            years.add(name)
    for name, word, span in _words(text):
        if name not in values and not any(a < span[1] and span[0] < b for a, b in places.values()):
            values[name] = word
            places[name] = span
    places = dict(sorted(places.items(), key=lambda item: item[1]))

    def render(value: Any) -> bytes:
        parts, at = [], 0
        for name, (start, end) in places.items():
            old = values[name]
            new = value.get(name, "") if isinstance(value, dict) else ""
            new = _year(new, old) if name in years and new != old else new
            written = text[start:end] if new is old else _text(new)
            parts += [text[at:start], written]
            at = end
        return ("".join(parts) + text[at:]).encode()

    return values, render


def _item_numbers(text: str) -> frozenset[int]:
    """Where the numbers of a numbered list stand: they say which line it is, and answer nothing."""
    lines = text.split("\n")
    begins, at = [], 0
    for line in lines:
        begins.append(at + len(line) - len(line.lstrip()))
        at += len(line) + 1
    return frozenset(begins[place] for place in numbered_lines([line.rstrip("\r") for line in lines]))


def _line(text: str, place: int) -> str:
    """The line around a place, or what is near of a long one."""
    first, last = max(0, place - _NEAR), place + _NEAR
    end = text.find("\n", place, last)
    return text[max(first, text.rfind("\n", first, place) + 1) : last if end < 0 else end]


def _year(value: Any, right: int) -> Any:
    """Another year for the number that stands in a date: with any other number it would be none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
        return value
    if 1000 <= value <= 9999 and value == int(value):
        return value
    year = _FIRST_YEAR + int(abs(value)) % _YEARS
    return year + 1 if year == right else year


def _text(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return write_number(value)
    return "" if value is None else str(value)
