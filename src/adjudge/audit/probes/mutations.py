"""Wrong answers made from a right one. Pure: values in, values out.

Each mutation is wrong beyond any sensible tolerance, so a verifier that still gives credit has to explain
itself. A value that a mutation would leave as it is (ten times zero) is not mutated.
"""

from __future__ import annotations

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from itertools import cycle, islice, pairwise
from typing import Any
from zlib import crc32

from adjudge.audit.documents import Leaf, Path, dropped, get, leaves, lists, replaced, spread

FLOOD = 100
"""Junk items at the top of the padding ladder."""
_OTHERS_REPEATED = 2
"""Of a list of names, each may be worth more than the others: a crate that is loaded six times."""
_KEY = re.compile(r"(?:^|[_ ])(?:id|no|nr|number|index|page|day|rank|step|key|code)$", re.IGNORECASE)
_MOST_JUNK = 400
"""Of a longer list so many items are made wrong, and used again: a table may have thousands of rows."""
_FEW = 3
_COARSE = 0.1
"""Smaller steps are tried only if the right value has the decimals for them."""
_FINER = 4
_FINEST = 17
_WIDE = Context(prec=400)
_RANGE = re.compile(
    r"(?<![\w.])(?P<low>\d{1,4})`?\s*(?:\.{2,3}|…|-|–|to|through|and)\s*`?(?P<high>\d{1,4})(?![\w.]*\d)"
)
_WIDEST = 200
WORDS = {
    "times-10": "ten times the value",
    "times-100": "a hundred times the value",
    "times-1000": "a thousand times the value",
    "half": "half the value",
    "sign": "the opposite sign",
    "zero": "zero",
    "one": "one instead of zero",
    "thousand": "a thousand instead of zero",
    "minus-one": "minus one instead of zero",
    "dropped": "left out",
    "other": "another word",
    "negated": "the opposite, with the right word in it",
    "every-option": "all options at once",
    "flipped": "the opposite",
}


def number_changes(leaf: Leaf) -> dict[str, float | int]:
    """The wrong numbers that a number is replaced by."""
    n = leaf.number
    if n == 0:
        numbers: dict[str, float | int] = {"one": 1, "thousand": 1000, "minus-one": -1}
    else:
        numbers = {f"times-{factor}": scaled(n, factor) for factor in (10, 100, 1000)}
        numbers |= {"half": scaled(n, 0.5), "sign": -n, "zero": 0}
    return {name: float(value) if isinstance(n, float) else value for name, value in numbers.items()}


def scaled(n: float | int, factor: float) -> float | int:
    """A multiple of a number, as fine as it is; of a whole one a whole one that differs.

    A part of a whole number, or a hundred decimals, may void an answer.
    """
    if not isinstance(n, int):
        return as_fine_as(n, Decimal(repr(n)) * Decimal(repr(round(factor, 9))))
    whole = int(n * factor)
    return whole if whole != n else n + (1 if (factor > 1) is (n > 0) else -1)


def as_fine_as(n: float, other: float | Decimal) -> float:
    """Another number with as many decimals as `n` has, rounded away from it.

    With a few more decimals if that would move it by more than a quarter of its distance.
    """
    decimals, exact = decimals_of(n), Decimal(repr(other)) if isinstance(other, float) else other
    if decimals > _FINEST:
        return float(other)
    away = ROUND_CEILING if other > n else ROUND_FLOOR
    near = abs(exact - Decimal(repr(n))) / 4
    steps = [Decimal(1).scaleb(-(decimals + more)) for more in range(_FINER)]
    rounded = (exact.quantize(step, away, _WIDE) for step in steps)
    return float(next((x for x in rounded if abs(x - exact) <= near), exact))


