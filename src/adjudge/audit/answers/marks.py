"""Marks that nothing else holds, and what a run's notes tell of each: its reference, a whole list, names.

A mark is a number, a whole number, a share, a word, a date or a time of its own. What met a mark is the
reference of that field; what met a list of nothing but the marks of one place is the whole of that place.
Pure.
"""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from adjudge.audit.documents import get

Place = tuple[str | int, ...]
Item = dict[Place, Any]
"""An item of a list, by places inside of it; the empty place is the whole item."""

_STEP = 1.05
"""Marks are so far apart that a rounded one is still told from its neighbours."""
_EXACT, _ROUNDED = 1e-9, 0.004
_MET = ("-", "close", "==", "!=", "is", "is not", "between", "match", "in", "not in", "/", "call")
"""Where a reference meets an answer, the surest first. A bound (`<`) tells little, and is not asked."""
_WHOLE = ("close", "==", "!=", "&", "^", "-", "call")
_WIDE = 1.5
"""Bounds further apart than this say what is allowed, and not what is right."""
_LONGEST = 60
_SIGN = "0027731"
_SPECIAL = re.compile(r"(?<!\\)[\[\](){}.*+?|^$]|\\[A-Za-z]")


class Met(Struct, frozen=True):
    """One value beside another, and how they met."""

    op: str
    one: Any
    other: Any


class Told(Struct, frozen=True):
    """What the notes of a run tell, by place."""

    known: dict[Place, Any]
    """References."""
    within: dict[Place, float]
    """Points within wide bounds, which are marks again."""
    lengths: dict[Place, int]
    names: dict[Place, list[str]]
    """Names that were looked up in an object and are not there."""
    wholes: dict[Place, list[Item]]
    """The items of lists."""


def _numbers(place: int) -> float:
    return float(f"{3.1417 * _STEP**place:.5g}")


def _wholes(place: int) -> int:
    return round(1009 * _STEP**place)


def _shares(place: int) -> float:
    return float(f"{0.7043 * 0.95**place:.5g}")


def _texts(place: int) -> str:
    return f"qvx{chr(97 + place // 26)}{chr(97 + place % 26)}w"


def _dates(place: int) -> str:
    return (datetime.date(2104, 1, 9) + datetime.timedelta(days=5 * place)).isoformat()


def _times(place: int) -> str:
    return f"{(23 * place + 67) // 60 % 24:02d}:{(23 * place + 67) % 60:02d}"


NUMERIC: list[Callable[[int], Any]] = [_numbers, _wholes, _shares, _texts]
WORDS: list[Callable[[int], Any]] = [_texts, _dates, _times]
ANY: list[Callable[[int], Any]] = [_numbers, _wholes, _texts, _shares, _dates, _times]


def read_notes(notes: bytes) -> list[Met]:
    """Both ways round: the answer may stand on either side."""
    met: list[Met] = []
    for line in notes.decode("utf-8", "replace").splitlines():
        try:
            op, a, b, c = json.loads(line)
        except ValueError:
            continue
        if op == "between":
            if isinstance(b, int | float) and isinstance(c, int | float):
                met.append(Met(op, a, [b, c]))
        elif op == "call":
            met += [Met(op, one, [two for two in a if two is not one]) for one in a]
            if len(a) == 2 and all(isinstance(one, list) for one in a):  # two points, two rows
                parts = [*_parted("close", *a), *_parted("close", a[1], a[0])]
                met += [part for part in parts if part.one not in a]
        elif op in ("len", "get"):
            met.append(Met(op, a, b))
        else:
            met += _parted(op, a, b)
            met += [] if op == "/" else _parted(op, b, a)
    return met


def _parted(op: str, a: Any, b: Any) -> Iterator[Met]:
    """Two values that met, and their parts: by name, or one by one if there are as many."""
    yield Met(op, a, b)
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a:
            if key in b:
                yield from _parted(op, a[key], b[key])
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and op != "in":
        for one, other in zip(a, b, strict=True):
            yield from _parted(op, one, other)


