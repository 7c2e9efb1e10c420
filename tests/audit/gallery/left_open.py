"""What is left open, left out or cut short: it must count as wrong. Flawed verifiers, then sound ones."""

from __future__ import annotations

import json

from adjudge.audit import Cause, Section
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION
_QUIZ = {"q1": "B", "q2": "D", "q3": "A", "q4": "C", "q5": "C", "q6": "A", "q7": "D", "q8": "B"}
_ASKED = (
    "Answer the eight questions of the paper with A to D in `/workspace/answers.json`, an object with the "
    "keys q1 to q8. Write `null` where you do not know."
)
_READ_QUIZ = f"""
        try:
            answer = json.loads(body("/workspace/answers.json"))
        except (ValueError, RecursionError):
            answer = None
        answer = answer if isinstance(answer, dict) else {{}}
        due = {_QUIZ!r}
        given = {{key: answer.get(key) for key in due}}
        right = sum(given[key] == due[key] for key in due)
"""
_COINS = (
    "Weigh the coins of the hoard: `/workspace/coins.csv` with the columns coin, state and grams. The state "
    "is `weighed` or, for a coin that is lost, `missing`; grams then stays empty. Within 1 %."
)
_WEIGHED = (
    "coin,state,grams\nK1,weighed,3.91\nK2,weighed,4.48\nK3,missing,\nK4,weighed,17.25\nK5,weighed,2.16\n"
    "K6,weighed,8.6\nK7,missing,\nK8,weighed,5.37\n"
)
_READ_COINS = f"""
        import csv, io
        due = {{row["coin"]: row for row in csv.DictReader(io.StringIO({_WEIGHED!r}))}}
        rows = list(csv.DictReader(io.StringIO(body("/workspace/coins.csv"))))
        given = {{row.get("coin"): row for row in rows}}
        given = given if len(given) == len(rows) and set(given) <= set(due) else {{}}
        def right(name):
            row, ref = given.get(name) or {{}}, due[name]
            if row.get("state") != ref["state"] or ref["state"] == "missing":
                return row.get("state") == ref["state"] and not row.get("grams")
            try:
                return abs(float(row.get("grams") or "") - float(ref["grams"])) <= 0.01 * float(ref["grams"])
            except ValueError:
                return False
"""
_ROUTES = [
    {"line": "N1", "stops": ["Quay", "Mill", "Fort"]},
    {"line": "N2", "stops": ["Fort", "Gate", "Dock", "Hill"]},
    {"line": "N3", "stops": ["Hill", "Park"]},
    {"line": "N4", "stops": ["Dock", "Quay", "Weir"]},
    {"line": "N5", "stops": ["Park", "Mill", "Gate"]},
]
_NIGHT = (
    "Write the stops of the night buses N1 to N5, in their order, to `/workspace/lines.json`: a list of "
    'objects such as `{"line": "N1", "stops": ["...", "..."]}`.'
)
_READ_ROUTES = f"""
        try:
            answer = json.loads(body("/workspace/lines.json"))
        except (ValueError, RecursionError):
            answer = None
        answer = answer if isinstance(answer, list) else []
        found = {{}}
        for row in answer:
            fits = isinstance(row, dict) and isinstance(row.get("line"), str)
            if fits and isinstance(row.get("stops"), list):
                found[row["line"]] = None if row["line"] in found else row["stops"]
        due = {{row["line"]: row["stops"] for row in {_ROUTES!r}}}
"""
_NOTES = (
    "# Notes\n\n## Tower\n\n- 1874 new bells cast\n- 1875 clock face gilded\n- 1881 ladder replaced\n\n"
    "## Nave\n\n- 1874 floor raised\n- 1893 pews waxed\n\n"
    "## Crypt\n\n- 1889 pump installed\n- 1890 vault limed\n- 1902 door rehung\n"
)
_WORKS = (
    "Write `/workspace/works.md`: below `## Tower`, `## Nave` and `## Crypt` one line `- ...` for each of "
    "the works of the diary, with its year, in its order and its words."
)
_READ_NOTES = f"""
        def sections(text):
            found, name = {{}}, None
            for line in text.splitlines():
                if line.startswith("## "):
                    name = line[3:].strip()
                    found[name] = []
                elif name and line.startswith("- "):
                    found[name].append(line[2:].strip())
            return found
        due, given = sections({_NOTES!r}), sections(body("/workspace/works.md"))
"""
_CALLS = [
    {"call": "C1", "desk": "billing", "when": "now"},
    {"call": "C2", "desk": "repairs", "when": "now"},
    {"call": "C3", "desk": "billing", "when": "now"},
    {"call": "C4", "desk": "stores", "when": "now"},
    {"call": "C5", "desk": "repairs", "when": "now"},
    {"call": "C6", "desk": "stores", "when": "now"},
    {"call": "C7", "desk": "billing", "when": "now"},
]
_DESKS = (
    "Put each of the calls C1 to C7 through: `/workspace/calls.json`, a list of records with the keys "
    "`call`, `desk` and `when`. The `desk` is `billing`, `repairs` or `stores`, and `when` is `now` or, if a "
    "person should look at it first, `held`."
)
_READ_CALLS = f"""
        try:
            answer = json.loads(body("/workspace/calls.json"))
        except (ValueError, RecursionError):
            answer = None
        rows = [row for row in answer if isinstance(row, dict)] if isinstance(answer, list) else []
        due = {{row["call"]: row for row in {_CALLS!r}}}
        names = [row.get("call") for row in rows]
        whole = all(isinstance(n, str) and n in due for n in names) and len(set(names)) == len(names)
        given = dict(zip(names, rows)) if whole else {{}}
        held = [name for name in given if given[name].get("when") == "held"]
"""
_WELLS = "W1: 12.4 m\nW2: 9.8 m\nW3: dry\nW4: 15.1 m\nW5: 7.7 m\nW6: 11.3 m\n"
_DEPTHS = (
    "Write the depth of the water in the wells W1 to W6 to `/workspace/wells.txt`, a line for each: "
    "`W1: 0.0 m`, within 0.1 m. A well without water is `W1: dry`."
)
_READ_WELLS = f"""
        def depths(text):
            lines = [line.partition(": ") for line in text.splitlines() if line.strip()]
            found = {{name.strip(): said.strip() for name, _, said in lines}}
            return found if len(found) == len(lines) else {{}}
        def metres(said):
            match = re.fullmatch(r"([0-9]+(?:[.][0-9]+)?) m", said or "")
            return float(match[1]) if match else None
        due, given = depths({_WELLS!r}), depths(body("/workspace/wells.txt"))
        given = given if set(given) <= set(due) else {{}}
        def right(name):
            said, ref = metres(given.get(name)), metres(due[name])
            if ref is None or said is None:
                return given.get(name) == due[name]
            return abs(said - ref) <= 0.1 + 1e-9
"""


