"""References as rows of a table or records of a list, in the columns that an instruction shows. Pure.

A verifier keeps its rows as it likes: `["Mill House", "101", 4]`, an object by name, pairs in a set, a list
of numbers that are counted. Or it has only what rows are made of: its inputs, and functions that give the
values of one (`cost(row)`, `last_day(licence)`). The instruction has the columns and their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from adjudge.audit.answers.guessed import SOME_TEXT
from adjudge.audit.answers.written import blocks_shown, decimals_told, written_number
from adjudge.audit.documents import write_csv

Reference = tuple[str, str, Any]
Record = dict[str, Any]

_WORD = r"\s?[A-Za-z_][\w./%-]*"
_HEADER = re.compile(rf"\s*{_WORD}(?:\s?([,;|\t]){_WORD})(?:\s?\1{_WORD})*\s*")
_AND = r"(?:,\s+(?:and\s+)?|\s+and\s+)"
_QUOTED = r"`[^`\n]{1,40}`(?:\s+\([^()\n]{0,40}\))?"
_TOLD = re.compile(
    rf"\bcolumns?\b(?:\s+(?:are|is|called|named))?:?\s+"
    rf"(?P<names>{_QUOTED}(?:{_AND}{_QUOTED})+|[a-z_]\w*(?:{_AND}[a-z_]\w*)+)"
)
_MADE = re.compile(r"(?P<function>[\w.]+)\((?P<table>.+)\)", re.S)
_KEY = ""
"""The cell that names a row, if it stands before the row."""
_TELLING = re.compile(r"truth|expect|refer|answer|golden|correct|target|solution|key|want|right", re.I)
_DEEPEST = 3
_UNNAMED = "\0"
"""What the names of cells begin with that have none: what a function gave."""
_MOST = 12
_MOST_ROWS = 200
_MOST_NODES = 2_000


class Columns(Struct, frozen=True):
    """The columns of a table: the kind of each value (None if any may stand there), and what parts them."""

    kinds: Record
    mark: str = ","
    places: int | None = None

    def text(self, rows: list[Record]) -> bytes:
        """Rows as a table."""
        cells = [{name: _written(value, self.places) for name, value in row.items()} for row in rows]
        return write_csv(cells, list(self.kinds), self.mark).rstrip(b"\n")

    def written(self, rows: list[Record]) -> str:
        """The same as text."""
        return self.text(rows).decode()

    def table(self, rows: list[Record]) -> str:
        """Rows as a table of Markdown."""
        cells = [[_written(row.get(name), self.places) for name in self.kinds] for row in rows]
        lines = [list(self.kinds), ["---"] * len(self.kinds), *cells]
        return "\n".join(f"| {' | '.join('' if x is None else str(x) for x in line)} |" for line in lines)


def columns_shown(instruction: str, output: str) -> list[Columns]:
    """The headers that an instruction shows, those first that stand behind the name of the output."""
    named = instruction.find(output.rpartition("/")[2])
    found: dict[tuple[str, ...], tuple[bool, Columns]] = {}
    for block in blocks_shown(instruction):
        line = block.strip("\n").split("\n")[0]
        match = _HEADER.fullmatch(line)
        names = [name.strip() for name in line.split(match[1])] if match else []
        if match and len(set(names)) == len(names):
            before = instruction.find(line) < named
            columns = Columns(dict.fromkeys(names), match[1], decimals_told(instruction))
            found.setdefault(tuple(names), (before, columns))
    shown = [columns for _, columns in sorted(found.values(), key=lambda one: one[0])][:2]
    return shown or columns_told(instruction)


def columns_told(instruction: str) -> list[Columns]:
    """The columns that a sentence names: "a table with the columns `Room`, `Area` and `Use`"."""
    found = []
    for match in _TOLD.finditer(instruction):
        quoted = re.findall(r"`([^`\n]+)`", match["names"])
        names = quoted or re.findall(r"\w+", re.sub(r"\band\b", " ", match["names"]))
        if len(names) > 1 and len(set(names)) == len(names):
            found.append(Columns(dict.fromkeys(names), places=decimals_told(instruction)))
    return found[:2]


def rows_of(found: list[Reference], columns: Columns) -> list[tuple[str, list[Record]]]:
    """(source, rows) of references that fit the columns, the fullest first; at most twelve."""
    made: dict[str, tuple[tuple[int, int, bool], str, list[Record]]] = {}
    worked_out = [(0, source, records) for source, records in _worked_out(found)]
    for depth, source, records in [*worked_out, *_as_records(found)]:
        for lacking, rows in _fitted(records, columns.kinds):
            rank = (lacking, depth, _TELLING.search(source) is None)
            made.setdefault(repr(rows), (rank, source, rows))
    best = sorted(made.values(), key=lambda one: one[0])
    return [(source, rows) for _, source, rows in best[:_MOST]]


def _as_records(found: list[Reference]) -> Iterator[tuple[int, str, list[Any]]]:
    """Every list and object inside of the references as rows, with its depth."""
    for where, name, value in found:
        stack = [(0, value)]
        for depth, node in stack:
            if len(stack) > _MOST_NODES:
                break
            inside = list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else []
            if 1 < len(inside) <= _MOST_ROWS:
                yield depth, f"{name} of tests/{where}", list(_records(node))
            stack += [(depth + 1, child) for child in inside[:50]] if depth < _DEEPEST else []


def _records(node: Any) -> Iterator[Any]:
    for key, cell in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(cell, dict):
            yield {_KEY: key, **cell} if isinstance(node, dict) else cell
        else:
            cells = cell if isinstance(cell, list) else [cell]
            yield [key, *cells] if isinstance(node, dict) else cells


def _worked_out(found: list[Reference]) -> Iterator[tuple[str, list[Any]]]:
    """Rows of the verifier's inputs together with what its functions make of each."""
    tables: dict[str, Any] = {}
    made: dict[str, dict[str, Any]] = {}
    for where, name, value in found:
        tables.setdefault(f"{name} of {where}", value)
        tables.setdefault(name, value)
        match = _MADE.fullmatch(name)
        if match is not None and isinstance(value, dict | list):
            function = match["function"].rpartition(".")[2]
            made.setdefault(match["table"], {}).setdefault(function, (where, value))
    for table, results in made.items():
        given = tables.get(table)
        if not isinstance(given, dict | list):
            continue
        inputs = list(_inputs(given))
        whole = {
            name: list(value.values()) if isinstance(value, dict) else value
            for name, (_, value) in results.items()
            if len(value) == len(inputs)
        }
        for name, values in whole.items():
            others = {other: cells for other, cells in whole.items() if other != name}
            rows = [
                {**one, **{other: cells[n] for other, cells in others.items()}, **_result(name, values[n])}
                for n, one in enumerate(inputs)
            ]
            yield f"{name}({table}) of tests/{results[name][0]}", rows


