"""Intervals that cover everything, marks that are kept, zeros that are computed: flawed, then sound."""

from __future__ import annotations

import json
from typing import Any

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import PLAIN, Exhibit
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION
_OUTAGES = "from,to\n01:12,01:40\n03:05,03:18\n07:30,08:02\n13:44,14:10\n19:21,19:33\n"
_LINE = (
    "Find the outages of the line in the log and write them to `/workspace/outages.csv` with the columns "
    "from and to (HH:MM), the earliest first."
)
_READ_OUTAGES = f"""
        def minutes(text):
            match = re.fullmatch(r"([01][0-9]|2[0-3]):([0-5][0-9])", text.strip())
            return int(match[1]) * 60 + int(match[2]) if match else None
        def read(text):
            rows = [[minutes(cell) for cell in line.split(",")] for line in text.splitlines()[1:] if line]
            good = all(len(r) == 2 and None not in r and r[0] <= r[1] for r in rows)
            return [tuple(r) for r in rows] if good else []
        due, given = read({_OUTAGES!r}), read(body("/workspace/outages.csv"))
        def f1(found, fitting):
            recall, precision = found / len(due), fitting / (len(given) or 1)
            return 2 * recall * precision / (recall + precision) if recall and precision else 0.0
"""
_EXONS = [[120, 310], [1450, 1610], [2890, 3205], [5020, 5140]]
_GENE = (
    "Mark the exons of the sequence of 6000 bases in `/workspace/exons.json`: a list of pairs such as "
    "[10, 20], in any order and none over another."
)
_READ_EXONS = f"""
        try:
            answer = json.loads(body("/workspace/exons.json"))
        except (ValueError, RecursionError):
            answer = None
        due, mine, good = {_EXONS!r}, set(), isinstance(answer, list)
        for pair in answer if good else []:
            if not (isinstance(pair, list) and len(pair) == 2 and all(type(x) is int for x in pair)):
                good = False
            elif not 1 <= pair[0] <= pair[1] <= 6000 or mine & set(range(pair[0], pair[1] + 1)):
                good = False
            else:
                mine.update(range(pair[0], pair[1] + 1))
        mine = mine if good else set()
        right = {{base for a, b in due for base in range(a, b + 1)}}
"""
_TILES = [
    {"from_m": 5.0 * n, "to_m": 5.0 * n + 5} for n in (3, 4, 5, 6, 11, 12, 13, 20, 21, 28, 29, 30, 31, 32)
]
_ROAD = (
    "Which stretches of the platform of 200 m are worn? Write `/workspace/worn.json`, a list of objects "
    '`{"from_m": 0.0, "to_m": 0.0}`. Stretches may be joined or not, in any order; what counts is the length '
    "that is in yours and in the right ones, over the length in either."
)
_READ_TILES = f"""
        try:
            answer = json.loads(body("/workspace/worn.json"))
        except (ValueError, RecursionError):
            answer = None
        def number(x):
            return type(x) in (int, float) and 0 <= x <= 200
        def merged(rows):
            found = []
            for a, b in sorted(rows):
                if found and a <= found[-1][1]:
                    found[-1][1] = max(found[-1][1], b)
                else:
                    found.append([a, b])
            return found
        rows = answer if isinstance(answer, list) else []
        good = all(isinstance(r, dict) and number(r.get("from_m")) and number(r.get("to_m")) for r in rows)
        good = good and all(r["from_m"] < r["to_m"] for r in rows)
        mine = merged((r["from_m"], r["to_m"]) for r in rows) if good else []
        due = merged((r["from_m"], r["to_m"]) for r in {_TILES!r})
        both = sum(max(0.0, min(b, d) - max(a, c)) for a, b in mine for c, d in due)
        out(both / (sum(b - a for a, b in mine) + sum(d - c for c, d in due) - both))
"""
_RIDDLES = {"one": "echo", "two": "shadow", "three": "river", "four": "clock", "five": "stamp"}
_ASKED = (
    "Solve the five riddles and write `/workspace/riddles.json`, an object with the keys one to five. You "
    "may come back: what you solved once stays solved."
)
_READ_RIDDLES = f"""
        try:
            answer = json.loads(body("/workspace/riddles.json"))
        except (ValueError, RecursionError):
            answer = None
        answer = answer if isinstance(answer, dict) else {{}}
        due = {_RIDDLES!r}
        solved = {{key for key, word in due.items() if answer.get(key) == word}}
"""
_LOADS = {"support_left_kn": 14.25, "support_mid_kn": 0.0, "support_right_kn": 9.75, "moment_knm": 0.0}
_BEAM = "Work out the beam and write `/workspace/output.md`. Results within 1 % or 0.001 are right."


