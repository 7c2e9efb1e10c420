"""Verifiers whose right answer nobody brought along and that can be put together: flawed, then sound."""

from __future__ import annotations

from typing import Any

from adjudge.audit import Cause, Section
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_CLASHES = """Which chemicals of the store must not stand side by side? Write `/workspace/clashes.json`:

```json
{"clashes": [{"pair": ["chemical", "chemical"], "hazard": "fire"}]}
```

The hazard is fire, gas or heat. A right pair counts one, without its hazard a half; the score is twice the
credit over the entries that are given and the clashes that there are. The same pair again is an entry without
credit.
"""
_PAIRS = """
        CLASHES = {
            frozenset({"acetone", "nitric acid"}): "fire",
            frozenset({"bleach", "ammonia"}): "gas",
            frozenset({"bleach", "vinegar"}): "gas",
            frozenset({"lye", "sulphuric acid"}): "heat",
            frozenset({"lye", "aluminium"}): "fire",
        }
        try:
            rows = json.loads(body("/workspace/clashes.json"))["clashes"]
        except (ValueError, RecursionError, KeyError, TypeError):
            rows = []
        rows = rows if isinstance(rows, list) else []
        credit, seen = 0.0, set()
        for row in rows:
            names = row.get("pair") if isinstance(row, dict) else None
            if not isinstance(names, list) or len(names) != 2 or not all(isinstance(n, str) for n in names):
                continue
            pair = frozenset(names)
            if pair in CLASHES%s:
                seen.add(pair)
                credit += 1.0 if row.get("hazard") == CLASHES[pair] else 0.5
        out(min(1.0, 2 * credit / (len(rows) + len(CLASHES))))
"""
_TANKS = """The tanks T1, T2, T3 and T4 fill up at different speeds. Write a note to `/workspace/note.md` that
contains a table with the columns `Tank`, `Full on` (YYYY-MM-DD) and `Litres`, a row for each tank. Each row
weighs a quarter.
"""
_NOTE = """
        from datetime import date, timedelta
        FULL = {f"T{n}": (date(2026, 3, 1) + timedelta(days=9 * n), 250.0 * n + 37.5) for n in range(1, 5)}
        lines = [line.strip() for line in body("/workspace/note.md").splitlines()]
        rows = [[c.strip() for c in line.strip("|").split("|")] for line in lines if line.startswith("|")]
        good = bool(rows) and [c.lower() for c in rows[0]] == ["tank", "full on", "litres"]
        def right(row, day, litres):
            try:
                near = %s
            except ValueError:
                return False
            return row[1] == day.isoformat() and near
        mine = {name: [row for row in rows if row[0] == name and len(row) == 3] for name in FULL}
        marks = [len(mine[n]) == 1 and right(mine[n][0], *FULL[n]) for n in FULL]
        out(sum(marks) / 4 if good else 0.0)
"""


def _unbrought(name: str, instruction: str, file: str, python: str, **found: Any) -> Exhibit:
    made = other(name, instruction, (file, ""), python=python, **found)
    made.files.pop(f"goldens/pass/{file}")
    return made


_FIELDS = Section.DISCRIMINATION
UNBROUGHT = [
    _unbrought(
        "clashes-that-count-again",
        _CLASHES,
        "clashes.json",
        _PAIRS % "",
        section=_FIELDS,
        cause=Cause.REPEATS,
    ),
    _unbrought(
        "litres-that-are-not-a-number",
        _TANKS,
        "note.md",
        _NOTE % "not abs(float(row[2]) - litres) > 0.01 * litres",
        section=_FIELDS,
        cause=Cause.NOT_A_NUMBER,
    ),
]
UNBROUGHT_SOUND = [
    _unbrought("clashes-that-count-once", _CLASHES, "clashes.json", _PAIRS % " and pair not in seen"),
    _unbrought(
        "litres-that-are-numbers", _TANKS, "note.md", _NOTE % "abs(float(row[2]) - litres) <= 0.01 * litres"
    ),
]
