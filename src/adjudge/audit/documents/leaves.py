"""The values inside an answer: find them, name them, replace them.

A value is plain JSON. A leaf is a number, a word or a truth value at a path; a number in text ("4.7 V", as in
CSV or where a unit stands beside it) is a number too, and keeps its text when it changes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeVar

from msgspec import Struct

Path = tuple[str | int, ...]
T = TypeVar("T")
Kind = Literal["number", "text", "truth"]

_NUMBER_TEXT = re.compile(
    r"(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?P<rest>\s*(?!\.\d)[^\d\s].{0,15}|)"
)
"""`2.4.1` is no number with something behind it."""
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?|[012]?\d:[0-5]\d(?::[0-5]\d)?(?: ?[ap]\.?m\.?)?"
    r"|[0-3]?\d([./-])[0-3]?\d\1(?:19|20)\d\d(?:,? \d\d:\d\d.*)?"
    r"|[0-3]?\d(?:st|nd|rd|th)?\.?[ -](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
    r"(?:,?[ -](?:19|20)\d\d)?",
    re.I,
)
"""A date or a time of day: no number, although it begins with one."""
CODE_NUMBER = re.compile(r"0\d+$")
"""Digits behind a zero are a code (`04124000`): nobody writes a number so."""
_MAX_LEAVES = 2_000


class Leaf(Struct, frozen=True):
    """One scalar. `number` is there for numbers, `rest` for what follows one in text."""

    path: Path
    kind: Kind
    value: Any
    number: float | int = 0
    rest: str | None = None

    @property
    def name(self) -> str:
        return name_of(self.path)

    def with_number(self, number: float | int) -> Any:
        """The value with another number in it, in the form it had."""
        return number if self.rest is None else f"{write_number(number)}{self.rest}"


def write_number(number: float | int) -> str:
    """A number as text; whole ones without a decimal point."""
    return str(int(number)) if isinstance(number, int) else repr(number)


def name_of(path: Path) -> str:
    """`loads[0].value`; `answer` for the whole."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or "answer"


def slug(path: Path) -> str:
    """A path as part of a probe's name: letters, digits and dots."""
    return re.sub(r"[^A-Za-z0-9_]+", ".", name_of(path)).strip(".")[:60] or "answer"


def leaves(value: Any) -> list[Leaf]:
    """Every scalar in document order, but null; at most two thousand. Iterative: answers may nest deeply."""
    found: list[Leaf] = []
    stack: list[tuple[Path, Any]] = [((), value)]
    while stack and len(found) < _MAX_LEAVES:
        path, node = stack.pop()
        if isinstance(node, dict):
            stack.extend(((*path, key), child) for key, child in reversed(list(node.items())))
        elif isinstance(node, list):
            stack.extend(((*path, place), node[place]) for place in reversed(range(len(node))))
        elif leaf := _leaf(path, node):
            found.append(leaf)
    return found


def _leaf(path: Path, node: Any) -> Leaf | None:
    if isinstance(node, bool):
        return Leaf(path, "truth", node)
    if isinstance(node, int | float):
        finite = math.isfinite(node) if isinstance(node, float) else node.bit_length() < 1000
        return Leaf(path, "number", node, number=node) if finite else None
    if not isinstance(node, str):
        return None
    match = _NUMBER_TEXT.fullmatch(node.strip())
    if match is None or len(node) > 60 or _MOMENT.fullmatch(node.strip()) or CODE_NUMBER.match(node.strip()):
        return Leaf(path, "text", node)
    text = match["number"]
    number = int(text) if re.fullmatch(r"[-+]?\d{1,15}", text) else float(text)
    return Leaf(path, "number", node, number=number, rest=match["rest"])


def lists(value: Any, least: int = 2) -> list[Path]:
    """The paths of all lists of at least so many items, outermost first."""
    found: list[Path] = []
    stack: list[tuple[Path, Any]] = [((), value)]
    while stack and len(found) < 50:
        path, node = stack.pop(0)
        if isinstance(node, dict):
            stack.extend(((*path, key), child) for key, child in node.items())
        elif isinstance(node, list):
            if len(node) >= least:
                found.append(path)
            stack.extend(((*path, place), child) for place, child in enumerate(node[:3]))
    return found


def name_paths(value: Any) -> set[Path]:
    """Where the names of records stand: the first text of each that is another in each, if more is told."""
    found: set[Path] = set()
    for path in lists(value):
        key = naming_key(get(value, path))
        if key is not None and any(len(record) > 1 for record in get(value, path)):
            found.update((*path, place, key) for place in range(len(get(value, path))))
    return found


def naming_key(items: Sequence[Any]) -> str | None:
    """The field by which records are told apart: the first that is a text in each, and another in each."""
    if not items or not all(isinstance(item, dict) for item in items):
        return None
    told = [[item.get(key) for item in items] for key in items[0]]
    apart = (all(isinstance(name, str) for name in names) and len(set(names)) == len(names) for names in told)
    return next((key for key, fit in zip(items[0], apart, strict=True) if fit), None)


def get(value: Any, path: Path) -> Any:
    """What stands at a path that exists."""
    for step in path:
        value = value[step]
    return value


def replaced(value: Any, changes: Iterable[tuple[Path, Any]]) -> Any:
    """A value with others at some paths; the empty path is the whole.

    What does not change is shared with the value given, which stays as it is: tables are long, and most of
    them is the same in every variant. Nobody may write into a value.
    """
    top, ours = [value], _Copies()
    for path, new in changes:
        ours.parent(top, path)[path[-1] if path else 0] = new
    return top[0]


def dropped(value: Any, path: Path) -> Any:
    """A value without what stands at a path (not the empty one), shared as `replaced` does."""
    top = [value]
    del _Copies().parent(top, path)[path[-1]]
    return top[0]


class _Copies:
    """The objects and lists that were copied for one change: each once, and kept until all is changed."""

    def __init__(self) -> None:
        self._made: dict[int, Any] = {}

    def parent(self, top: list[Any], path: Path) -> Any:
        """What holds the end of a path below the only item of `top`, with everything above it our own."""
        node: Any = top
        for step in (0, *path[:-1]) if path else ():
            child = node[step]
            if id(child) not in self._made:
                child = child.copy()
                self._made[id(child)] = child
                node[step] = child
            node = child
        return node


def spread(items: list[T], at_most: int) -> list[T]:
    """At most so many, evenly over the list, always with the first and the last."""
    if len(items) <= at_most:
        return items
    places = {round(place * (len(items) - 1) / (at_most - 1)) for place in range(at_most)}
    return [items[place] for place in sorted(places)]


def representative(found: list[Leaf], at_most: int) -> list[Leaf]:
    """Leaves to try: of those that differ only in a place in a list, the first and the last."""
    groups: dict[tuple[str, ...], list[Leaf]] = {}
    for leaf in found:
        pattern = tuple("*" if isinstance(step, int) else step for step in leaf.path)
        groups.setdefault(pattern, []).append(leaf)
    chosen = [leaf for group in groups.values() for leaf in spread(group, 2)]
    return spread(sorted(chosen, key=found.index), at_most)


def is_place(value: Any, path: Path) -> bool:
    """Is a list two numbers, or three or four, and one of several such lists? Then it is a place, an
    interval or a box. (As many rows as columns are a matrix.)"""
    around = get(value, path[:-1]) if path and isinstance(path[-1], int) else []
    many = len(get(value, path))
    return (
        (many == 2 or (many in (3, 4) and many != len(around)))
        and len(around) > 1
        and all(
            isinstance(one, list) and len(one) == many and all(isinstance(end, int | float) for end in one)
            for one in around
        )
    )
