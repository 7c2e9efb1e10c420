"""Parts of an answer from what a verifier holds: lists of records, and objects inside an object. Pure.

A verifier keeps the records that it looks for under a name of its own (`PLANTED_ERRORS`), with columns that
nobody asks for, or spread over two lists of one length: the inputs have the numbers of the rooms, what is
computed from them has not. A text that is asked for and known nowhere (an explanation) is some text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adjudge.audit.answers.guessed import SOME_TEXT

Reference = tuple[str, str, Any]
_MOST = 6
_MOST_NODES = 2_000
_MOST_NAMES = 60


def fitting_parts(found: list[Reference], start: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """(key, source, value) for each list or object of the wanted shape; of records the best fit first."""
    records = [(source, node) for source, node in _nodes(found) if _is_records(node)]
    objects = [(source, node) for source, node in _nodes(found) if isinstance(node, dict)]
    for key, wanted in start.items():
        if isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
            yield from ((key, source, rows) for source, rows in _rows(records, wanted[0]))
        elif isinstance(wanted, list) and not any(isinstance(item, dict | list) for item in wanted):
            plain = [(source, node) for source, node in _nodes(found) if _is_plain(node, wanted)]
            yield from ((key, source, items) for source, items in plain[:_MOST])
        elif isinstance(wanted, dict) and wanted:
            fits = [(source, node) for source, node in objects if set(wanted) <= set(node)]
            # Totals stand beside the records of which they are the sums, and have no other columns.
            fits.sort(key=lambda fit: len(fit[1]))
            yield from ((key, source, {k: node[k] for k in wanted}) for source, node in fits[:_MOST])


def keyed(found: list[Reference]) -> list[Reference]:
    """Lists of rows such as `("iban", "NL91…", 3)` as objects: each row's name with what stands beside it."""
    made: list[Reference] = []
    for where, name, value in found:
        stack = [value]
        for node in stack:
            if len(stack) > _MOST_NODES:
                break
            if isinstance(node, list) and len(node) > 1 and all(map(_is_named, node)):
                pairs = {row[0]: row[1] for row in node}
                made += [(where, name, pairs)] if len(pairs) == len(node) else []
            elif isinstance(node, dict | list):
                stack += list(node.values()) if isinstance(node, dict) else node[:50]
    return made


def ranked(found: list[Reference]) -> list[Reference]:
    """The names of a table of numbers, the least first and the greatest first, alone and in rows."""
    made: list[Reference] = []
    for where, name, value in found:
        if not isinstance(value, dict) or not 2 < len(value) <= _MOST_NAMES or len(made) >= 4 * _MOST:
            continue
        numbers = [cell for cell in value.values() if isinstance(cell, int | float)]
        if len(numbers) == len(value) == len(set(numbers)):
            up = sorted(value, key=lambda key: value[key])
            down = list(reversed(up))
            made += [(where, f"{name} in order", names) for names in (up, down)]
            made += [
                (where, f"{name} in order", [[one, value[one]] for one in names]) for names in (up, down)
            ]
    return made


def paired(found: list[Reference]) -> list[Reference]:
    """Two lists of one length in one file, names and values, as an object."""
    lists = [one for one in found if isinstance(one[2], list) and 1 < len(one[2]) <= _MOST_NAMES]
    named = [one for one in lists if all(isinstance(item, str) for item in one[2])]
    made: list[Reference] = []
    for where, name, names in named:
        for place, other, values in lists:
            plain = all(isinstance(value, int | float | str) for value in values)
            if place == where and other != name and plain and len(values) == len(names) == len(set(names)):
                made.append((where, f"{name} and {other}", dict(zip(names, values, strict=True))))
    return made[:_MOST]


