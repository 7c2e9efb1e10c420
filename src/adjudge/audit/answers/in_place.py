"""A file that the task gives and that is to be changed, with the verifier's references set in it. Pure.

A setting that stands there gets its value, one that stands nowhere is added in the spelling of the others: at
the end, or at the end of its section. All else stays as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.audit.answers.rows import Reference

_LINE = re.compile(
    r"(?P<lead>\s*)(?P<name>[A-Za-z_][\w.-]*)(?P<mark>\s*[=:]\s*|\s+)(?P<value>\S.*?)(?P<tail>\s*;?\s*)"
)
_SECTION = re.compile(r"\s*\[(?P<name>[^\[\]\n]+)\]\s*")
_MOST = 12
_MOST_NAMES = 60

Settings = Mapping[str, str]
"""Values by name, or by section and name with a line end between."""


def edited(base: str, found: list[Reference]) -> Iterator[tuple[str, bytes]]:
    """(source, file) for each reference of names and values of which one stands in the file, then for all."""
    there = {match["name"].lower() for line in base.splitlines() if (match := _LINE.fullmatch(line))}
    there |= {match["name"].lower() for line in base.splitlines() if (match := _SECTION.fullmatch(line))}
    every: dict[str, str] = {}
    made: dict[str, str] = {}
    for where, name, value in found:
        settings = dict(_settings(value))
        known = [key for key in settings if key.partition("\n")[0].lower() in there]
        if known and 2 * len(known) >= len(settings) and len(settings) <= _MOST_NAMES:
            every |= settings
            made.setdefault(_set(base, settings), f"{name} of tests/{where}")
    if len(made) > 1:
        made.setdefault(_set(base, every), "the settings that tests/ holds")
    for text, source in list(made.items())[:_MOST]:
        if text != base:
            yield source, text.encode()


def _settings(value: Any) -> Iterator[tuple[str, str]]:
    """Names with a plain value each: an object, one of sections, rows of two cells, lines."""
    rows: list[Any] = (
        list(value.items()) if isinstance(value, dict) else value if isinstance(value, list) else []
    )
    for row in rows:
        cells = _LINE.fullmatch(row) if isinstance(row, str) else None
        pair = (cells["name"], cells["value"]) if cells is not None else row
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            continue
        if isinstance(pair[1], dict):
            yield from ((f"{pair[0]}\n{name}", told) for name, told in _settings(pair[1]))
        elif isinstance(pair[1], str | int | float):
            told = str(pair[1]).lower() if isinstance(pair[1], bool) else str(pair[1])
            yield pair[0], told


def _set(base: str, settings: Settings) -> str:
    """The file with these settings; of a name that stands there several times all are set."""
    left = {key.lower(): (key, value) for key, value in settings.items()}
    marks: Counter[str] = Counter()
    made: list[str] = []
    section = ""
    done: set[str] = set()

    def add(prefix: str) -> None:
        mark = marks.most_common(1)[0][0] if marks else " "
        end = len(made)
        while end and not made[end - 1].strip():
            end -= 1
        more = [
            f"{key.rpartition(chr(10))[2]}{mark}{value}"
            for low, (key, value) in left.items()
            if low not in done and low.startswith(prefix) and ("\n" in low) is ("\n" in prefix)
        ]
        done.update(low for low in left if low.startswith(prefix) and ("\n" in low) is ("\n" in prefix))
        made[end:end] = more

    for line in base.splitlines():
        head, match = _SECTION.fullmatch(line), _LINE.fullmatch(line)
        if head is not None:
            if section:
                add(f"{section}\n")
            section = head["name"].lower()
        elif match is not None:
            marks[match["mark"]] += 1
            name = match["name"].lower()
            low = next((key for key in (f"{section}\n{name}", name) if key in left), None)
            if low is not None:
                done.add(low)
                made.append(f"{match['lead']}{match['name']}{match['mark']}{left[low][1]}{match['tail']}")
                continue
        made.append(line)
    if section:
        add(f"{section}\n")
    add("")
    return "\n".join(made) + "\n"
