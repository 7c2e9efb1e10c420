"""Forms of an answer that is written in lines or tags: a shape with open places, and how it becomes text.

An example may stand for the whole answer (`<depth>0.0</depth>`, `home_kb=0`): its values are the open places.
Or it shows one line of many: then the names are those of the verifier's tables, or count from 1. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from adjudge.audit.answers.guessed import names_told
from adjudge.audit.answers.written import Layout, Reference, blocks_shown, layouts, plain_cell

_PAIR = re.compile(
    r"\s*(?:[-*]\s+)?[\"']?(?P<key>[A-Za-z_][\w .-]*?)[\"']?\s*(?P<mark>[:=])[ \t]*(?P<value>\S.*?)\s*"
)
_SECTION = re.compile(r"\s*\[\s*([^\[\]\n]{1,60}?)\s*\]\s*")
_COMMENT = re.compile(r"\s*(?:[#;]|//)")
_BEHIND = re.compile(r"\s+#.*$")
_INNER = re.compile(r"<(?P<key>[A-Za-z_][\w.-]*)(?:\s[^<>]*)?>(?P<value>[^<>]*)</(?P=key)>")
_OPENS = ("{", "[", "|", ">", "&", "<")
_MOST = 10
_MOST_PLACES = 60
_MOST_NAMES = 4

Slot = tuple[int, int, str]


class Form(Struct, frozen=True):
    """A shape with open places (None), and what writes a value of that shape as text."""

    source: str
    shape: Any
    write: Callable[[Any], str]


def fits(value: Any, shape: Any) -> bool:
    """Has a value a plain cell in each open place of a shape, and an object where that has one?"""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(key in value and fits(value[key], shape[key]) for key in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and len(value) == len(shape)
    return plain_cell(value) is not None


def forms(instruction: str, found: list[Reference]) -> list[Form]:
    """The forms that an answer may have, the likeliest first; at most ten."""
    blocks = list(reversed(blocks_shown(instruction)))
    whole = [form for block in blocks if (form := as_shown(block)) is not None]
    names = [*names_told(instruction, found)][:_MOST_NAMES]
    lined = [form for layout in layouts(instruction) for form in _by_names(layout, names, found)]
    parted = [
        form for block in blocks for source, named in names for form in _by_section(block, source, named)
    ]
    return [*whole[:3], *parted[:2], *lined, *parted[2:]][:_MOST]


def as_shown(block: str) -> Form | None:
    """The example with its values as open places; None if it has none, or only one line of several."""
    slots = list(_in_tags(block) if block.lstrip().startswith("<") else _in_lines(block))
    if not 0 < len(slots) <= _MOST_PLACES or "\n" not in block.strip():
        return None
    labels: list[str] = []
    for _, _, key in slots:
        labels.append(key if key not in labels else f"{key} {len(labels)}")

    def write(value: dict[str, Any]) -> str:
        return _filled(block, slots, [value.get(label) for label in labels])

    return Form("the example of the task", dict.fromkeys(labels), write)


def _in_tags(block: str) -> Iterator[Slot]:
    for match in _INNER.finditer(block):
        yield match.start("value"), match.end("value"), match["key"]


def _in_lines(block: str) -> Iterator[Slot]:
    at = 0
    for line in block.split("\n"):
        match = _PAIR.fullmatch(_BEHIND.sub("", line))
        if match is not None and not _COMMENT.match(line) and not match["value"].startswith(_OPENS):
            yield at + match.start("value"), at + match.end("value"), match["key"]
        at += len(line) + 1


def _filled(block: str, slots: list[Slot], values: list[Any]) -> str:
    """The example with these values; one that was quoted stays so."""
    made, at = [], 0
    for (start, end, _), value in zip(slots, values, strict=True):
        quote = block[start] if block[start:end][:1] in ('"', "'") else ""
        made += [block[at:start], quote, str(plain_cell(value) if value is not None else ""), quote]
        at = end
    return "".join([*made, block[at:]])


def _by_section(block: str, source: str, names: list[str]) -> Iterator[Form]:
    """A section for each name, with all that the section of the example has."""
    lines = block.strip("\n").split("\n")
    heads = [number for number, line in enumerate(lines) if _SECTION.fullmatch(line)]
    if len(heads) != 1 or len([*_in_lines(block)]) < 2:
        return
    head, body = lines[heads[0]], "\n".join(lines[heads[0] + 1 :])
    if (inner := as_shown(body)) is None:
        return
    shown = re.search(r"[^\[\]\s](?:[^\[\]]*[^\[\]\s])?", head)

    def write(value: dict[str, Any]) -> str:
        parts = []
        for name, part in value.items():
            title = head if shown is None else head[: shown.start()] + name + head[shown.end() :]
            parts.append(f"{title}\n{inner.write(part)}")
        return "\n\n".join(parts)

    yield Form(source, {name: dict(inner.shape) for name in names}, write)


def _by_names(layout: Layout, names: list[tuple[str, list[str]]], found: list[Reference]) -> Iterator[Form]:
    """A line for each name of the verifier's, or for each number from 1."""

    def write(value: dict[str, Any]) -> str:
        return layout.text(_rows(value))

    if layout.counted:
        names = [*_counted(found), *names]
    for source, named in names:
        place: Any = None if layout.cells == 2 else [None] * (layout.cells - 1)
        open_places = {name: place if place is None else list(place) for name in named}
        yield Form(source, open_places, write)


def _rows(value: dict[str, Any]) -> list[list[Any]]:
    rows = []
    for name, cell in value.items():
        cells = cell if isinstance(cell, list) else [cell]
        rows.append([name, *("" if part is None else plain_cell(part) for part in cells)])
    return rows


def _counted(found: list[Reference]) -> Iterator[tuple[str, list[str]]]:
    """1 to n for each length of a table of the verifier's."""
    seen: set[int] = set()
    for where, name, value in found:
        many = len(value) if isinstance(value, dict | list) else 0
        if 1 < many <= _MOST_PLACES and many not in seen and len(seen) < 3:
            seen.add(many)
            yield f"{name} of tests/{where}", [str(number) for number in range(1, many + 1)]
