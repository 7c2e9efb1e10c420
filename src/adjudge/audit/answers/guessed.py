"""Shapes that an answer may have, where the instruction shows only a part of it. Pure.

An instruction says "one line per mark" or `{"EM-1": 2.0, ...}`, and the verifier holds the marks: as the keys
of a table, or as a list. Names that all stand in the instruction are those that it speaks of. A value None
stands for one that is not known, of any type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

Reference = tuple[str, str, Any]
_MOST = 6
_MOST_NAMES = 60
_MOST_NODES = 2_000
SOME_TEXT = "as it was worked out above"
"""Where a text is asked for that is known nowhere: as long as most ask for."""
_HEADER = re.compile(r"[`\"“](?P<names>[A-Za-z_]\w*(?:[,;|]\s?[A-Za-z_]\w*)+)[`\"”]")


def header_shown(instruction: str) -> list[str]:
    """The columns of a table that an instruction writes as one header: `room,luminaire`; [] if none."""
    shown = [re.split(r"[,;|]\s?", match["names"]) for match in _HEADER.finditer(instruction)]
    return next((names for names in shown if len(set(names)) == len(names)), [])


def guessed_objects(instruction: str, start: Any, found: list[Reference]) -> Iterator[tuple[str, Any]]:
    """(source, shape) of objects by the verifier's names: each with a value, or with what is shown of one."""
    for source, node in _named(instruction, found):
        names = list(node)
        if isinstance(start, dict) and start and set(start) <= set(names):
            if len(names) > len(start):
                like = next(iter(start.values()))
                yield source, {name: start.get(name, like) for name in names}
        elif isinstance(start, dict) and start and not set(start) & set(names):
            each = {
                key: _told_word(key, instruction) if value == "" else value for key, value in start.items()
            }
            yield source, {name: dict(each) for name in names}
        elif not start:
            yield source, dict.fromkeys(names)


def guessed_rows(instruction: str, columns: list[str], found: list[Reference]) -> Iterator[tuple[str, Any]]:
    """(source, rows) of tables that have the verifier's names in their first column.

    A value that the verifier holds for a name stands in the last column, if it is a number or a text.
    """
    for source, node in _named(instruction, found):
        rows = []
        for name in node:
            value = node[name] if isinstance(node, dict) else SOME_TEXT
            plain = isinstance(value, int | float | str)
            rest = dict.fromkeys(columns[1:])
            if plain and columns[1:]:
                rest[columns[-1]] = value
            rows.append({columns[0]: name, **rest})
        yield source, rows


def names_told(instruction: str, found: list[Reference]) -> Iterator[tuple[str, list[str]]]:
    """(source, names) of the verifier's tables whose names all stand in the instruction, each set once."""
    seen: set[tuple[str, ...]] = set()
    for source, node in _named(instruction, found):
        names = tuple(node)
        if names not in seen:
            seen.add(names)
            yield source, list(names)


def numbered(value: Any) -> Any:
    """A shape with a number in each place of which nothing is known: most of what is left out is one."""
    if isinstance(value, dict):
        return {key: numbered(child) for key, child in value.items()}
    if isinstance(value, list):
        return [numbered(child) for child in value]
    return 0.0 if value is None else value


def filled(value: Any) -> Any:
    """A shape with something in each place of which nothing is known."""
    if isinstance(value, dict):
        return {key: filled(child) for key, child in value.items()}
    if isinstance(value, list):
        return [filled(child) for child in value]
    return SOME_TEXT if value is None else value


def _told_word(name: str, instruction: str) -> str:
    """The first word in backticks where a sentence begins with a field's name: "Unit is one of `mg/L`"."""
    for sentence in re.split(r"(?<=[.;:])\s|\n", instruction):
        if re.match(rf"\W*(?:the )?{re.escape(name)}\b", sentence, re.I):
            words: list[str] = [
                word for word in re.findall(r"`([^`\n]+)`", sentence) if word.lower() != name.lower()
            ]
            if words:
                return words[0]
    return ""


def _named(instruction: str, found: list[Reference]) -> Iterator[tuple[str, Any]]:
    """Objects and lists of names that all stand in the instruction, each set of names once."""
    seen: set[tuple[str, ...]] = set()
    for where, constant, value in found:
        stack = [value]
        for node in stack:
            if len(stack) > _MOST_NODES or len(seen) >= _MOST:
                break
            names = list(node) if isinstance(node, dict | list) else []
            told = 2 <= len(names) <= _MOST_NAMES and all(
                isinstance(name, str) and name and _stands_in(name, instruction) for name in names
            )
            if told and len(set(names)) == len(names) and (key := (type(node).__name__, *names)) not in seen:
                seen.add(key)
                yield f"{constant} of tests/{where}", node
            stack += list(node.values()) if isinstance(node, dict) else names[:50]


def _stands_in(name: str, instruction: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", instruction) is not None
