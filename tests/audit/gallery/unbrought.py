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
_BROKER = """The file `/workspace/queue.conf` of a message queue has to be changed in place, so that

- at most 300 clients may be connected, each for 45 seconds without a word,
- messages are kept on disk, for 72 hours, in at most 2048 MB.

All other settings stay as they are. Each setting weighs the same.
"""
_BROKER_GIVEN = """# queue of the harbour office
listen = 0.0.0.0:5671
max_clients = 2000
idle_s = 600

[store]
kind = memory
folder = /var/lib/queue
keep_h = 24
"""
_BROKER_FILES = {
    "task.toml": '[output]\npath = "/workspace/queue.conf"\n',
    "environment/Dockerfile": "FROM debian:12\nCOPY queue.conf /workspace/queue.conf\n",
    "environment/queue.conf": _BROKER_GIVEN,
    "tests/wanted.txt": "max_clients = 300\nidle_s = 45\nkind = disk\nkeep_h = 72\nmost_mb = 2048\n",
}
_BROKER_READ = """
        WANTED = dict(line.split(" = ") for line in body("/tests/wanted.txt").splitlines())
        KEPT = {"listen": "0.0.0.0:5671", "folder": "/var/lib/queue"}
        text = body("/workspace/queue.conf").replace("\\r", "")
        def values(name):
            return re.findall(rf"%s{name}[ \\t]*=[ \\t]*([^\\n]*?)[ \\t]*$", text, re.M)
        kept = all(values(name) == [value] for name, value in KEPT.items()) and "[store]" in text
        out(kept * sum(%s for name, value in WANTED.items()) / len(WANTED))
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
    _unbrought(
        "settings-of-a-queue-anywhere",
        _BROKER,
        "queue.conf",
        _BROKER_READ % (r"\b", "value in values(name)"),
        files=_BROKER_FILES,
        section=_FIELDS,
        cause=Cause.ANYWHERE,
    ),
]
UNBROUGHT_SOUND = [
    _unbrought(
        "settings-of-a-queue",
        _BROKER,
        "queue.conf",
        _BROKER_READ % (r"^[ \t]*", "values(name) == [value]"),
        files=_BROKER_FILES,
    ),
    _unbrought("clashes-that-count-once", _CLASHES, "clashes.json", _PAIRS % " and pair not in seen"),
    _unbrought(
        "litres-that-are-numbers", _TANKS, "note.md", _NOTE % "abs(float(row[2]) - litres) <= 0.01 * litres"
    ),
]
