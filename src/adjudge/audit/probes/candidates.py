"""Every name that could be meant: an answer that lists all of them has worked out nothing. Pure.

Where names are asked for ("which pumps are worn?"), all of them stand in the inputs: in a column of a table,
under one key of a JSON file, or as words of one pattern (`P-103`) in a text. The smallest such set that holds
the right names is listed as a whole.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct

from adjudge.audit.documents import Path, get, leaves, lists, naming_key, replaced
from adjudge.audit.probes.mutations import blank

_MOST_NAMES = 500
_PART = re.compile(r"[A-Za-z]+|\d+|[^A-Za-z\d]")
_MOST_NODES = 50_000


class InputText(Struct, frozen=True):
    """A file that the agent is given; the instruction is one without a name."""

    name: str
    text: str


def every_name(value: Any, inputs: Sequence[InputText]) -> tuple[Any, float] | None:
    """The answer with nothing in it but every name of the inputs, in each list of names; and its fair share.

    The fair share is what precision and recall together leave of such a list. None if no list holds names
    that stand in the inputs among others.
    """
    changes: list[tuple[Path, Any]] = []
    fair = 0.0
    for path in lists(value):
        if any(path[: len(done)] == done for done, _ in changes):
            continue  # it goes with the list in which it stands
        items = get(value, path)
        key = naming_key(items)
        right = [item if key is None else item[key] for item in items]
        if not all(isinstance(name, str) for name in right):
            continue
        sets = [names for given in inputs for names in _names(given, right)]
        fitting = [names for names in sets if set(right) < names.keys() and len(names) <= _MOST_NAMES]
        if fitting:
            names = min(fitting, key=len)
            listed = list(names) if key is None else [{**_blank(items[0]), key: name} for name in names]
            changes.append((path, listed))
            fair = max(fair, 2 * len(set(right)) / (len(set(right)) + len(names)))
    if not changes:
        return None
    kept = [path for path, _ in changes]
    others = [leaf for leaf in leaves(value) if not any(leaf.path[: len(path)] == path for path in kept)]
    return replaced(value, [*((leaf.path, blank(leaf.value)) for leaf in others), *changes]), fair


def has_every_name(items: list[Any], inputs: Sequence[InputText]) -> bool:
    """Does a list hold just the names that one input offers, so that none was to be found?"""
    key = naming_key(items)
    right = [item if key is None else item[key] for item in items]
    if not right or not all(isinstance(name, str) for name in right):
        return False
    ending = PurePosixPath(right[0]).suffix
    sets = [names for given in inputs for names in _names(given, right)]
    if ending and all(name.endswith(ending) for name in right):  # files
        files = re.compile(rf"[\w.-]+{re.escape(ending)}(?![\w-])")
        sets += [dict.fromkeys(files.findall(given.text)) for given in inputs]
    return any(names.keys() == set(right) for names in sets)


def _blank(record: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = blank(record)
    return made


def _names(given: InputText, right: Sequence[str]) -> Iterator[dict[str, None]]:
    """The sets of names that an input offers, in the order in which they stand there."""
    if given.name.endswith((".csv", ".tsv")):
        yield from _columns(given)
    if given.name.endswith(".json"):
        yield from _keys(given.text)
    pattern = _pattern(right)
    if pattern is not None:
        yield dict.fromkeys(pattern.findall(given.text))


def _columns(given: InputText) -> Iterator[dict[str, None]]:
    separator = "\t" if given.name.endswith(".tsv") else max(",;\t", key=given.text.partition("\n")[0].count)
    try:
        rows = list(csv.reader(io.StringIO(given.text), delimiter=separator))[1:]
    except csv.Error:
        return
    for place in range(max(map(len, rows), default=0)):
        yield dict.fromkeys(row[place].strip() for row in rows if place < len(row))


def _keys(text: str) -> Iterator[dict[str, None]]:
    """The texts under each key of a JSON file, the keys of each object, and lists of texts."""
    try:
        stack = [("", json.loads(text))]
    except (ValueError, RecursionError):
        return
    found: dict[str, dict[str, None]] = {}
    seen = 0
    while stack and seen < _MOST_NODES:
        key, node = stack.pop(0)
        seen += 1
        if isinstance(node, dict):
            found[f"keys of {key} {seen}"] = dict.fromkeys(node)
            stack.extend(node.items())
        elif isinstance(node, list):
            stack.extend((key, child) for child in node)
        elif isinstance(node, str):
            found.setdefault(key, {})[node] = None
    yield from found.values()


def _pattern(right: Sequence[str]) -> re.Pattern[str] | None:
    """What all right names have in common: `P-103` is letters, a dash, digits. None without any digit."""
    kinds = {re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "0", name)) for name in right}
    if len(kinds) != 1 or "0" not in next(iter(kinds)):
        return None
    parts = (
        "[A-Za-z]+" if part.isalpha() else r"\d+" if part.isdigit() else re.escape(part)
        for part in _PART.findall(right[0])
    )
    return re.compile(rf"(?<![\w-]){''.join(parts)}(?![\w-])")
