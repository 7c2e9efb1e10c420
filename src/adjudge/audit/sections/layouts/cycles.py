"""A ring of corners, or a round trip, that may begin anywhere and run in either direction, as the task says.

A ring is a list whose last item is its first, or a text such as `A-B-C-A`. A list that is not closed counts
only if it is the only one, and the task speaks of a ring or a tour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Document, Path, allows, get, leaves, lists, replaced
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.contracts import Severity

_DIRECTION = re.compile(
    r"\b(?:either|any|whichever|both) (?:directions?|orientations?|senses?|ways? round)\b"
    r"|\b(?:counter-?|anti-?)?clockwise (?:or|and) (?:counter-?|anti-?)?clockwise\b"
    r"|\b(?:direction|orientation|winding|sense)\b.{0,40}\b(?:do(?:es)? not matter|is free|is not checked"
    r"|ignored|arbitrary|makes no difference|is up to you|your choice)\b"
    r"|\bforwards? or backwards?\b|\bor (?:its|the) reverse\b"
    r"|\breversed\b.{0,30}\b(?:fine|allowed|accepted|as well)\b",
    re.I,
)
_START = re.compile(
    r"\b(?:begin|start)(?:s|ning|ing)?\b.{0,24}\b(?:any|whichever|wherever)\b(?! (?:time|day|hour))"
    r"|\b(?:start|starting|first) (?:points?|corners?|vertex|nodes?|places?|stops?|positions?|city|town)\b"
    r".{0,40}\b(?:do(?:es)? not matter|free|arbitrary|any|your choice|up to you|makes no difference)\b"
    r"|\bany (?:corner|vertex|node|point|place|stop|city|town|item)\b.{0,30}\b(?:first|start|begin)\b"
    r"|\bany (?:cyclic )?(?:rotation|shift)\b|\bcyclic (?:rotations?|shifts?|permutations?)\b",
    re.I,
)
_RING = re.compile(
    r"\b(?:rings?|cycles?|cyclic|circuits?|loops?|tours?|polygons?|outlines?|contours?|hull|round trips?"
    r"|closed)\b",
    re.I,
)
_MARKS = (" -> ", "->", " \N{RIGHTWARDS ARROW} ", "\N{RIGHTWARDS ARROW}", " - ", "-", ", ", ",", " ")
_LEAST = 4
_ADVICE = "Compare rings as rings: at every start, and in both directions, if the task allows them."


def allowed_cycles(instruction: str, document: Document) -> Iterator[Rewrite]:
    """The right answer with its rings turned and reversed, as far as the task allows either."""
    turned, reversed_ = (allows(words, instruction, choice=True) for words in (_START, _DIRECTION))
    if not (turned or reversed_) or not _RING.search(instruction):
        return
    rings = list(_rings(document))
    if not rings:
        return
    ways = [("turned", "begun at another item", 1, 0)] if turned else []
    ways += [("reversed", "in the other direction", 0, 1)] if reversed_ else []
    ways += (
        [("turned-and-reversed", "begun elsewhere and in the other direction", 1, 1)] if len(ways) > 1 else []
    )
    for name, what, turn, back in ways:
        changes = []
        for path, items, mark in rings:
            closed = items[0] == items[-1]
            core = items[:-1] if closed else items
            core = core[:1] + core[:0:-1] if back and not turn else core[::-1] if back else core
            core = core[len(core) // 2 :] + core[: len(core) // 2] if turn else core
            other = [*core, core[0]] if closed else core
            changes.append((path, other if mark is None else mark.join(map(str, other))))
        data = document.render(replaced(document.value, changes))
        said = f"the same ring {what}, which the task allows"
        yield Rewrite(f"allowed-{name}", said, data, Severity.MEDIUM, _ADVICE, Cause.ORDER)


def _rings(document: Document) -> Iterator[tuple[Path, list[Any], str | None]]:
    """Path, items, and the mark between them in a text; closed ones, else the only list of plain items."""
    paths = lists(document.value, _LEAST)
    closed = [path for path in paths if _is_closed(get(document.value, path))]
    for path in closed:
        yield path, get(document.value, path), None
    texts = [leaf for leaf in leaves(document.value) if leaf.kind == "text"]
    found = [(leaf.path, parts) for leaf in texts if (parts := _parts(leaf.value)) is not None]
    for path, (items, mark) in found:
        yield path, items, mark
    plain = [path for path in paths if all(_is_plain(item) for item in get(document.value, path))]
    if not closed and not found and len(plain) == 1 and _differ(get(document.value, plain[0])):
        yield plain[0], get(document.value, plain[0]), None


def _is_closed(items: list[Any]) -> bool:
    return len(items) >= _LEAST and items[0] == items[-1] and _differ(items[:-1])


def _differ(items: list[Any]) -> bool:
    return all(one != other for one, other in pairwise(items)) and items[0] not in items[1:]


def _is_plain(item: Any) -> bool:
    """A name, a number, or a point of numbers."""
    numbers = isinstance(item, list) and all(isinstance(part, int | float) for part in item)
    return numbers or isinstance(item, str | int | float)


def _parts(text: str) -> tuple[list[str], str] | None:
    for mark in _MARKS:
        items = text.strip().split(mark)
        if (
            len(items) >= _LEAST
            and _is_closed(items)
            and all(item and item == item.strip() for item in items)
        ):
            return items, mark
    return None
