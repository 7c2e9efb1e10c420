"""Tables and objects laid out otherwise, as the task allows: marks between cells, header, comments, gaps."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Document, allowing, allows
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.contracts import OutputFormat, Severity

_ADVICE = "Accept every layout that the task allows."
_MARKS = {"comma": ",", "semicolon": ";", "tab": "\t"}
_MARK = re.compile(r"\b(comma|semicolon|tab)s?\b", re.I)
_MARK_CHOICE = re.compile(
    r"\b(?:commas?|semicolons?|tabs?)\b.{0,40}\bor\b.{0,30}\b(?:commas?|semicolons?|tabs?)\b",
    re.I,
)
_OF_CELLS = re.compile(r"\b(?:separat\w+|delimit\w+|between (?:cells|columns|fields))\b", re.I)
_DECIMALS = re.compile(r"\b(?:decimal|thousands?)\b", re.I)
_HEADER = re.compile(
    r"\bwith or without (?:a |the )?header\b|\bheader\b(?: line| row)?.{0,30}\b(?:optional|left out|omitted"
    r"|not needed|not required)\b",
    re.I,
)
_NAMES = (
    r"(?:headers?|header names|column names|columns|key names|keys|field names"
    r"|names of (?:the )?(?:columns|keys|fields))"
)
_CASE = (
    r"(?:case[- ]insensitiv\w*|(?:any|either)[- ]case|(?:upper|lower)[- ]?(?:case)? or\b"
    r"|case (?:does not|doesn't) matter|not case[- ]sensitive|regardless of case|in any case)"
)
_HEADER_CASE = re.compile(
    rf"\b{_NAMES}\b[^,;]{{0,30}}\b{_CASE}|\b{_CASE}\b.{{0,30}}\b{_NAMES}\b"
    rf"|\bcase of (?:the )?{_NAMES}\b",
    re.I,
)
_COMMENTS = re.compile(
    r"\bcomments?\b|\blines (?:that |which )?(?:begin|start)(?:s|ning|ing)? with (?:an? )?[`\"']?#", re.I
)
_EMPTY_LINES = re.compile(r"\b(?:blank|empty) lines?\b", re.I)
_ABSENT = r"\b(?:left out|leave (?:it|them|the key|that key) out|omit(?:ted)?|absent|missing)\b"
_NULL = re.compile(
    rf"\bnull\b.{{0,50}}\bor\b.{{0,40}}{_ABSENT}|{_ABSENT}.{{0,40}}\bor\b.{{0,40}}\bnull\b", re.I
)
_NO_VALUE = r"[`\"'](n/a|na|-|none|null|nan)[`\"']"
_EMPTY = r"(?:\bempty\b|\bblank\b)(?: cells?)?"
_EMPTY_CELL = re.compile(
    rf"{_EMPTY}[^.;]{{0,30}}\bor\b[^.;]{{0,20}}{_NO_VALUE}"
    rf"|{_NO_VALUE}[^.;]{{0,20}}\bor\b[^.;]{{0,30}}{_EMPTY}",
    re.I,
)


def allowed_rows(instruction: str, text: str, kind: OutputFormat, document: Document) -> Iterator[Rewrite]:
    """The right answer in each such layout; `document` is structured."""
    made = [*_absent(instruction, document), *_named_otherwise(instruction, document)]
    if kind is OutputFormat.CSV:
        made += [*_marks(instruction, text), *_header(instruction, text), *_cells(instruction, document)]
    if kind in (OutputFormat.CSV, OutputFormat.TEXT, OutputFormat.JSONL):
        made += _lines(instruction, text)
    for name, what, data in made:
        said = f"{what}, which the task allows"
        yield Rewrite(f"allowed-{name}", said, data, Severity.MEDIUM, _ADVICE, Cause.SPELLING)


_Made = tuple[str, str, bytes]


def _marks(instruction: str, text: str) -> Iterator[_Made]:
    """The table with each other mark between cells that a sentence offers."""
    head = text.lstrip().partition("\n")[0]
    own = max(",;\t", key=head.count)
    for said in allowing(_MARK_CHOICE, instruction, choice=True):
        if not _OF_CELLS.search(said) or _DECIMALS.search(said):
            continue
        offered = {_MARKS[word.lower()] for word in _MARK.findall(said)}
        for mark in sorted(offered - {own}) if own in offered else ():
            rows = csv.reader(io.StringIO(text), delimiter=own)
            stream = io.StringIO()
            csv.writer(stream, delimiter=mark, lineterminator="\n").writerows(rows)
            name = next(word for word, its in _MARKS.items() if its == mark)
            yield f"{name}s", f"{name}s between the cells", stream.getvalue().encode()


def _header(instruction: str, text: str) -> Iterator[_Made]:
    if allows(_HEADER, instruction, choice=True):
        yield "no-header", "no header", text.lstrip().partition("\n")[2].encode()


def _named_otherwise(instruction: str, document: Document) -> Iterator[_Made]:
    if allows(_HEADER_CASE, instruction, choice=True):
        other = _renamed(document.value)
        if other != document.value:
            yield "name-case", "names of columns or keys in another case", document.render(other)


def _renamed(value: Any) -> Any:
    if isinstance(value, dict):
        return {_other_case(key): _renamed(child) for key, child in value.items()}
    return [_renamed(child) for child in value] if isinstance(value, list) else value


def _other_case(name: str) -> str:
    return name.upper() if name != name.upper() else name.lower()


def _lines(instruction: str, text: str) -> Iterator[_Made]:
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return
    if any("#" in said or "comment" in said.lower() for said in allowing(_COMMENTS, instruction)):
        data = "".join([*lines[:-1], "# checked by hand\n", lines[-1]])
        yield "comments", "a line of comment", data.encode()
    if allows(_EMPTY_LINES, instruction):
        yield "empty-lines", "an empty line", "".join([*lines[:-1], "\n", lines[-1]]).encode()


def _absent(instruction: str, document: Document) -> Iterator[_Made]:
    if allows(_NULL, instruction, choice=True):
        other = _without_nulls(document.value)
        if other != document.value:
            yield "absent", "keys whose value is null left out", document.render(other)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(child) for key, child in value.items() if child is not None}
    return [_without_nulls(child) for child in value] if isinstance(value, list) else value


def _cells(instruction: str, document: Document) -> Iterator[_Made]:
    """Empty cells as the word that may stand there, and the other way round."""
    for said in allowing(_EMPTY_CELL, instruction, choice=True):
        match = _EMPTY_CELL.search(said)
        word = next((word for word in match.groups() if word), "") if match is not None else ""
        for name, what, old, new in (
            ("no-value", f"`{word}` in empty cells", "", word),
            ("empty", "empty cells", word, ""),
        ):
            other = [
                {key: new if cell == old else cell for key, cell in row.items()} for row in document.value
            ]
            if other != document.value:
                yield name, what, document.render(other)
