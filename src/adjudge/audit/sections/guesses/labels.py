"""One label for everything: what an answer earns that gives each item the label which most of them have.

Of labels that are spread evenly this is a fair guess. If nearly all items have one label, or a low mark is
enough, whoever reads nothing passes.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec import Struct

from adjudge.audit.documents import Leaf, get, leaves, name_paths, replaced
from adjudge.audit.probes import wrong_everywhere

_LEAST_ITEMS = 6
_MOST_LABELS = 6
_PER_LABEL = 3
"""So many items for each label: fewer are no classes, but answers that happen to be alike."""


class OneLabel(Struct, frozen=True):
    """An answer with one label everywhere, in how many places, and how many of these are right."""

    value: Any
    label: str
    places: int
    right: int


def one_label(value: Any) -> OneLabel | None:
    """The most frequent label all over the longest column of labels; only the names beside it are right.

    What else a record holds is work as well, and whoever reads nothing has not done it.
    """
    names = name_paths(value)
    groups: dict[tuple[str, ...], list[Leaf]] = {}
    for leaf in leaves(value):
        if leaf.kind != "number" and leaf.path and leaf.path not in names:
            groups.setdefault(_column(leaf), []).append(leaf)
    columns = [found for found in groups.values() if _are_labels([leaf.value for leaf in found])]
    if not columns:
        return None
    found = max(columns, key=len)
    label, right = Counter(leaf.value for leaf in found).most_common(1)[0]
    places = {leaf.path for leaf in found}
    bad = wrong_everywhere(value)
    others = [leaf.path for leaf in leaves(value) if leaf.path not in places | set(names)]
    changes = [*((path, get(bad, path)) for path in others), *((path, label) for path in places)]
    return OneLabel(replaced(value, changes), str(label), len(found), right)


def _column(leaf: Leaf) -> tuple[str, ...]:
    """Labels of records stand under one key; labels by name stand in one object."""
    steps = ["*" if isinstance(step, int) else step for step in leaf.path]
    return tuple(steps) if "*" in steps else (*steps[:-1], "*")


def _are_labels(column: list[Any]) -> bool:
    few = len(set(column))
    return len(column) >= _LEAST_ITEMS and 2 <= few <= _MOST_LABELS and _PER_LABEL * few <= len(column)