def told_by(met: list[Met], given: Mapping[Place, Any], answer: Any, known: Iterable[Any] = ()) -> Told:
    """What the notes tell of the marks in `given`, which stand in `answer` beside values that are `known`."""
    met = [one for one in met if not _is_header(one, given)]
    other = list(known)  # what is handed to a function beside a mark may be another value of the answer
    met = [
        one
        for one in met
        if one.op != "call" or not any(_holds_mark(v, given) or v in other for v in one.other)
    ]
    found, within = _met_marks(met, given)
    told = Told(found, within, {}, {}, {})
    members: dict[Place, tuple[Any, list[Any]]] = {}
    for one in met:
        if one.op == "get" or (one.op == "in" and isinstance(one.other, dict)):
            container, name = (one.one, one.other) if one.op == "get" else (one.other, one.one)
            _note_name(told.names, container, name, given, answer)
        elif one.op == "len":
            place = _place_of(one.one, given, answer)
            wanted = isinstance(one.other, int) and 1 < one.other <= _LONGEST
            if place is not None and wanted and one.other != len(one.one):
                told.lengths.setdefault(place, one.other)
        elif one.op == "in" and (place := _place_of(one.other, given, answer)) is not None:
            if (
                not _holds_mark(one.one, given)
                and one.one not in members.setdefault(place, (one.other, []))[1]
            ):
                members[place][1].append(one.one)
        elif one.op in _WHOLE and (place := _place_of(one.one, given, answer)) is not None:
            whole = _whole(one.other, given)
            if whole is not None and (len(whole) > 1 or len(one.one) > 1):
                told.wholes.setdefault(place, _by_place(place, one.one, whole, given))
    for place, (container, items) in members.items():
        if len(items) > 1:
            told.wholes.setdefault(place, _by_place(place, container, items, given))
    return told


def _is_header(met: Met, given: Mapping[Place, Any]) -> bool:
    """Are these the names of the fields in which marks stand? They are put together with them: `zip`."""
    names = {str(path[-1]).lower() for path in given if path}
    if isinstance(met.other, list):
        return len(met.other) > 1 and all(isinstance(one, str) and one.lower() in names for one in met.other)
    if not isinstance(met.other, str) or met.other.lower() not in names:
        return False
    own = [path for path, mark in given.items() if path and _is_mark(met.one, mark, _ROUNDED)]
    return any(str(path[-1]).lower() == met.other.lower() for path in own)


def _by_place(place: Place, shown: list[Any], whole: list[Any], given: Mapping[Place, Any]) -> list[Item]:
    """Each item of a whole, by places inside of an item: there the marks of the first item shown stood."""
    tails = [
        next(path[len(place) + 1 :] for path, mark in given.items() if _is_mark(leaf, mark, _ROUNDED))
        for leaf in _flat(shown[0])
    ]
    items: list[Item] = []
    for item in whole:
        leaves = list(_flat(item))
        items.append(dict(zip(tails, leaves, strict=True)) if len(leaves) == len(tails) else {(): item})
    return items


def _met_marks(met: list[Met], given: Mapping[Place, Any]) -> tuple[dict[Place, Any], dict[Place, float]]:
    """What each mark met, by its place; and a point for each that met only wide bounds."""
    found: dict[Place, Any] = {}
    within: dict[Place, float] = {}
    marks = list(given.values())
    for alike in (_EXACT, _ROUNDED):
        for op in _MET:
            for one in (pair for pair in met if pair.op == op):
                for path, mark in given.items():
                    if path in found or not _is_mark(one.one, mark, alike):
                        continue
                    if op == "between" and (point := _point(one.other)) is not None:
                        within.setdefault(path, point)
                        continue
                    reference = _reference(one, mark, str(path[-1]) if path else "")
                    if reference is not None and not any(_is_mark(reference, m, alike) for m in marks):
                        whole = isinstance(mark, int) and isinstance(reference, float)
                        found[path] = round(reference) if whole else reference
    return found, within


def moved_by(met: list[Met], given: Mapping[Place, Any]) -> dict[Place, Any]:
    """Where each number of an answer moves: to what it met, or to the one before it in the answer.

    A number that two places hold says nothing of either.
    """
    moved: dict[Place, Any] = {}
    order = list(given)
    for one in met:
        here, there = (
            [p for p in order if _is_mark(side, given[p], _EXACT)] for side in (one.one, one.other)
        )
        if len(here) != 1 or here[0] in moved or here == there:
            continue
        if there and order.index(there[0]) > order.index(here[0]):
            continue
        if one.op == "between" and one.other[0] <= given[here[0]] <= one.other[1]:
            continue
        value = _reference(one, given[here[0]], str(here[0][-1]) if here[0] else "")
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if number and not _is_mark(value, given[here[0]], _EXACT):
            moved[here[0]] = value
    return moved


