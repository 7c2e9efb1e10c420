"""References in sections, as an instruction shows one of them: `## Q1`, some lines, `Answer: B`. Pure.

A section is written for each name of the verifier's. The value stands where the example has one: behind the
label that says so (`Answer:`), else behind the last; several values, or those by name, each at its place.
What else the example shows is kept as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.audit.answers.written.layouts import blocks_shown, plain_cell

Reference = tuple[str, str, Any]

_HEAD = re.compile(
    r"(?P<lead>#{1,6} +|\*\*|\[ ?|=+ ?|-{2,} ?)?(?P<before>(?:[A-Za-z]+ )?)(?P<name>[^\n]{1,60}?)"
    r"(?P<tail> ?\]|\*\*:?| ?=+| ?-{2,}|:)?[ \t]*"
)
_SLOT = re.compile(
    r"(?P<lead>[ \t]*(?:[-*+] +)?\**(?P<key>[A-Za-z_][\w .-]*?)\**[ \t]*[:=]\**[ \t]*)(?P<value>\S.*?)[ \t]*"
)
_OPEN = re.compile(r"<[^<>]+>|\{\w+\}|N|X|\d{1,3}|\.\.\.|…")
_TELLING = re.compile(r"answer|result|value|choice|verdict|solution|letter|option", re.I)
_MOST_LINES = 12
_MOST_NAMES = 60
_MOST = 8


def in_sections(found: list[Reference], instruction: str) -> list[tuple[str, str]]:
    """(source, text) for each reference by name that can be written in the sections shown; at most eight."""
    made: dict[str, str] = {}
    for block in reversed(blocks_shown(instruction)):
        lines = block.strip("\n").split("\n")
        if not 2 <= len(lines) <= _MOST_LINES:
            continue
        for where, name, value in found:
            if isinstance(value, Mapping) and 2 <= len(value) <= _MOST_NAMES:
                for text in _sections(value, lines):
                    made.setdefault(text, f"{name} of tests/{where}")
    return [(source, text) for text, source in made.items()][:_MOST]


def _sections(value: Mapping[str, Any], lines: list[str]) -> Iterator[str]:
    head = _HEAD.fullmatch(lines[0])
    if head is None or not (head["lead"] or head["tail"]):
        return
    title = _title(lines[0], head, list(value))
    if title is None:
        return
    parts = []
    for key, cell in value.items():
        body = _filled(lines[1:], cell)
        if body is None:
            return
        parts.append("\n".join([lines[0][: title[0]] + key + lines[0][title[1] :], *body]))
    yield "\n\n".join(parts)


def _title(line: str, head: re.Match[str], names: list[str]) -> tuple[int, int] | None:
    """Where the name of a section stands in the first line: one of the names, or a place left open."""
    for start, end in ((head.start("before"), head.end("name")), head.span("name")):
        shown = line[start:end]
        if shown in names or _OPEN.fullmatch(shown):
            return start, end
    return None


def _filled(lines: list[str], cell: Any) -> list[str] | None:
    """The lines of a section with the values of one name; None if there is no place for them."""
    slots = {n: match for n, line in enumerate(lines) if (match := _SLOT.fullmatch(line))}
    values: dict[int, Any] = {}
    if isinstance(cell, Mapping):
        by_name = {str(key).lower(): child for key, child in cell.items()}
        values = {n: by_name[m["key"].lower()] for n, m in slots.items() if m["key"].lower() in by_name}
    elif isinstance(cell, list) and len(cell) == len(slots):
        values = dict(zip(slots, cell, strict=True))
    elif slots:
        told = [n for n, match in slots.items() if _TELLING.search(match["key"])]
        values = {(told or list(slots))[-1]: cell}
    plain = {n: plain_cell(value) for n, value in values.items()}
    if not plain or None in plain.values():
        return None
    return [f"{slots[n]['lead']}{plain[n]}" if n in plain else line for n, line in enumerate(lines)]
