"""A tariff and a bonus whose verifiers draw a bound otherwise than their tasks say; sound ones last."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_TOLL = """Work out the toll of each lorry in EUR. Write `/workspace/tolls.json`: plate to toll.

| plate | weight (t) | km |
|---|---|---|
| AB-12 | 11.5 | 40 |
| CD-34 | 18.0 | 25 |
| EF-56 | 26.5 | 60 |
| GH-78 | 7.5 | 80 |

A lorry pays 0.15 EUR for each km. Of a weight of 18 t or more it pays 0.05 EUR more for each km. Tolls within
half a cent are right.
"""
_ROWS = [("AB-12", 11.5, 40), ("CD-34", 18.0, 25), ("EF-56", 26.5, 60), ("GH-78", 7.5, 80)]
_TOLL_CHECK = f"""
        def toll(weight, km):
            rate = 0.15
            if weight {{op}} 18:
                rate += 0.05
            return rate * km
        wanted = {{{{plate: toll(weight, km) for plate, weight, km in {_ROWS!r}}}}}
        try:
            given = json.loads(body("/workspace/tolls.json"))
        except (ValueError, RecursionError):
            given = None
        given = given if isinstance(given, dict) else {{{{}}}}
        plain = all(type(value) in (int, float) for value in given.values())
        fit = plain and set(given) == set(wanted)
        out(float(fit and all(abs(given[plate] - wanted[plate]) <= 0.005 for plate in wanted)))
"""
_BONUS = """Who of the crew gets the bonus? Hours this month: Ada 161, Bo 160, Cy 148, Di 175, Ed 90.
Whoever has worked more than 160 hours gets it. Write the names, sorted, as a JSON list
to `/workspace/bonus.json`.
"""
_BONUS_CHECK = """
        HOURS = {{"Ada": 161, "Bo": 160, "Cy": 148, "Di": 175, "Ed": 90}}
        ENOUGH = 160
        wanted = sorted(name for name, hours in HOURS.items() if {test})
        try:
            given = json.loads(body("/workspace/bonus.json"))
        except (ValueError, RecursionError):
            given = None
        out(float(given == wanted))
"""


def _toll(name: str, op: str, second: str, **expected: object) -> Exhibit:
    answer = f'{{"AB-12": 6.0, "CD-34": {second}, "EF-56": 12.0, "GH-78": 12.0}}'
    return other(name, _TOLL, ("tolls.json", answer), python=_TOLL_CHECK.format(op=op), **expected)  # type: ignore[arg-type] # passed on


def _bonus(name: str, test: str, names: str, **expected: object) -> Exhibit:
    check = _BONUS_CHECK.format(test=test)
    return other(name, _BONUS, ("bonus.json", names), python=check, **expected)  # type: ignore[arg-type] # passed on


DRAWN_BOUNDS = [
    _toll(
        "a-bound-that-is-not-counted",
        ">",
        "3.75",
        section=Section.SOURCE,
        cause=Cause.BOUNDARY,
        severity=Severity.MEDIUM,
    ),
    _bonus(
        "a-bound-that-is-counted",
        "hours >= ENOUGH",
        '["Ada", "Bo", "Di"]',
        section=Section.SOURCE,
        cause=Cause.BOUNDARY,
        severity=Severity.MEDIUM,
    ),
]
AS_SAID = [
    _toll("a-bound-as-it-is-said", ">=", "5.0"),
    _bonus("a-bound-from-the-other-side", "not hours <= ENOUGH", '["Ada", "Di"]'),
]