def _point(bounds: list[float]) -> float | None:
    """A number within wide bounds that is a mark again; None if the bounds are narrow, around a reference."""
    low, high = bounds
    if (low > 0 and high / low < _WIDE) or high < 0 or not math.isfinite(high - low):
        return None
    middle = repr(float(f"{(low + high) / 2:.2g}"))
    point = float(f"{middle}{_SIGN}") if "e" not in middle else low
    return point if low < point < high else None


def _is_mark(value: Any, mark: Any, alike: float) -> bool:
    if isinstance(mark, str):
        same = isinstance(value, str) and re.sub(r"\W", "", value).lower() == re.sub(r"\W", "", mark).lower()
        return same or (isinstance(value, str) and value == f"{mark}:00")
    if isinstance(value, str):
        return value.strip() == str(mark)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isclose(value, mark, rel_tol=alike)


def _reference(met: Met, mark: Any, name: str) -> Any:
    """A number or a text that a mark met; of several the first, in a call the first of the mark's kind."""
    value = met.other
    if met.op == "between":
        value = (value[0] + value[1]) / 2
    if met.op == "match":
        value = (
            None if not isinstance(value, str) or _SPECIAL.search(value) else re.sub(r"\\(.)", r"\1", value)
        )
    if isinstance(value, dict):
        value = None
    if isinstance(value, list):
        plain = [item for item in value if isinstance(item, int | float | str) and item != name]
        alike = [item for item in plain if isinstance(item, str) is isinstance(met.one, str)]
        value = next(iter(alike if met.op == "call" else plain), None)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, int | float | str) and value != "" else None


def _holds_mark(value: Any, given: Mapping[Place, Any]) -> bool:
    return any(_is_mark(leaf, mark, _ROUNDED) for leaf in _flat(value) for mark in given.values())


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _flat(child)
    else:
        yield value


def _place_of(value: Any, given: Mapping[Place, Any], answer: Any) -> Place | None:
    """The list of the answer that holds all marks of this list; None if something else is in it."""
    paths = [
        next((path for path, mark in given.items() if _is_mark(leaf, mark, _ROUNDED)), None)
        for leaf in (_flat(value) if isinstance(value, list) else ())
    ]
    known = [path for path in paths if path is not None]
    if not known or len(known) != len(paths):
        return None
    places = {_list_around(path, _depth(value), answer) for path in known}
    return places.pop() if len(places) == 1 else None


def _depth(value: Any) -> int:
    return 1 + _depth(value[0]) if isinstance(value, list) and value else 0


def _list_around(path: Place, depth: int, answer: Any) -> Place | None:
    """The list as many steps above a place as the value seen is deep; if that is none, the outermost."""
    lists = [path[:cut] for cut in range(len(path)) if isinstance(get(answer, path[:cut]), list)]
    exact = path[: max(0, len(path) - depth)]
    return exact if exact in lists else next(iter(lists), None)


def _whole(value: Any, given: Mapping[Place, Any]) -> list[Any] | None:
    """A list that a list may be: the items of a list, the names of a count; None if a mark is in it."""
    if isinstance(value, dict):  # a count of items
        value = [item for item, many in value.items() for _ in range(many if isinstance(many, int) else 1)]
    if not isinstance(value, list) or not value or _holds_mark(value, given):
        return None
    return value if all(item is not None for item in value) and len(value) <= _LONGEST else None


def _note_name(
    names: dict[Place, list[str]], container: Any, name: Any, given: Mapping[Place, Any], answer: Any
) -> None:
    """A name that is looked up in an object of the answer."""
    if not isinstance(container, dict) or not isinstance(name, str) or name in container:
        return
    for path in given:
        for cut in range(len(path)):
            node = get(answer, path[:cut])
            if isinstance(node, dict) and set(map(str, node)) == set(container):
                if name not in names.setdefault(path[:cut], []):
                    names[path[:cut]].append(name)
                return
