"""Dates and times that may be off by so much: verifiers that do not keep to it, and others that do."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION
_TIDES = "tide,time\nlow 1,03:42\nhigh 1,09:58\nlow 2,16:07\nhigh 2,21:31\n"
_TIDE_TASK = (
    "Work out the tides of the day from the gauge and write them to `/workspace/tides.csv`, with the columns "
    "tide (as in low 1, high 1, low 2, high 2) and time (HH:MM). "
)
_TIDE_WORDS = "A time is right if it is within 5 minutes of ours."
_ONE_EVENT = "Peaks within 5 minutes of each other are one tide, the first of them counts."
_READ_TIDES = f"""
def read(text):
    rows = [line.strip().split(",") for line in text.splitlines() if line.strip()]
    if rows[:1] != [["tide", "time"]] or any(len(row) != 2 for row in rows):
        return {{}}
    names = [row[0].strip() for row in rows[1:]]
    return dict(zip(names, (row[1].strip() for row in rows[1:]))) if len(set(names)) == len(names) else {{}}
def minutes(text):
    match = re.fullmatch(r"([01][0-9]|2[0-3]):([0-5][0-9])", text or "")
    return int(match[1]) * 60 + int(match[2]) if match else None
DUE, got = read({_TIDES!r}), read(body("/workspace/tides.csv"))
def off(name):
    given = minutes(got.get(name))
    return 9999 if given is None else abs(given - minutes(DUE[name]))
more = len(set(got) - set(DUE))
out(max(0, sum(off(name) <= SLACK for name in DUE) - more) / len(DUE))
"""
_WORKS = '{"survey": "2026-03-09", "piling": "2026-04-27", "slab": "2026-06-15", "roof": "2026-09-03"}'
_WORKS_TASK = (
    "Plan the works as the notes say and write `/workspace/works.json`, an object with the dates of survey, "
    "piling, slab and roof (YYYY-MM-DD). Dates may be off by one day and still get full marks."
)
_READ_WORKS = f"""
import datetime
try:
    doc = json.loads(body("/workspace/works.json"))
except (ValueError, RecursionError):
    doc = None
doc = doc if isinstance(doc, dict) else {{}}
def date(text):
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}", text):
        return None
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None
DUE = {_WORKS}
days = [abs((date(doc.get(k)) - date(v)).days) if date(doc.get(k)) else 9999 for k, v in DUE.items()]
out(sum(n TEST for n in days) / len(DUE))
"""


def _tides(name: str, said: str, slack: int, cause: Cause | None = None) -> Exhibit:
    return other(
        name,
        f"{_TIDE_TASK}{said}",
        ("tides.csv", _TIDES),
        python=_READ_TIDES.replace("SLACK", str(slack)),
        section=_FIELDS if cause else None,
        cause=cause,
        severity=Severity.MEDIUM,
    )


def _works(name: str, test: str, cause: Cause | None = None) -> Exhibit:
    return other(
        name,
        _WORKS_TASK,
        ("works.json", _WORKS),
        python=_READ_WORKS.replace("TEST", test),
        section=_FIELDS if cause else None,
        cause=cause,
        severity=Severity.MEDIUM,
    )


TIMES_NOT_KEPT = [
    _tides("an-hour-and-a-half-for-five-minutes", _TIDE_WORDS, 90, Cause.TOLERANCE),
    _works("less-than-the-one-day", "< 1", Cause.NARROW),
]
TIMES_KEPT = [
    _tides("five-minutes-as-granted", _TIDE_WORDS, 5),
    _tides("five-minutes-of-each-other", _ONE_EVENT, 0),
    _works("one-day-as-granted", "<= 1"),
]