def decimals_of(n: float) -> int:
    """Digits behind the decimal point, as Python writes the number; negative if it ends before it."""
    exponent = Decimal(repr(n)).as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def off_by(n: float, step: float) -> float | None:
    """The number that is off by a step. None for a small one that the decimals of `n` cannot show.

    Then the task may ask for so many decimals, and what is finer is refused for that. So is what has fewer:
    77.90 would be written 77.9, with a figure less.
    """
    if abs(step) >= _COARSE:
        return scaled(n, 1 + step)
    decimals = decimals_of(n)
    number = round(n * (1 + step), decimals)
    if decimals_of(number) < decimals:
        number = round(number - math.copysign(10.0**-decimals, number - n), decimals)
    return number if abs(number - n) >= 0.5 * abs(step * n) else None


def text_changes(leaf: Leaf, options: str | None) -> dict[str, Any]:
    """The wrong words for a text. Only a single word has an opposite; names and prose are replaced."""
    word = str(leaf.value)
    changes: dict[str, Any] = {"other": "none of these"}
    if re.fullmatch(r"[A-Za-z_-]{2,40}", word):
        changes["negated"] = f"not {word}"
    if options is not None and options != word:
        changes["every-option"] = options
    return changes


def absurd(leaf: Leaf) -> Any:
    """A number that no tolerance can reach, of the same sign; zero stays, since it may be right by chance.

    Each by a factor of its own: by one for all, a balance would still close.
    """
    n = leaf.number
    if n == 0:
        return leaf.value
    own = crc32(repr(leaf.path).encode()) % 50
    far = n * (1377 + 2 * own) + math.copysign(777, n)  # no power of ten, nor any factor between two units
    return leaf.with_number(int(far) if isinstance(n, int) else as_fine_as(n, far))


def all_numbers(value: Any, change: Any) -> Any:
    """A copy in which every number is what `change(leaf)` says."""
    return replaced(value, [(leaf.path, change(leaf)) for leaf in leaves(value) if leaf.kind == "number"])


def all_scaled(value: Any, one: float, other: float) -> Any:
    """A copy in which the numbers are multiplied by the one and the other factor in turn.

    By one factor for all, what counts as a ratio (37/11, 1:2:4) would stay right; and so would a list of
    which half a number is another item.
    """
    numbers = [leaf for leaf in leaves(value) if leaf.kind == "number" and leaf.number]
    right = {leaf.number for leaf in numbers}
    changes: list[tuple[Path, Any]] = []
    for place, leaf in enumerate(numbers):
        wrong = scaled(leaf.number, one if place % 2 == 0 else other)
        further = 1 if wrong > leaf.number else -1
        while wrong in right:
            wrong += further if isinstance(wrong, int) else further * max(1.0, abs(wrong) / 10)
        changes.append((leaf.path, leaf.with_number(wrong)))
    return replaced(value, changes)


def all_wrong(value: Any, *, keep_names: bool = False) -> Any:
    """The same shape, with every value wrong: numbers absurd, words another, truth reversed.

    With `keep_names` the texts in the records of a list stay, since they may say which record is which.
    """
    changes: list[tuple[Path, Any]] = []
    for leaf in leaves(value):
        if keep_names and leaf.kind == "text" and any(isinstance(step, int) for step in leaf.path):
            continue
        if leaf.kind == "number":
            wrong = absurd(leaf) if leaf.number else leaf.with_number(977)
        else:
            wrong = (not leaf.value) if leaf.kind == "truth" else "none of these"
        changes.append((leaf.path, wrong))
    return replaced(value, changes)


def blank(value: Any) -> Any:
    """The same keys with nothing in them: zeros, empty texts, false, empty lists."""
    if isinstance(value, dict):
        return {key: blank(child) for key, child in value.items()}
    if isinstance(value, list):
        return []
    if isinstance(value, bool):
        return False
    if isinstance(value, str):
        return ""
    return 0.0 if isinstance(value, int | float) else None


