"""One interval that covers everything, and intervals that leave no gap.

Where records have a beginning and an end, a verifier may ask only whether an interval contains or touches
what is right. Then one from the least place to the greatest holds all of it, and says nothing. What length
leaves of it in fairness is granted: twice the covered share over one and that share, as in F1.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from msgspec import Struct

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Path, get, lists, name_of, replaced, several_are_right, slug
from adjudge.audit.probes import Probe
from adjudge.audit.sections.lists.places import like, place_of
from adjudge.audit.sections.measure import EPS, WrongAnswers
from adjudge.audit.sections.result import SectionResult
from adjudge.audit.sections.weighing import report_gain

_FIRST = r"start|begin|beginning|from|first|lo|low|lower|min|minimum|left|since|opens?|onset|entry|in"
_LAST = r"end|finish|to|last|hi|high|upper|max|maximum|right|until|till|stop|closes?|exit|out"
_NAMED = [re.compile(rf"(?:.*[_\W])?(?:{words})(?:[_\W].*)?", re.I) for words in (_FIRST, _LAST)]
_MOST_LISTS = 2
_GAIN = 0.25
_COVERED = 0.7
"""Where the right intervals themselves cover so much, one that covers all of it is nearly right."""
_NUMBERS = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_WITHIN_REACH = 3
_ADVICE = (
    "Score how much of an interval is right, and not only that it is met: overlap over union, or both ends "
    "within a tolerance."
)

Span = tuple[float, float]
Ends = tuple[str | int, str | int]


class _Way(Struct, frozen=True):
    """Records that cover far more than the right ones, and like ones that cover nothing right."""

    name: str
    what: str
    rows: list[Any]
    beside: list[Any]
    share: float
    """How much of what they cover is right."""


def check_spans(wrongs: WrongAnswers, result: SectionResult) -> None:
    """Try one record that covers all, and each record widened up to its neighbours."""
    if not wrongs.document.structured or several_are_right(wrongs.bench.task.instruction):
        return
    for path in lists(wrongs.document.value)[:_MOST_LISTS]:
        items = get(wrongs.document.value, path)
        ends = ends_of(items)
        if ends is not None:
            _try_ways(wrongs, path, _ways(items, ends, wrongs.bench.task.instruction), result)


def ends_of(items: list[Any]) -> Ends | None:
    """Where records have their beginnings and ends: two columns named so, or the only two."""
    columns: list[str | int]
    if all(isinstance(item, dict) for item in items):
        columns = [key for key in items[0] if all(place_of(item.get(key)) is not None for item in items)]
        named = [[key for key in columns if rule.fullmatch(str(key))] for rule in _NAMED]
        pairs = [(one, other) for one in named[0] for other in named[1] if one != other]
        pairs += [(columns[0], columns[1])] if len(columns) == 2 == len(items[0]) else []
    elif all(isinstance(item, list) and len(item) == 2 for item in items):
        pairs = [(0, 1)] if all(place_of(end) is not None for item in items for end in item) else []
    else:
        return None
    return next((pair for pair in pairs if _never_cross(items, pair)), None)


def _never_cross(items: list[Any], ends: Ends) -> bool:
    """Does each interval end behind its beginning, and before the next one begins?"""
    spans = _spans(items, ends)
    if spans is None or not all(a <= b for a, b in spans) or not any(a < b for a, b in spans):
        return False
    return all(one[1] <= other[0] for one, other in pairwise(sorted(spans)))


def _spans(items: list[Any], ends: Ends) -> list[Span] | None:
    found = [(place_of(item[ends[0]]), place_of(item[ends[1]])) for item in items]
    spans = [(a, b) for a, b in found if a is not None and b is not None]
    return spans if len(spans) == len(items) else None


def _ways(items: list[Any], ends: Ends, instruction: str) -> list[_Way]:
    spans = sorted(_spans(items, ends) or [])
    low, high = spans[0][0], spans[-1][1]
    covered = sum(b - a for a, b in spans)
    gap = max(pairwise(spans), key=lambda two: two[1][0] - two[0][1])
    empty = (gap[0][1], gap[1][0])
    quarter = (empty[1] - empty[0]) / 4
    if (quarter < 1 and isinstance(items[0][ends[0]], int | str)) or not quarter:
        return []
    nothing = [_at(items[0], ends, (empty[0] + quarter, empty[1] - quarter))]
    made = [
        _Way(
            "one-for-all",
            "one record from the first beginning to the last end",
            [_at(items[0], ends, (low, high))],
            nothing,
            covered / (high - low),
        )
    ]
    top = _top(instruction, high)
    if not isinstance(items[0][ends[0]], str) and low >= 0 and (low, high) != (0, top):
        what = f"one record from 0 to {top:g}"
        made.append(_Way("one-from-zero", what, [_at(items[0], ends, (0, top))], nothing, covered / top))
    if len(items[0]) == 2:  # nothing but its ends: a name beside them may say whose they are
        wider = _widened(spans, whole=isinstance(items[0][ends[0]], int | str))
        rows = [_at(items[0], ends, span) for span in wider]
        what = "each record widened up to its neighbours"
        made.append(_Way("widened", what, rows, nothing, covered / sum(b - a for a, b in wider)))
    return [way for way in made if way.share <= _COVERED]


def _top(instruction: str, high: float) -> float:
    """The greatest place that the task names, if it is not far beyond the last one that is right."""
    told = [float(found) for found in _NUMBERS.findall(instruction)[:200]]
    return max([n for n in told if high <= n <= _WITHIN_REACH * high], default=high)


def _widened(spans: list[Span], *, whole: bool) -> list[Span]:
    """Each up to the middle of the gaps around it, so that none overlaps another."""
    middles = [(one[1] + other[0]) / 2 for one, other in pairwise(spans)]
    finishes = [
        *(max(m // 1, a[1]) if whole else m for m, a in zip(middles, spans, strict=False)),
        spans[-1][1],
    ]
    begins = [
        spans[0][0],
        *(min(m // 1 + 1, b[0]) if whole else m for m, b in zip(middles, spans[1:], strict=True)),
    ]
    return list(zip(begins, finishes, strict=True))


def _at(item: Any, ends: Ends, span: Span) -> Any:
    """A record like another, at another place."""
    moved = item.copy()
    for end, place in zip(ends, span, strict=True):
        moved[end] = like(item[end], place)
    return moved


def _try_ways(wrongs: WrongAnswers, path: Path, ways: list[_Way], result: SectionResult) -> None:
    name = name_of(path)

    def show(kind: str, what: str, rows: list[Any]) -> Probe:
        changed = replaced(wrongs.document.value, [(path, rows)])
        return wrongs.probe(f"list.{slug(path)}/{kind}", f"{name}: {what}", changed)

    if not ways:
        return
    beside = show("in-a-gap", "one record where nothing is", ways[0].beside)
    probes = [show(way.name, way.what, way.rows) for way in ways]
    nothing, *seen = wrongs.bench.run([beside, *probes])
    result.probes += [beside, *probes]
    worth = wrongs.base - nothing.reward
    if nothing.broke or worth <= EPS:
        return
    for way, probe, after in zip(ways, probes, seen, strict=True):
        gain = (after.reward - nothing.reward) / wrongs.base
        fair = 2 * way.share / (1 + way.share)
        wrongs.lost.append(1 - min(1.0, max(0.0, gain - fair)))
        if after.broke or gain < _GAIN or gain <= fair + _GAIN:
            continue
        told = (
            f"Only {way.share:.0%} of what it covers is right; the right answer earns {wrongs.base:g}, one "
            f"record where nothing is {nothing.reward:g}."
        )
        report_gain(wrongs, gain, Cause.HEDGED, probe, after, result, told=told, advice=_ADVICE)
