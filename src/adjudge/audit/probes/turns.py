"""Values of a column in each other's places, so that it is another answer. Pure.

If a column has few values, and each is put where another one was, throughout, the records are only named
otherwise: `left` for `right` and `right` for `left` is the same seating, `A B A B` and `B A B A` the same two
groups. Then other places are chosen. Where no value comes twice, every exchange is such a naming.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def turned(column: Sequence[Any]) -> list[Any]:
    """Each value in the place before its own, the first one in the last."""
    return _other_groups(column, [[*column[1:], column[0]], *_turns_of(column)])


def far_apart(column: Sequence[Any]) -> list[Any]:
    """Each value in the place of another, so that as few as possible stay: sorted, and turned by half."""
    return _other_groups(column, list(_turns_of(column)))


def _turns_of(column: Sequence[Any]) -> Iterator[list[Any]]:
    """Sorted and turned, by half first, then by ever less."""
    order = sorted(range(len(column)), key=lambda place: str(column[place]))
    for by in range(len(order) // 2, 0, -1):
        made = list(column)
        for number, place in enumerate(order):
            made[place] = column[order[(number + by) % len(order)]]
        yield made


def _other_groups(column: Sequence[Any], tried: list[list[Any]]) -> list[Any]:
    """The first that groups the places otherwise and changes half of them; else the first."""
    least = len(column) / 2
    for made in tried:
        changed = sum(a != b for a, b in zip(column, made, strict=True))
        if changed >= least and not _renamed(column, made):
            return made
    return tried[0]


def _renamed(column: Sequence[Any], made: Sequence[Any]) -> bool:
    """Does each value stand where one and the same other value stood?"""
    pairs = {(str(a), str(b)) for a, b in zip(column, made, strict=True)}
    values = {str(value) for value in column}
    return len(values) < len(column) and len(pairs) == len(values)