def every_candidate(instruction: str, value: Any) -> Any | None:
    """The answer with nothing in it but every whole number of a range that is asked about, in each list.

    None if no list holds whole numbers within a range of the instruction, or if all of them are right.
    """
    ranges = [(int(m["low"]), int(m["high"])) for m in _RANGE.finditer(instruction)]
    changes: list[tuple[Path, Any]] = []
    for path in lists(value):
        items = get(value, path)
        if not all(isinstance(item, int) and not isinstance(item, bool) for item in items):
            continue
        fit = [(low, high) for low, high in ranges if low <= min(items) and max(items) <= high]
        low, high = min(fit, key=lambda ends: ends[1] - ends[0], default=(0, 0))
        if len(set(items)) <= high - low < _WIDEST:
            changes.append((path, list(range(low, high + 1))))
    if not changes:
        return None
    kept = [path for path, _ in changes]
    others = [leaf for leaf in leaves(value) if leaf.path[:-1] not in kept]
    return replaced(value, [*((leaf.path, blank(leaf.value)) for leaf in others), *changes])


def junk(item: Any, number: int) -> Any:
    """An item of the same shape that belongs to no right list."""
    if not isinstance(item, dict | list):
        return _junk_scalar(item, number)
    return replaced(item, [(leaf.path, _junk_leaf(leaf, number)) for leaf in leaves(item)])


def _junk_leaf(leaf: Leaf, number: int) -> Any:
    if leaf.kind == "number":
        return leaf.with_number(_junk_number(leaf.number, number))
    return (not leaf.value) if leaf.kind == "truth" else f"junk {number + 1}"


def _junk_scalar(item: Any, number: int) -> Any:
    if isinstance(item, bool):
        return not item
    return _junk_number(item, number) if isinstance(item, int | float) else f"junk {number + 1}"


def _junk_number(n: float | int, number: int) -> float | int:
    far = n * 37 + 911 + number
    return far if isinstance(n, int) else as_fine_as(n, far)


def halved(item: Any) -> Any:
    """An item with half of every number, and every truth reversed: wrong, but in any range; texts stay."""
    changes = [
        (
            leaf.path,
            leaf.with_number(scaled(leaf.number, 0.5) if leaf.number else 1)
            if leaf.kind == "number"
            else not leaf.value,
        )
        for leaf in leaves(item)
        if leaf.kind != "text"
    ]
    return replaced(item, changes)


def list_variants(value: Any, path: Path) -> dict[str, Any]:
    """A list emptied, cut to its first item or its two ends, padded with junk, doubled, one item repeated."""
    items = get(value, path)
    wrong = [junk(items[place % len(items)], place) for place in range(min(2 * len(items), _MOST_JUNK))]
    others = [junk(item, place) for place, item in enumerate(items[1 : _MOST_JUNK + 1])]
    made = {
        "emptied": [],
        "truncated": items[:1],
        "padded": [*items, *wrong],
        "doubled": [*items, *items],
        "repeated": [items[0]] * len(items),
        "permuted": [*items[1:], items[0]],
        "one-right": [items[0], *islice(cycle(others), len(items) - 1)],
        "all-wrong": list(islice(cycle(wrong), len(items))),
        "flooded": [*items, *(_varied(junk(items[n % len(items)], n), n) for n in range(FLOOD))],
        "malformed": [*items, None, {}, [], "x", -1],
    }
    if all(isinstance(item, dict) for item in items) and _has_values(items):
        first, rest = items[:_MOST_JUNK], items[_MOST_JUNK:]
        made["hedged"] = [*(v for i in first for v in (_off(i, 7), i, _off(i, 23))), *rest]
        made["hedged-before"] = [*(v for i in first for v in (_off(i, 7), i)), *rest]
        made["hedged-behind"] = [*(v for i in first for v in (i, _off(i, 7))), *rest]
    if len(items) > _FEW:
        made["ends"] = [items[0], items[-1]]
    if all(isinstance(item, str) for item in items):
        for number, item in enumerate(spread(list(dict.fromkeys(items[1:])), _OTHERS_REPEATED)):
            made[f"repeated-{number + 2}"] = [item] * len(items)
    return {name: replaced(value, [(path, new)]) for name, new in made.items()}


