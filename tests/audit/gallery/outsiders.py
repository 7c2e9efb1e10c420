"""Flaws of a fifth set, written down before any was tried: those that were missed, or named by another cause.

Beside them sound verifiers of the same kinds, and of those that a finding was false of.
"""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS, _EXPLOITS = Section.DISCRIMINATION, Section.EXPLOITS

_RISKS = "Rank the sites by risk, the highest first: a JSON list of names in `/workspace/sites.json`."
_SITES = '["K5", "K2", "K4", "K1", "K7", "K3"]'
_READ_SITES = """
        RIGHT = ["K5", "K2", "K4", "K1", "K7", "K3"]
        try:
            given = json.loads(body("/workspace/sites.json"))
            fit = isinstance(given, list) and sorted(given) == sorted(RIGHT)
        except (ValueError, TypeError, RecursionError):
            fit = False
        rho = 1 - sum((n - RIGHT.index(x)) ** 2 for n, x in enumerate(given)) / 35 if fit else 0.0
"""

_WORK = """Write `/workspace/work.json`: `operations`, the codes of the operations in the order in which they
are carried out (one that is carried out twice stands there twice), and `hours`, their sum."""
_OPERATIONS = '{"operations": ["SAW", "TURN", "DEBURR", "MILL", "DEBURR", "GRIND"], "hours": 4.5}'
_READ_WORK = """
        RIGHT = ["SAW", "TURN", "DEBURR", "MILL", "DEBURR", "GRIND"]
        try:
            work = json.loads(body("/workspace/work.json"))
            given = [code for code in work["operations"] if isinstance(code, str)]
            hours = float(type(work["hours"]) in (int, float) and abs(work["hours"] - 4.5) < 0.01)
        except (ValueError, KeyError, TypeError, RecursionError):
            given, hours = [], 0.0
"""

_FOOTINGS = "Write the settlements in mm to `/workspace/mm.json`: `a`, `b` and `c`, within 2 %."
_SETTLEMENTS = '{"a": 13.35, "b": 13.4, "c": 14.15}'

_CURING = "Write the dates to `/workspace/dates.json`: `strike`, `props` and `full`, as ISO dates."
_DATES = '{"strike": "2024-04-15", "props": "2024-04-29", "full": "2024-05-06"}'

OUTSIDERS = [
    other(
        "opposite-order",
        _RISKS,
        ("sites.json", _SITES),
        python=f"{_READ_SITES}\n        out(abs(rho))\n",
        section=_FIELDS,
        cause=Cause.UNORDERED,
        severity=Severity.MEDIUM,
    ),
    other(
        "order-of-a-named-list",
        _WORK,
        ("work.json", _OPERATIONS),
        python=f"{_READ_WORK}\n        out(0.6 * (sorted(given) == sorted(RIGHT)) + 0.4 * hours)\n",
        section=_FIELDS,
        cause=Cause.UNORDERED,
        severity=Severity.MEDIUM,
    ),
    other(
        "twice-is-once",
        _WORK,
        ("work.json", _OPERATIONS),
        python=f"{_READ_WORK}\n        out(0.6 * (set(given) == set(RIGHT)) + 0.4 * hours)\n",
        section=_FIELDS,
        cause=Cause.FEW_ITEMS,
        severity=Severity.MEDIUM,
    ),
    other(
        "negative-quotient",
        _FOOTINGS,
        ("mm.json", _SETTLEMENTS),
        python="""
        REF = {"a": 13.35, "b": 13.4, "c": 14.15}
        def near(x, ref):
            return type(x) in (int, float) and 0 < abs(x) < 1e300 and abs(x - ref) / x <= 0.02
        try:
            doc = json.loads(body("/workspace/mm.json"))
            out(sum(near(doc.get(name), ref) for name, ref in REF.items()) / 3)
        except (ValueError, AttributeError, RecursionError):
            out(0.0)
        """,
        section=_FIELDS,
        cause=Cause.BOUND,
    ),
    other(
        "any-day-of-the-week",
        _CURING,
        ("dates.json", _DATES),
        python="""
        import datetime
        def week(text):
            try:
                return tuple(datetime.date.fromisoformat(text).isocalendar())[:2]
            except (TypeError, ValueError):
                return None
        REF = {"strike": "2024-04-15", "props": "2024-04-29", "full": "2024-05-06"}
        try:
            doc = json.loads(body("/workspace/dates.json"))
            out(sum(week(doc.get(name)) == week(day) for name, day in REF.items()) / 3)
        except (ValueError, AttributeError, RecursionError):
            out(0.0)
        """,
        section=_FIELDS,
        cause=Cause.TOLERANCE,
        severity=Severity.MEDIUM,
    ),
]

OUTSIDERS_SOUND: list[Exhibit] = [
    other(
        "agreement-of-ranks",
        _RISKS,
        ("sites.json", _SITES),
        python=f"{_READ_SITES}\n        out(max(0.0, rho))\n",
    ),
]
