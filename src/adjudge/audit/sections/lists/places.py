"""Places on a line: numbers, dates and times of day, and back. Pure."""

from __future__ import annotations

import datetime
import re
from typing import Any

_CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d)(:\d\d)?(Z|\+00:00)?")
_START = datetime.datetime(1970, 1, 1)
_DAY, _HOUR, _MINUTE = 86400, 3600, 60


def place_of(value: Any) -> float | int | None:
    """Where a number, a date or a time stands, the latter in seconds; None for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if not isinstance(value, str):
        return None
    if clock := _CLOCK.fullmatch(value):
        return int(clock[1]) * _HOUR + int(clock[2]) * _MINUTE + int(clock[3] or 0)
    try:
        if _DATE.fullmatch(value) or _MOMENT.fullmatch(value):
            moment = datetime.datetime.fromisoformat(value.replace("Z", ""))
            return int((moment.replace(tzinfo=None) - _START).total_seconds())
    except ValueError:
        return None
    return None


def like(value: Any, place: float) -> Any:
    """A place in the form of a value that has one: 480 as `00:08:00`."""
    if isinstance(value, int):
        return int(place)
    if not isinstance(value, str):
        return type(value)(round(place, 9))
    if clock := _CLOCK.fullmatch(value):
        minutes, seconds = divmod(int(place), _MINUTE)
        written = f"{minutes // _MINUTE % 24:02}:{minutes % _MINUTE:02}"
        return f"{written}:{seconds:02}" if clock[3] else written
    moment = _START + datetime.timedelta(seconds=int(place))
    if _DATE.fullmatch(value):
        return moment.date().isoformat()
    shown = _MOMENT.fullmatch(value)
    seconds_shown = "seconds" if shown and shown[2] else "minutes"
    return f"{moment.isoformat(value[10], seconds_shown)}{(shown and shown[3]) or ''}"