def _has_values(items: list[dict[str, Any]]) -> bool:
    """Do the records hold anything but texts and running numbers, by which they are told apart?"""
    columns: dict[Path, list[Any]] = {}
    for item in items:
        for leaf in leaves(item):
            if leaf.kind != "text":
                columns.setdefault(leaf.path, []).append(leaf.number if leaf.kind == "number" else leaf.value)
    running = [
        sorted(set(column)) == list(range(int(min(column)), int(min(column)) + len(items)))
        and len(items) > 2
        and not any(isinstance(x, bool) for x in column)
        for column in columns.values()
    ]
    return not all(running)


def likely_junk(items: list[Any], *, keep_texts: bool, known: str) -> list[Any] | None:
    """Wrong records between each two that follow one another, as well formed as these; None if none fit.

    Numbers lie between those of the two. Texts are those of the record with `keep_texts`; else another of the
    column if they are options (repeated, or named in `known`), and new ones of their kind if they are names.
    """
    if not all(isinstance(item, dict) for item in items):
        return None
    columns: dict[Path, list[Any]] = {}
    for item in items:
        for leaf in leaves(item):
            columns.setdefault(leaf.path, []).append(leaf.number if leaf.kind == "number" else leaf.value)
    made = []
    for number, (one, other) in enumerate(pairwise(items)):
        after = {leaf.path: leaf for leaf in leaves(other)}
        changes: list[tuple[Path, Any]] = []
        for leaf in leaves(one):
            column = columns[leaf.path]
            if leaf.kind == "number" and leaf.path in after and after[leaf.path].kind == "number":
                middle = (leaf.number + after[leaf.path].number) / 2
                new: Any = int(middle) if isinstance(leaf.number, int) else middle
                changes += [(leaf.path, leaf.with_number(new))] if new not in column else []
            elif leaf.kind == "text" and not keep_texts:
                options = len(set(column)) < len(column) or str(leaf.value) in known
                others = [text for text in column if text != leaf.value] if options else []
                changes.append(
                    (leaf.path, others[number % len(others)] if others else _other_name(leaf.value, column))
                )
        wrong = replaced(one, changes)
        if wrong not in items and wrong not in made:
            made.append(wrong)
    return made or None


def _other_name(name: str, column: list[Any]) -> str:
    """A name of the same kind that is not in its column: `pump_04` for `pump_03`; else one word longer."""
    match = re.search(r"(\d+)(?=\D*$)", name)
    if match is None:
        return f"{name} junk"
    width = len(match[0])
    numbers = (int(match[0]) + 1 + step for step in range(len(column) + 1))
    made = (f"{name[: match.start()]}{number:0{width}d}{name[match.end() :]}" for number in numbers)
    return next(other for other in made if other not in column)


def _varied(item: Any, number: int) -> Any:
    """Every other junk record has keys of its own, so that no rule for one spelling catches all of them."""
    return (
        {f"{key}_{number}": child for key, child in item.items()}
        if isinstance(item, dict) and number % 2
        else item
    )


def _off(item: Any, factor: int) -> Any:
    """A record of the same name with other numbers; a number that only names it stays."""
    told = [leaf for leaf in leaves(item) if leaf.kind != "text"]
    values = [leaf for leaf in told if not _KEY.search(str(leaf.path[-1]) if leaf.path else "")]
    changes = [
        (
            leaf.path,
            leaf.with_number(_off_number(leaf.number, factor)) if leaf.kind == "number" else not leaf.value,
        )
        for leaf in values or told
    ]
    return replaced(item, changes)


def _off_number(n: float | int, factor: int) -> float | int:
    return n * factor + factor if isinstance(n, int) else as_fine_as(n, n * factor + factor)


def swapped(value: Any, one: Leaf, other: Leaf) -> Any:
    """Two values exchanged."""
    return replaced(value, [(one.path, other.value), (other.path, one.value)])


def only_key(value: dict[str, Any], key: str) -> dict[str, Any]:
    """The answer with one field and no other."""
    return {key: value[key]}


def without(value: Any, leaf: Leaf) -> Any | None:
    """The answer without one field; None if that would move the items of a list."""
    return None if not leaf.path or isinstance(leaf.path[-1], int) else dropped(value, leaf.path)
