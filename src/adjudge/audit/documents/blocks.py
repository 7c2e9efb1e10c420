"""Texts of several lines below one thing: elements of XML, items below a heading, lists and texts in records.

`blocks` finds what a verifier may compare line by line, and writes the answer with all of these blocks made
empty, cut to their first line, or wrong. Whoever compares with `zip` takes the beginning for the whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from adjudge.audit.documents.leaves import Path, name_paths, replaced

_ELEMENT = re.compile(r"<([\w:.-]+)((?: [^<>]*)?)(?<!/)>([^<]*[^<\s][^<]*)</\1>[ \t]*\n?")
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)]) +(\S.*)\n?", re.M)
_WRONG = "none of these"
_LEAST = 2
_MOST = 4
_MOST_NODES = 5_000


class Passage(Struct, frozen=True):
    """All the lines of one kind: how many there are, in how many places, and how to write them otherwise."""

    name: str
    lines: int
    places: int
    empty: Any
    first: Any
    wrong: Any
    blank: Any = None
    """The lines are there, with nothing in them; None if that is the same as empty."""


def text_blocks(text: str, *, xml: bool) -> list[Passage]:
    """The blocks of a text, as whole texts; elements of XML by their names, else the items of lists."""
    if not xml:
        found = list(_ITEM.finditer(text))
        return [_block("items", text, found)] if len(found) >= _LEAST else []
    found = list(_ELEMENT.finditer(text))
    names = list(dict.fromkeys(match[1] for match in found))
    groups = {name: [match for match in found if match[1] == name] for name in names}
    return [_block(name, text, group) for name, group in groups.items() if len(group) >= _LEAST][:_MOST]


def _block(name: str, text: str, found: Sequence[re.Match[str]]) -> Passage:
    runs: list[list[re.Match[str]]] = []
    for match in found:
        if runs and not text[runs[-1][-1].end() : match.start()].strip():
            runs[-1].append(match)
        else:
            runs.append([match])
    place = 3 if name != "items" else 1

    def written(change: Callable[[re.Match[str], int], str]) -> str:
        parts, at = [], 0
        for run in runs:
            for number, match in enumerate(run):
                parts += [text[at : match.start()], change(match, number)]
                at = match.end()
        return "".join(parts) + text[at:]

    def filled(match: re.Match[str], content: str) -> str:
        start, end = (edge - match.start() for edge in match.span(place))
        return match[0][:start] + content + match[0][end:]

    return Passage(
        name,
        len(found),
        len(runs),
        written(lambda match, number: ""),
        written(lambda match, number: match[0] if number == 0 else ""),
        written(lambda match, number: filled(match, _WRONG)),
        written(lambda match, number: filled(match, "")),
    )


def value_blocks(value: Any) -> list[Passage]:
    """The blocks of a value, as whole values: lists of plain items, and texts, in records."""
    groups: dict[tuple[str, ...], list[tuple[Path, Any]]] = {}
    names = name_paths(value)
    stack: list[tuple[Path, Any]] = [((), value)]
    for path, node in stack:
        if len(stack) > _MOST_NODES:
            return []
        inside = any(isinstance(step, int) for step in path) or len(path) > 1
        if isinstance(node, dict):
            stack += [((*path, key), child) for key, child in node.items()]
        elif isinstance(node, list):
            if inside and node and not any(isinstance(item, dict | list) for item in node):
                groups.setdefault(_pattern(path), []).append((path, node))
            stack += [((*path, place), child) for place, child in enumerate(node)]
        elif isinstance(node, str) and node and inside and isinstance(path[-1], str) and path not in names:
            groups.setdefault(_pattern(path), []).append((path, node))
    told = [(pattern, found) for pattern, found in groups.items() if len(found) >= _LEAST]
    return [_value_block(value, pattern, found) for pattern, found in told[:_MOST]]


def _pattern(path: Path) -> tuple[str, ...]:
    """Records of a list, and records by name, stand under one pattern."""
    steps = ["*" if isinstance(step, int) else step for step in path]
    return tuple(steps) if "*" in steps else (*steps[:-2], "*", *steps[-1:])


def _value_block(value: Any, pattern: tuple[str, ...], found: list[tuple[Path, Any]]) -> Passage:
    def lines(node: Any) -> list[Any]:
        return node.strip().split("\n") if isinstance(node, str) else node

    def written(change: Callable[[list[Any]], list[Any]]) -> Any:
        return replaced(
            value,
            [
                (path, "\n".join(change(lines(node))) if isinstance(node, str) else change(node))
                for path, node in found
            ],
        )

    return Passage(
        str(pattern[-1]),
        sum(len(lines(node)) for _, node in found),
        len(found),
        written(lambda own: []),
        written(lambda own: own[:1]),
        written(lambda own: [_wrong(item) for item in own]),
    )


def _wrong(item: Any) -> Any:
    if isinstance(item, bool):
        return not item
    return _WRONG if isinstance(item, str) else item * 7 + 13