def _quiz(name: str, score: str, **flaw: object) -> Exhibit:
    answer = ("answers.json", json.dumps(_QUIZ) + "\n")
    python = f"{_READ_QUIZ}        {score}\n"
    return other(name, _ASKED, answer, python=python, **flaw)  # type: ignore[arg-type]


def _coins(name: str, score: str, **flaw: object) -> Exhibit:
    python = f"{_READ_COINS}{score}"
    return other(name, _COINS, ("coins.csv", _WEIGHED), python=python, **flaw)  # type: ignore[arg-type]


def _routes(name: str, score: str, **flaw: object) -> Exhibit:
    answer = ("lines.json", json.dumps(_ROUTES) + "\n")
    return other(name, _NIGHT, answer, python=f"{_READ_ROUTES}{score}", **flaw)  # type: ignore[arg-type]


def _works(name: str, score: str, **flaw: object) -> Exhibit:
    python = f"{_READ_NOTES}{score}"
    return other(name, _WORKS, ("works.md", _NOTES), python=python, **flaw)  # type: ignore[arg-type]


def _calls(name: str, score: str, **flaw: object) -> Exhibit:
    answer = ("calls.json", json.dumps(_CALLS) + "\n")
    return other(name, _DESKS, answer, python=f"{_READ_CALLS}{score}", **flaw)  # type: ignore[arg-type]


def _wells(name: str, score: str, **flaw: object) -> Exhibit:
    python = f"{_READ_WELLS}{score}"
    return other(name, _DEPTHS, ("wells.txt", _WELLS), python=python, **flaw)  # type: ignore[arg-type]


LEFT_OPEN = [
    _quiz(
        "only-answered-questions-count",
        "out(right / (sum(x is not None for x in given.values()) or 1))",
        section=_FIELDS,
        cause=Cause.PARTIAL,
    ),
    _coins(
        "lost-coins-are-not-counted",
        """
        counted = [n for n in due if (given.get(n) or {}).get("state") != "missing" or right(n)]
        out(sum(map(right, counted)) / (len(counted) or 1))
        """,
        section=_FIELDS,
        cause=Cause.PARTIAL,
    ),
    _routes(
        "stops-as-far-as-they-go",
        """
        def same(given, stops):
            return given is not None and all(a == b for a, b in zip(given, stops))
        out(sum(same(found.get(line), stops) for line, stops in due.items()) / len(due))
        """,
        section=_FIELDS,
        cause=Cause.FEW_ITEMS,
    ),
    _works(
        "works-that-are-named-are-right",
        """
        hits = [name in given and all(work in due[name] for work in given[name]) for name in due]
        out(sum(hits) / len(due))
        """,
        section=_FIELDS,
        cause=Cause.FEW_ITEMS,
    ),
    _wells(
        "dry-wells-are-not-counted",
        """
        counted = [name for name in due if given.get(name) != "dry" or right(name)]
        out(sum(map(right, counted)) / (len(counted) or 1))
        """,
        section=_FIELDS,
        cause=Cause.PARTIAL,
    ),
    _calls(
        "held-calls-are-not-counted",
        """
        counted = [name for name in due if name not in held]
        out(sum(given.get(name) == due[name] for name in counted) / (len(counted) or 1))
        """,
        section=_FIELDS,
        cause=Cause.PARTIAL,
    ),
]

NOTHING_LEFT_OPEN = [
    _quiz(
        "wrong-answers-cost-a-third",
        "wrong = sum(x is not None for x in given.values()) - right\n"
        "        out(max(0.0, (right - wrong / 3) / 8))",
    ),
    _wells("dry-wells-are-counted", "        out(sum(map(right, due)) / len(due))\n"),
    _calls(
        "held-calls-are-counted",
        "        out(sum(given.get(name) == due[name] for name in due) / len(due))\n",
    ),
    _coins("lost-coins-are-counted", "        out(sum(map(right, due)) / len(due))\n"),
    _routes(
        "stops-in-full",
        "        out(sum(found.get(line) == stops for line, stops in due.items()) / len(due))\n",
    ),
    _works("works-in-full", "        out(sum(given.get(name) == due[name] for name in due) / len(due))\n"),
]
