"""A Markdown table as a list of records; lines of names and values, or a numbered list, as an object.

All are texts that people and verifiers read as data. What stands around a table or a numbered list is kept to
the byte. Lines may stand below headings: `[section]` or `## Section`; then the object has one level more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_HEADING = re.compile(r"[ \t]*(?:\[([^\[\]]+)\]|#{1,6}[ \t]+(\S.*?))[ \t]*")
_SETTING = re.compile(
    r"([ \t]*(?:[-*+] +)?)([^\s:=|#\[{\"'][^:=|{\"']{0,60}?)([ \t]*[:=][ \t]*)(\S.*?)?[ \t]*"
)
_COMMENT = re.compile(r"[ \t]*(?:[;]|//|<!--).*")
_QUOTIENT = re.compile(r"[-+]?[\d.]+\s*/\s*[\d.]+|\d+ : \d+")
"""One value of two numbers, which are best read where they stand."""
_NUMBERED = re.compile(r"([ \t]*)(\d{1,3})([.)][ \t]+)(\S.*?)[ \t]*")
_LEAST_SETTINGS = 3
_MOST_WORDS = 8
"""Of an item on the average: longer ones are the steps of an argument."""
_MOST = 500

Read = tuple[Any, Callable[[Any], bytes]]


def read_table(text: str, cell: Callable[[str], Any], write: Callable[[Any], str]) -> Read | None:
    """The records of the only table of a text; None if there are several, or numbers beside it."""
    lines = text.splitlines()
    rules = [n for n, line in enumerate(lines) if n and "|" in lines[n - 1] and _RULE.fullmatch(line.strip())]
    rules = [n for n in rules if "-" in lines[n]]
    if len(rules) != 1:
        return None
    first, last = rules[0] - 1, rules[0] + 1
    while last < len(lines) and lines[last].strip().startswith("|"):
        last += 1
    columns, *rows = [_cells(line) for line in (lines[first], *lines[rules[0] + 1 : last])]
    around = "".join((*lines[:first], *lines[last:]))
    regular = rows and all(len(row) == len(columns) for row in rows) and len(set(columns)) == len(columns)
    if not regular or not all(columns) or len(rows) > _MOST or re.search(r"\d", around):
        return None
    records = [{name: cell(part) for name, part in zip(columns, row, strict=True)} for row in rows]

    def render(value: Any) -> bytes:
        known = [row if isinstance(row, dict) else {columns[0]: row} for row in value]
        names = [name for name in columns if any(name in row for row in known)] or columns
        if known and list(known[0]) != names and set(known[0]) == set(names):
            names = list(known[0])  # another order of columns
        names = [*names, *dict.fromkeys(name for row in known for name in row if name not in columns)]
        table = [
            names,
            ["---"] * len(names),
            *([write(row.get(name, "")) for name in names] for row in known),
        ]
        written = [f"| {' | '.join(row)} |" for row in table]
        return "".join(f"{line}\n" for line in (*lines[:first], *written, *lines[last:])).encode()

    return records, render


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [part.strip() for part in inner.split("|")]


def read_settings(text: str, cell: Callable[[str], Any], write: Callable[[Any], str]) -> Read | None:
    """The names and values of a text whose lines are all `name: value` or headings; None for any other."""
    lines = [line for line in text.splitlines() if line.strip() and not _COMMENT.fullmatch(line)]
    apart = "\n\n" in text.strip()
    value: dict[str, Any] = {}
    marks: dict[tuple[str, str], tuple[str, str]] = {}
    heads: dict[str, str] = {}
    section = ""
    for line in lines:
        if heading := _HEADING.fullmatch(line):
            section = (heading[1] or heading[2]).strip()
            if section in value:
                return None
            heads[section] = line
            value[section] = {}
            continue
        setting = _SETTING.fullmatch(line)
        inside = value[section] if section else value
        if setting is None or setting[2] in inside or _QUOTIENT.fullmatch(setting[4] or ""):
            return None
        inside[setting[2]] = cell(setting[4] or "")
        marks[section, setting[2]] = setting[1], setting[3]
    named = {name for _, name in marks}
    if not _LEAST_SETTINGS <= len(marks) <= _MOST or not all(re.search(r"\w", name) for name in named):
        return None
    known = next(iter(marks.values()))

    def render(changed: Any) -> bytes:
        table = changed if isinstance(changed, dict) else {}
        parts: list[str] = []
        for name, inner in table.items():
            if isinstance(inner, dict) and heads:
                parts += [*([""] if apart and parts else []), heads.get(name) or head_like(name)]
                parts += [line_of(name, key, said) for key, said in inner.items()]
            else:
                parts.append(line_of("", name, inner))
        return "".join(f"{line}\n" for line in parts).encode()

    def head_like(name: str) -> str:
        first, line = next(iter(heads.items()))
        return line.replace(first, name, 1)

    def line_of(section: str, name: str, said: Any) -> str:
        before, between = marks.get((section, name), known)
        return f"{before}{name}{between}{write(said)}".rstrip()

    return value, render


def read_numbered(text: str, cell: Callable[[str], Any], write: Callable[[Any], str]) -> Read | None:
    """The items of the only numbered list of a text, by their numbers; None if numbers stand beside it."""
    lines = text.splitlines()
    places = numbered_lines(lines)
    if len(places) < _LEAST_SETTINGS or places[-1] - places[0] > 2 * len(places):
        return None
    items = [_NUMBERED.fullmatch(lines[place]) for place in places]
    found = {item[2]: item for item in items if item is not None}
    around = [line for number, line in enumerate(lines) if number not in places and line.strip()]
    between = [lines[number] for number in range(places[0], places[-1]) if number not in places]
    words = sum(len(item[4].split()) for item in found.values())
    if (
        len(found) != len(places)
        or words > _MOST_WORDS * len(found)
        or any(re.search(r"\d", line) for line in around)
        or any(line.strip() for line in between)
    ):
        return None
    known = next(iter(found.values()))

    def render(changed: Any) -> bytes:
        table = changed if isinstance(changed, dict) else {}
        own = [found.get(name, known) for name in table]
        made = [
            f"{item[1]}{name}{item[3]}{write(said)}".rstrip()
            for item, (name, said) in zip(own, table.items(), strict=True)
        ]
        written = [*lines[: places[0]], *made, *lines[places[-1] + 1 :]]
        return "".join(f"{line}\n" for line in written).encode()

    return {name: cell(item[4]) for name, item in found.items()}, render


def numbered_lines(lines: list[str]) -> list[int]:
    """The places of lines that are numbered one after the other, from 1 and at least up to 2, in any list."""
    places: list[int] = []
    run: list[int] = []
    for place, line in enumerate(lines):
        item = _NUMBERED.fullmatch(line)
        if item is None:
            continue
        if int(item[2]) == len(run) + 1:
            run.append(place)
            continue
        places += run if len(run) > 1 else []
        run = [place] if item[2] == "1" else []
    return places + (run if len(run) > 1 else [])
