"""How an instruction shows that lines are written: `40: Hm`, `[bearings]` and `leg0 = 12.3`, `77 T`, a table.

A layout is taken from a line of an example, whatever names and values the example has: what stands before
the name, between the cells and after the last one, and the lines that stand above (a section, a header).
References are written in it. Pure: nothing is run here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from adjudge.audit.documents import whole_number
from adjudge.tasks import find_fences

Reference = tuple[str, str, Any]

_CODE = re.compile(r"(?<!`)`([^`\n]{3,120})`(?!`)")
_INDENTED = re.compile(r"(?:(?<=\n)|\A)(?:[ ]{4}|\t)[^\n]*(?:\n(?:[ ]{4}|\t)[^\n]*)*")
_TABLE = re.compile(r"(?:^[ ]{0,3}\|[^\n]*\|[ \t]*(?:\n|\Z)){2,}", re.M)
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")
_SECTION = re.compile(r"\s*\[\s*(?P<name>[^\[\]\n]{1,60}?)\s*\]\s*")
_COMMENT = re.compile(r"\s*(?:[#;]|//|```)")
_LINE = re.compile(
    r"(?P<lead>\s*(?:[-*+]\s+|\|\s*)?)(?P<before>[A-Za-z]{1,12}[ _-]?(?=<?\d))?"
    r"(?P<key><\w+>|\d{1,4}|[\"']?[A-Za-z_](?:[\w.-]*\w)?[\"']?)"
    r"(?P<mark>\s*(?:=>|->|<TAB>|\\t|[:=,;|)\t])\s*|\.\s+|\s+)"
    r"(?P<rest>[^\s=:|].*?)(?P<tail>\s*\|)?\s*"
)
_DECIMALS = re.compile(
    r"(?<!at least )\b(one|two|three|four|\d)\s+decimals?\b|\b(?:to the|in) cents?\b", re.I
)
_PROSE = re.compile(r"[A-Za-z]{2,}(?: [A-Za-z]{2,}){3}")
_MOST_ROWS = 60
_MOST_LAYOUTS = 4
_MOST = 24
_DIGITS = 12


class Layout(Struct, frozen=True):
    """How a line is written, and what stands above the lines."""

    above: tuple[str, ...]
    lead: str
    before: str
    mark: str
    tail: str
    columns: tuple[str, ...]
    """The names above the cells, if there are any."""
    cells: int
    counted: bool
    """Is the first cell a number that counts the lines?"""
    section: str
    """The name of the section in which the line stands; "" for none."""
    quote: str
    places: int | None
    """The decimals that the instruction asks for."""

    def row(self, cells: Sequence[Any]) -> str:
        """A line of these cells."""
        cells = [written_number(cell, self.places) if isinstance(cell, float) else cell for cell in cells]
        first = f"{self.before}{cells[0]}" if str(cells[0]).isdigit() else str(cells[0])
        rest = [f"{self.quote}{cell}{self.quote}" if isinstance(cell, str) else cell for cell in cells[1:]]
        return self.lead + self.mark.join(map(str, [first, *rest])) + self.tail

    def text(self, rows: Sequence[Sequence[Any]]) -> str:
        """The lines below what stands above them."""
        return "\n".join([*self.above, *map(self.row, rows)])

    def sections(self, parts: Mapping[str, Sequence[Sequence[Any]]]) -> str:
        """A section for each part."""
        return "\n\n".join("\n".join([f"[{name}]", *map(self.row, rows)]) for name, rows in parts.items())


def blocks_shown(instruction: str) -> list[str]:
    """Every example that an instruction shows: fenced, indented, as a table, between backticks."""
    fenced = [fence.content for fence in find_fences(instruction)]
    indented = [re.sub(r"(?m)^(?:[ ]{4}|\t)", "", match[0]) for match in _INDENTED.finditer(instruction)]
    tables = [match[0] for match in _TABLE.finditer(instruction)]
    inside = "\n".join([*fenced, *indented])
    codes = [code for code in _CODE.findall(instruction) if code not in inside]
    return list(dict.fromkeys([*fenced, *indented, *tables, *codes]))


def layouts(instruction: str) -> list[Layout]:
    """The layouts that an instruction shows, those of the last examples first: there an answer is shown."""
    found: dict[Layout, None] = {}
    blocks = blocks_shown(instruction)
    blocks.reverse()
    for block in sorted(blocks, key=_order):
        layout = _layout(block, decimals_told(instruction))
        if layout is not None:
            found[layout] = None
    return list(found)[:_MOST_LAYOUTS]


def laid_out(found: list[Reference], instruction: str) -> list[tuple[str, str]]:
    """(source, text) for each reference that fits a layout of the instruction; at most 24."""
    made: dict[str, str] = {}
    shown = layouts(instruction)
    for where, name, value in found:
        for layout in shown:
            for text in _texts(value, layout):
                made.setdefault(text, f"{name} of tests/{where}")
    return [(source, text) for text, source in made.items()][:_MOST]


def _order(block: str) -> int:
    """Examples of several lines before a table, which may be an input, and before a few words."""
    return 1 if _TABLE.fullmatch(block) else 2 * ("\n" not in block.strip())


def _layout(block: str, places: int | None) -> Layout | None:
    """The layout of the first line of an example that has a name and something beside it."""
    lines = [line for line in block.strip("\n").split("\n") if line.strip() and not _COMMENT.match(line)]
    above: list[str] = []
    section = ""
    for number, line in enumerate(lines):
        match = _LINE.fullmatch(line)
        head = _SECTION.fullmatch(line)
        if head is not None:
            section = head["name"]
        elif match is not None and not _PROSE.search(line) and not _RULE.fullmatch(line):
            mark = "\t" if "TAB" in match["mark"] or "\\t" in match["mark"] else match["mark"]
            cells = _cells(match["rest"], mark)
            data = re.search(r"\d", line) is not None or number + 1 == len(lines)
            if not data and _follows_rows(lines[number + 1 :], mark, len(cells)):
                above.append(line)
                continue
            columns = _columns(above[0], mark) if above else ()
            return Layout(
                above=tuple(above),
                lead=match["lead"],
                before=match["before"] or "",
                mark=f" {mark.strip()} " if mark.strip() == "|" else mark,
                tail=match["tail"] or "",
                columns=columns if len(columns) == 1 + len(cells) else (),
                cells=1 + len(cells),
                counted=match["key"].isdigit(),
                section=section,
                quote=cells[0][0] if cells[0][:1] in ('"', "'") else "",
                places=places,
            )
        if number < 3:
            above.append(line)
    return None


def _follows_rows(lines: list[str], mark: str, cells: int) -> bool:
    """Is what follows a header rows of as many cells?"""
    rows = [line for line in lines if not _RULE.fullmatch(line)]
    match = _LINE.fullmatch(rows[0]) if rows else None
    return (
        match is not None
        and mark.strip() in (",", ";", "|", "")
        and len(_cells(match["rest"], mark)) == cells
    )


def _cells(rest: str, mark: str) -> list[str]:
    by = mark.strip() or ("\t" if "\t" in mark else "")
    return [cell.strip() for cell in rest.split(by)] if by in (",", ";", "|", "\t") and by else [rest]


def _columns(header: str, mark: str) -> tuple[str, ...]:
    by = mark.strip() or None
    return tuple(cell.strip() for cell in header.strip().strip("|").split(by))


def _texts(value: Any, layout: Layout) -> Iterator[str]:
    if isinstance(value, Mapping) and 1 < len(value) <= _MOST_ROWS:
        parts = _parted(value)
        if parts is not None and layout.section:
            by_part = {name: _pairs(part) for name, part in parts.items()}
            if all(rows for rows in by_part.values()):
                yield layout.sections({name: rows or [] for name, rows in by_part.items()})
        rows = _rows(value, layout)
        if rows is not None:
            yield layout.text(rows)
    elif isinstance(value, list) and 1 < len(value) <= _MOST_ROWS:
        rows = _listed(value, layout)
        if rows is not None:
            yield layout.text(rows)


def _parted(value: Mapping[str, Any]) -> dict[str, Mapping[str, Any]] | None:
    """An object of objects, also one whose names have two parts (`north.bolts`); None for any other."""
    if all(isinstance(part, Mapping) and part for part in value.values()):
        return dict(value)
    for mark in (".", "/", ":", ","):
        if all(key.count(mark) == 1 for key in value):
            parts: dict[str, dict[str, Any]] = {}
            for key, cell in value.items():
                parts.setdefault(key.split(mark)[0], {})[key.split(mark)[1]] = cell
            return dict(parts)
    return None


def _pairs(part: Mapping[str, Any]) -> list[list[Any]] | None:
    rows = [[key, plain_cell(cell)] for key, cell in part.items()]
    return None if any(row[1] is None for row in rows) else rows


def _rows(value: Mapping[str, Any], layout: Layout) -> list[list[Any]] | None:
    """The lines of an object: each name with its value, with its values in a row, or with those by column."""
    rows = []
    for key, cell in value.items():
        if isinstance(cell, Mapping):
            names = [name for name in layout.columns if name in cell]
            parts = [cell[name] for name in names] if len(names) == layout.cells - 1 else []
        else:
            parts = cell if isinstance(cell, list) and layout.cells > 2 else [cell]
        cells = [plain_cell(part) for part in parts]
        if len(cells) != layout.cells - 1 or None in cells:
            return None
        rows.append([key, *cells])
    return rows


def _listed(value: list[Any], layout: Layout) -> list[list[Any]] | None:
    """The lines of a list: of rows, of records by column, or of single values that are counted."""
    rows: list[list[Any]] = []
    for number, item in enumerate(value, 1):
        if isinstance(item, Mapping):
            parts = [item[name] for name in layout.columns if name in item]
        elif isinstance(item, list):
            parts = item
        else:
            parts = [number, item] if layout.counted else []
        if layout.counted and len(parts) == layout.cells - 1:
            parts = [number, *parts]
        cells = [plain_cell(part) for part in parts]
        if len(cells) != layout.cells or None in cells:
            return None
        rows.append(cells)
    return rows


def decimals_told(instruction: str) -> int | None:
    """The decimals that an instruction asks for; None if it says nothing of them, or that more may stand."""
    said = _DECIMALS.search(instruction)
    if said is None:
        return None
    return 2 if said[1] is None else whole_number(said[1])


def written_number(value: float, places: int | None) -> float | str:
    """A number with so many decimals, or as it is without the last digits, which are noise."""
    return float(f"{value:.{_DIGITS}g}") if places is None else f"{value + 0.0:.{places}f}"


def plain_cell(value: Any) -> Any:
    """A value as it is written: itself, or the first of several spellings; None if it is no plain value."""
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(first, bool):
        return str(first).lower()
    if isinstance(first, float):
        return float(f"{first:.{_DIGITS}g}")
    return first if isinstance(first, int | str) else None
