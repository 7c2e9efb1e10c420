"""Dates and times that are wrong in one part or in all of them. Pure: texts in, texts out."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterator

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(.*)")
_CLOCK = re.compile(r"(.*[T ]|)([01]?\d|2[0-3]):([0-5]\d)(.*)")
_OFFSET = re.compile(r"(.*T?\d\d:\d\d\S*?)([+-]\d\d:?\d\d|Z)")
_LONG_MONTHS = (1, 3, 5, 7, 8, 10, 12)
_MONTHS = 12
_LAST_DAY = datetime.date.max.toordinal()


def other_moments(word: str, taken: Collection[str] = ()) -> dict[str, str]:
    """Another year, month, day, hour, minute and offset from UTC, each alone, and day
    and month exchanged, for whoever compares a part of a moment.

    Of the values in `taken`, which may be right in another place, none is made, if there is another one.
    """
    made = _parts_changed(word)
    for part, other in made.items():
        if other in taken:
            free = (one for one in _further(part, word) if one != word and one not in taken)
            made[part] = next(free, other)
    return made


def _further(part: str, word: str) -> Iterator[str]:
    """The same part once more, from the changed moment on: other values of it in turn."""
    seen = {word}
    here = _parts_changed(word).get(part, word)
    while here not in seen:
        seen.add(here)
        yield here
        here = _parts_changed(here).get(part, here)


def _parts_changed(word: str) -> dict[str, str]:
    made: dict[str, str] = {}
    if match := _DATE.fullmatch(word):
        year, month, day = (int(part) for part in match.group(1, 2, 3))
        other_month = next(m for m in _LONG_MONTHS if m > month or month == 12)
        made["year"] = f"{year + 4}-{match[2]}-{match[3]}{match[4]}"  # 29 February is there again
        made["month"] = f"{match[1]}-{other_month:02}-{match[3]}{match[4]}"
        made["day"] = f"{match[1]}-{match[2]}-{(day + 12) % 28 + 1:02}{match[4]}"
        if day <= _MONTHS and day != month:
            made["day-month"] = f"{match[1]}-{match[3]}-{match[2]}{match[4]}"
        if (near := _same_week(year, month, day)) is not None:
            made["weekday"] = f"{match[1]}-{match[2]}-{near:02}{match[4]}"
    if match := _CLOCK.fullmatch(word):
        hour, minute = int(match[2]), int(match[3])
        made["hour"] = f"{match[1]}{(hour + 5) % 24:02}:{match[3]}{match[4]}"
        made["minute"] = f"{match[1]}{match[2]}:{(minute + 23) % 60:02}{match[4]}"
    if match := _OFFSET.fullmatch(word):
        made["offset"] = f"{match[1]}{'-05:00' if match[2] != '-05:00' else '+09:00'}"
    return made


def _same_week(year: int, month: int, day: int) -> int | None:
    """Another day of the same month in the same calendar week (from Monday on); None if there is none."""
    try:
        date = datetime.date(year, month, day)
    except ValueError:
        return None
    monday = date.toordinal() - date.weekday()
    week = [datetime.date.fromordinal(monday + n) for n in range(7) if 0 < monday + n < _LAST_DAY]
    return next((other.day for other in week if other != date and other.month == month), None)


def other_moment(word: str) -> str | None:
    """A moment that is wrong in every part; None for other words, which whoever reads moments leaves out."""
    other = word
    for part in ("year", "month", "day", "hour", "minute"):
        other = other_moments(other).get(part, other)
    return None if other == word else other