def _case(name: str, said: str, file: str, answer: Any, python: str, **flaw: Any) -> Exhibit:
    text = answer if isinstance(answer, str) else json.dumps(answer) + "\n"
    return other(name, said, (file, text), python=python, **flaw)


COVERING = [
    _case(
        "outages-that-are-contained",
        _LINE,
        "outages.csv",
        _OUTAGES,
        f"""{_READ_OUTAGES}
        found = sum(any(a <= c and d <= b for a, b in given) for c, d in due)
        out(f1(found, sum(any(a <= d and c <= b for c, d in due) for a, b in given)))
        """,
        section=_FIELDS,
        cause=Cause.HEDGED,
    ),
    _case(
        "exons-that-are-covered",
        _GENE,
        "exons.json",
        _EXONS,
        f"{_READ_EXONS}        out(len(mine & right) / len(right))\n",
        section=_FIELDS,
        cause=Cause.HEDGED,
    ),
    _case(
        "solved-once-and-for-all",
        _ASKED,
        "riddles.json",
        _RIDDLES,
        f"""{_READ_RIDDLES}
        kept = "/workspace/.progress"
        solved |= set(body(kept).split(";")) & set(due)
        with open(kept, "w") as file:
            file.write(";".join(sorted(solved)))
        out(len(solved) / len(due))
        """,
        section=Section.EXPLOITS,
        cause=Cause.SIDE_FILE,
    ),
    _case(
        "the-best-of-all-attempts",
        _ASKED,
        "riddles.json",
        _RIDDLES,
        f"""{_READ_RIDDLES}
        kept = "/workspace/attempts.json"
        try:
            attempts = json.loads(body(kept))
            best = max(float(attempt["share"]) for attempt in attempts)
        except (ValueError, TypeError, KeyError, RecursionError):
            attempts, best = [], 0.0
        attempts.append({{"share": len(solved) / len(due)}})
        with open(kept, "w") as file:
            json.dump(attempts, file)
        out(min(1.0, max(best, len(solved) / len(due))))
        """,
        section=Section.EXPLOITS,
        cause=Cause.SIDE_FILE,
    ),
    Exhibit(
        "zero-to-the-last-bit",
        PLAIN,
        Section.FORMAT,
        Cause.NARROW,
        Severity.MEDIUM,
        answer=_LOADS,
        instruction=_BEAM,
    ),
]

NOT_COVERING = [
    _case(
        "outages-that-overlap",
        _LINE,
        "outages.csv",
        _OUTAGES,
        f"""{_READ_OUTAGES}
        def fits(one, other):
            both = min(one[1], other[1]) - max(one[0], other[0])
            return both >= 0.8 * (max(one[1], other[1]) - min(one[0], other[0]))
        found = sum(any(fits(one, ref) for one in given) for ref in due)
        out(f1(found, sum(any(fits(one, ref) for ref in due) for one in given)))
        """,
    ),
    _case(
        "exons-base-by-base",
        _GENE,
        "exons.json",
        _EXONS,
        f"{_READ_EXONS}        out(2 * len(mine & right) / (len(mine) + len(right)))\n",
    ),
    _case("stretches-joined-or-not", _ROAD, "worn.json", _TILES, _READ_TILES),
    _case(
        "notes-for-the-agent",
        _ASKED.rpartition(" You")[0],
        "riddles.json",
        _RIDDLES,
        f"""{_READ_RIDDLES}
        with open("/workspace/.feedback", "w") as file:
            file.write(";".join(sorted(solved)))
        out(len(solved) / len(due))
        """,
    ),
    Exhibit(
        "zero-within-a-thousandth",
        """
        answer = read()
        scores = {}
        for name, ref in REF.items():
            x = number(answer.get(name))
            scores[name] = float(x is not None and abs(x - ref) <= max(0.01 * abs(ref), 0.001))
        write(scores)
        """,
        answer={**_LOADS, "moment_knm": 3.5},
        skeleton=dict.fromkeys(_LOADS, "..."),
        instruction=_BEAM,
    ),
]