def with_units(found: list[Reference]) -> list[Reference]:
    """Tables of numbers that have a unit beside them, `(12.5, "kW", 0.02)`, as texts: `12.5 kW`.

    In place of a unit may stand the name of a table of units with their factors: then it is the one of 1.
    """
    factors: dict[str, str] = {}
    for _, _, value in found:
        for kind, units in value.items() if isinstance(value, dict) else ():
            ones = [unit for unit, many in units.items() if many == 1] if isinstance(units, dict) else []
            if ones:
                factors.setdefault(kind, ones[0])
    made: list[Reference] = []
    for where, name, value in found:
        if not isinstance(value, dict) or not 2 <= len(value) <= _MOST_NAMES or len(made) >= _MOST:
            continue
        pairs = {key: _number_and_unit(cell) for key, cell in value.items()}
        if all(pair is not None for pair in pairs.values()):
            told = {
                key: f"{pair[0]:.12g} {factors.get(pair[1], pair[1])}".strip()
                for key, pair in pairs.items()
                if pair is not None
            }
            made.append((where, f"{name} with units", told))
    return made


def _number_and_unit(cell: Any) -> tuple[float, str] | None:
    """The number and the text of `(12.5, "kW", 0.02)` or `{"value": 12.5, "unit": "kW"}`; None for others."""
    cells = list(cell.values()) if isinstance(cell, dict) else cell if isinstance(cell, list) else []
    numbers = [one for one in cells[:2] if isinstance(one, int | float) and not isinstance(one, bool)]
    texts = [one for one in cells if isinstance(one, str) and len(one) <= 20]
    return (numbers[0], texts[0]) if numbers and len(texts) == 1 else None


def _is_named(row: Any) -> bool:
    return isinstance(row, list) and len(row) > 1 and isinstance(row[0], str) and row[0].isidentifier()


def _nodes(found: list[Reference]) -> Iterator[tuple[str, Any]]:
    """Every list and object inside the references, with where it stands."""
    for where, name, value in found:
        stack = [value]
        for node in stack:
            if len(stack) > _MOST_NODES:
                break
            if isinstance(node, dict | list):
                yield f"{name} of tests/{where}", node
                stack += list(node.values()) if isinstance(node, dict) else node[:50]


def _is_records(node: Any) -> bool:
    return isinstance(node, list) and bool(node) and all(isinstance(row, dict) for row in node)


def _is_plain(node: Any, like: list[Any]) -> bool:
    """Is it a list of two texts or more, or of two numbers or more, of the kind that is wanted?"""
    kind = str if not like or isinstance(like[0], str) else int | float
    return isinstance(node, list) and len(node) > 1 and all(isinstance(item, kind) for item in node)


def _rows(
    records: list[tuple[str, list[dict[str, Any]]]], wanted: dict[str, Any]
) -> list[tuple[str, list[dict[str, Any]]]]:
    """The lists that have most of the wanted columns, made whole by a list beside them, else by some text."""
    fits = []
    for source, rows in records:
        common = set(wanted) & set(rows[0])
        if 2 * len(common) >= len(wanted):
            missing = [column for column in wanted if column not in rows[0]]
            beside = _beside(records, rows, missing)
            made = [
                {column: {**other, **row}.get(column, SOME_TEXT) for column in wanted}
                for row, other in zip(rows, beside, strict=True)
            ]
            lacking = sum(column not in {**beside[0], **rows[0]} for column in wanted)
            fits.append((lacking, source, made))
    fits.sort(key=lambda fit: fit[0])
    return [(source, made) for _, source, made in fits[:_MOST]]


def _beside(
    records: list[tuple[str, list[dict[str, Any]]]], rows: list[dict[str, Any]], missing: list[str]
) -> list[dict[str, Any]]:
    """The list of as many records that has most of the missing columns; empty records if none has any."""
    lists = [others for _, others in records if len(others) == len(rows) and others is not rows]
    best = max(lists, key=lambda others: sum(column in others[0] for column in missing), default=None)
    if best is None or not any(column in best[0] for column in missing):
        return [{} for _ in rows]
    return [{column: row[column] for column in missing if column in row} for row in best]