def _inputs(given: Any) -> Iterator[Record]:
    for key, cell in given.items() if isinstance(given, dict) else enumerate(given):
        row = dict(cell) if isinstance(cell, dict) else {}
        texts = cell.values() if isinstance(cell, dict) else cell if isinstance(cell, list) else [cell]
        first = next((text for text in texts if isinstance(text, str)), key)
        yield {_KEY: key if isinstance(given, dict) else first, **row}


def _result(name: str, value: Any) -> Record:
    """What a function gave: by its name, or the cells of a row, which have none."""
    if isinstance(value, dict):
        return value
    cells = value if isinstance(value, list) else [value]
    return {name: value, **{f"{_UNNAMED}{n}": cell for n, cell in enumerate(cells)}}


def _fitted(records: list[Any], kinds: Record) -> Iterator[tuple[int, list[Record]]]:
    """(cells that are left out, rows): by the names of columns, else in their order, else counted."""
    if all(isinstance(record, dict) for record in records):
        named = [_by_name(record, kinds) for record in records]
        if all(row is not None for row in named):
            rows = [row or {} for row in named]
            whole = [_whole(row, kinds) for row in rows]
            if all(row is not None for row in whole):
                lacking = len(kinds) - min(len(row) for row in rows)
                yield lacking, [row or {} for row in whole]
        records = [[cell for name, cell in record.items() if name[:1] != _UNNAMED] for record in records]
    if not all(isinstance(record, list) for record in records):
        return
    for first in (None, 0, 1):
        counted = records if first is None else [[n, *record] for n, record in enumerate(records, first)]
        rows_or_none = [_in_order(record, kinds) for record in counted]
        if all(row is not None for row in rows_or_none):
            lacking = max(abs(len(kinds) - len(record)) for record in counted)
            yield lacking + (first is not None), [row or {} for row in rows_or_none]


