"""A column of times or numbers, all moved by a part of the least distance between two of them.

Then one value may lie within the tolerance of two, and which it is given to shows. Pure: texts in, texts out.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from adjudge.audit.documents import Leaf

_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(:[0-5]\d)?")
_IN_TEXT = (
    re.compile(r"(?<![\w:.-])(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?![\w:])"),
    re.compile(r"(?<![\w-])\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?(?![\w:-])"),
)
_DAY = 86400
_MINUTE = 60
_PARTS = (1 / 2, 1 / 3)
_LEAST = 3
_Read = tuple[float, Callable[[float], Any]]


def shifted_columns(column: Sequence[Leaf]) -> list[list[Any]]:
    """The values of a column moved earlier and later, by half and a third of their least distance.

    Nothing if there are fewer than three, if one of them is no moment or number, or if they are all the same.
    """
    read = [_read(leaf) for leaf in column]
    known = [one for one in read if one is not None]
    if len(known) < max(_LEAST, len(column)):
        return []
    places = sorted({place for place, _ in known})
    gaps = [b - a for a, b in pairwise(places)]
    if not gaps:
        return []
    made: list[list[Any]] = []
    for part in _PARTS:
        for sign in (-1, 1):
            new = [write(place + sign * part * min(gaps)) for place, write in known]
            if new not in made and new != [leaf.value for leaf in column]:
                made.append(new)
    return made


def shifted_texts(text: str) -> list[str]:
    """The same for the times of day and the dates of a text, whichever it has more of."""
    found = max((list(pattern.finditer(text)) for pattern in _IN_TEXT), key=len)
    made = []
    for values in shifted_columns([Leaf((place,), "text", m[0]) for place, m in enumerate(found)]):
        parts, at = [], 0
        for match, value in zip(found, values, strict=True):
            parts += [text[at : match.start()], value]
            at = match.end()
        made.append("".join(parts) + text[at:])
    return made


def _read(leaf: Leaf) -> _Read | None:
    if leaf.kind == "number":
        whole = isinstance(leaf.number, int)
        return float(leaf.number), lambda n: leaf.with_number(round(n) if whole else round(n, 6))
    text = str(leaf.value)
    if match := _CLOCK.fullmatch(text):
        seconds = int(match[3][1:]) if match[3] else 0
        unit = 1 if match[3] else _MINUTE
        place = int(match[1]) * 3600 + int(match[2]) * _MINUTE + seconds
        return float(place), lambda n: _clock(round(n / unit) * unit % _DAY, full=match[3] is not None)
    return _read_moment(text)


def _clock(seconds: int, *, full: bool) -> str:
    text = f"{seconds // 3600:02}:{seconds % 3600 // _MINUTE:02}"
    return f"{text}:{seconds % _MINUTE:02}" if full else text


def _read_moment(text: str) -> _Read | None:
    """A date, or a date with a time of day, as ISO 8601 writes it."""
    bare, zone = (text[:-1], "Z") if text.endswith("Z") else (text, "")
    try:
        moment = datetime.datetime.fromisoformat(bare)
    except ValueError:
        return None
    date = re.fullmatch(r"\d{4}-\d\d-\d\d", bare) is not None
    unit = _DAY if date else _MINUTE

    def write(n: float) -> str:
        later = moment + datetime.timedelta(seconds=round((n - start) / unit) * unit)
        if date:
            return later.date().isoformat()
        spec = "seconds" if bare.count(":") > 1 else "minutes"
        return f"{later.isoformat(bare[10], spec)}{zone}"

    start = (moment.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)).total_seconds()
    return start, write
