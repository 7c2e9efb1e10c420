"""Flaws of a ninth set, in tasks of every day: orders, bookings, puzzles, labels, small files of settings."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other

_FORMAT = Section.FORMAT
_MEDIUM = Severity.MEDIUM
_COURSES = (
    "Courses and what must be taken before: algebra (nothing), calculus (algebra), logic (nothing), "
    "proofs (logic), analysis (calculus, proofs), music (nothing). Any order in which each course comes "
    "after its prerequisites is right: a list of names in `/workspace/plan.json`."
)
_PLAN = ("plan.json", '["algebra", "calculus", "logic", "music", "proofs", "analysis"]\n')
_READ_PLAN = """
        needs = {"algebra": [], "calculus": ["algebra"], "logic": [], "proofs": ["logic"],
                 "analysis": ["calculus", "proofs"], "music": []}
        try:
            plan = json.loads(body("/workspace/plan.json"))
        except (ValueError, RecursionError):
            plan = None
        plan = plan if isinstance(plan, list) and all(isinstance(x, str) for x in plan) else []
"""

NINTH_HANDS = [
    other(
        "one-plan-of-many",
        _COURSES,
        _PLAN,
        python=f"""{_READ_PLAN}
        due = []
        while len(due) < len(needs):
            due.append(min(x for x in needs if x not in due and all(n in due for n in needs[x])))
        out(float(plan == due))
        """,
        section=_FORMAT,
        cause=Cause.ORDER,
        severity=_MEDIUM,
    ),
]

NINTH_SOUND = [
    other(
        "any-plan-that-fits",
        _COURSES,
        _PLAN,
        python=f"""{_READ_PLAN}
        whole = sorted(plan) == sorted(needs)
        out(float(whole and all(plan.index(n) < plan.index(x) for x in needs for n in needs[x])))
        """,
    ),
    other(
        "right-to-the-byte",
        "Write the stations sorted by height to `/workspace/stations.json`, compact, one line, keys in the "
        "order name, height. The file is compared byte for byte with ours.",
        ("stations.json", '[{"name":"Elm","height":212.5},{"name":"Oak","height":340.25}]\n'),
        script="""
        want='[{"name":"Elm","height":212.5},{"name":"Oak","height":340.25}]'
        if [ -f /workspace/stations.json ] && printf '%s\\n' "$want" | cmp -s - /workspace/stations.json; then
          echo 1; else echo 0; fi > /logs/verifier/reward.txt
        """,
    ),
    other(
        "within-a-factor-of-three",
        "Estimate to `/workspace/guess.json`: piano_tuners, litres_of_tea, steps_per_year, letters_per_day. "
        "An estimate within a factor of three of the true value is right.",
        (
            "guess.json",
            '{"piano_tuners": 230, "litres_of_tea": 41000, "steps_per_year": 2600000, '
            '"letters_per_day": 71}\n',
        ),
        python="""
        try:
            guess = json.loads(body("/workspace/guess.json"))
        except (ValueError, RecursionError):
            guess = None
        guess = guess if isinstance(guess, dict) else {}
        due = {"piano_tuners": 225, "litres_of_tea": 40000, "steps_per_year": 2555000, "letters_per_day": 70}
        def right(x, ref):
            return type(x) in (int, float) and 0 < x < 1e300 and ref / 3 <= x <= 3 * ref
        out(sum(right(guess.get(key), ref) for key, ref in due.items()) / len(due))
        """,
    ),
    other(
        "cells-that-are-rightly-empty",
        "Write the till's movements to `/workspace/till.csv` with the columns slip, taken, given: an amount "
        "with two decimals in one of them, the other one empty. Slips: 1 took 40.00, 2 gave 12.50, "
        "3 took 7.25, 4 gave 3.00.",
        ("till.csv", "slip,taken,given\n1,40.00,\n2,,12.50\n3,7.25,\n4,,3.00\n"),
        python="""
        import csv, io
        due = {"1": ("40.00", ""), "2": ("", "12.50"), "3": ("7.25", ""), "4": ("", "3.00")}
        try:
            rows = list(csv.DictReader(io.StringIO(body("/workspace/till.csv").lstrip(chr(0xfeff)))))
        except csv.Error:
            rows = []
        seen = {row.get("slip"): ((row.get("taken") or "").strip(), (row.get("given") or "").strip())
                for row in rows}
        out(float(seen == due and len(rows) == len(due)))
        """,
    ),
]