def _by_name(record: Record, kinds: Record) -> Record | None:
    """The cells of the columns by their names, at least one of them; the name of the row in the first that is
    left, then those that have no name."""
    plain = {_plain(name): cell for name, cell in record.items() if name != _KEY and name[:1] != _UNNAMED}
    row: Record = {}
    for column in kinds:
        like = [name for name in plain if name and (name in _plain(column) or _plain(column) in name)]
        name = _plain(column) if _plain(column) in plain else like[0] if len(like) == 1 else None
        if name is not None and not isinstance(plain[name], dict | list):
            row[column] = plain[name]
    exact = any(_plain(column) in plain for column in row)
    left = [column for column in kinds if column not in row]
    if _KEY in record and left and left[0] == next(iter(kinds)):
        row[left.pop(0)] = record[_KEY]
    unnamed = [cell for name, cell in record.items() if name[:1] == _UNNAMED]
    if unnamed and len(unnamed) == len(left):
        row.update(zip(left, unnamed, strict=True))
        exact = True
    return row if exact and 2 * len(row) >= len(kinds) else None


def _in_order(cells: list[Any], kinds: Record) -> Record | None:
    """Cells in the order of the columns: all of them, or the first of a row that has more (a tolerance).

    Columns behind them may be left if the agent is to say something in words there. A column that is a list
    takes the cells that are too many: a pair of names before what is said of it.
    """
    lists = [place for place, kind in enumerate(kinds.values()) if isinstance(kind, list)]
    more = len(cells) - len(kinds) + 1
    if len(lists) == 1 and more > 1:
        [at] = lists
        cells = [*cells[:at], cells[at : at + more], *cells[at + more :]]
    missing = list(kinds.values())[len(cells) :]
    if missing and len(cells) != 1 and not all(map(_is_free_text, missing)):
        return None
    return _whole(dict(zip(kinds, cells, strict=False)), kinds)


def _whole(row: Record, kinds: Record) -> Record | None:
    """A row of values of the right kinds, with some text where one is missing; None if one does not fit."""
    made: Record = {}
    for column, kind in kinds.items():
        value = row.get(column, SOME_TEXT)
        listed = isinstance(value, list) and isinstance(kind, list)
        if listed and not any(isinstance(item, dict | list) or item is None for item in value):
            made[column] = value
            continue
        if isinstance(value, dict | list):
            return None
        if value is None:
            made[column] = None
            continue
        if isinstance(kind, str):
            value = str(value)
        elif kind is not None and not _suits(value, kind):
            return None
        made[column] = value
    return made


def _is_free_text(kind: Any) -> bool:
    """Does an example show more than a word there, or dots for one?"""
    return isinstance(kind, str) and (len(kind.split()) > 1 or not kind.strip(". "))


def _suits(value: Any, kind: Any) -> bool:
    """Is it a truth value or a number, as its column is?"""
    return isinstance(value, bool) is isinstance(kind, bool) and not isinstance(value, str)


def _plain(name: Any) -> str:
    return re.sub(r"\W|_", "", str(name)).lower()


def _written(value: Any, places: int | None) -> Any:
    return written_number(value, places) if isinstance(value, float) else value
