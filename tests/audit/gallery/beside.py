"""Verifiers whose right answer stands only in tables and files of data beside them: flawed ones, then sound.

None of them has a golden or a solution. What is wrong with the flawed ones shows only on a right answer.
"""

from __future__ import annotations

from dataclasses import replace

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS, _EXPLOITS = Section.DISCRIMINATION, Section.EXPLOITS

_PALLETS = """Count the pallets of each bay and write them to `/workspace/pallets.json`, a JSON array with an
object for every bay of every hall:

  {"hall": "East", "bay": "7", "pallets": 3}

There are the halls East, West and South, each with the bays 7 to 9. The order is free."""
_BAYS = (
    '[["East", "7", 12], ["East", "8", 9], ["East", "9", 15], ["West", "7", 4], ["West", "8", 11],'
    ' ["West", "9", 6], ["South", "7", 17], ["South", "8", 8], ["South", "9", 14]]'
)
_READ_PALLETS = """
        with open("/tests/bays.json") as file:
            BAYS = [tuple(row) for row in json.load(file)]
        try:
            rows = json.loads(body("/workspace/pallets.json"))
            given = [(row["hall"], row["bay"], row["pallets"]) for row in rows]
            named = sorted((hall, bay) for hall, bay, _ in given) == sorted(row[:2] for row in BAYS)
            whole = named and all(type(many) is int for _, _, many in given)
        except (ValueError, KeyError, TypeError, RecursionError):
            given, whole = [], False
"""

_STATES = """Tell the state of each valve in `/workspace/valves.md`. V1 feeds the boiler, V2 the tank, V3 the
drain, V4 the vent. Each is open, closed or throttled. Give each a section, a remark and its state:

    ### V1
    remark: ...
    State: open
"""
_KEY = "V1 closed\nV2 open\nV3 throttled\nV4 closed\n"
_READ_STATES = """
        with open("/tests/states.txt") as file:
            KEY = dict(line.split() for line in file)
        assert len(KEY) == 4
        parts = re.split(r"^###[ \\t]+(V[1-4])[ \\t]*\\r?$", body("/workspace/valves.md"), flags=re.M)
        names, texts = parts[1::2], parts[2::2]
        found = [re.findall(r"^State:[ \\t]*(\\w+)[ \\t]*\\r?$", text, re.M) for text in texts]
        given = dict(zip(names, found)) if len(set(names)) == len(names) else {}
"""

_LEVELS = """Write the mean of each level to `/workspace/levels.csv` with the header

    point;mean_m;spread_m

and a row for each of the points A, B, C and D."""
_READINGS = "point,first,second,third\nA,12.1,12.4,12.7\nB,7.3,7.9,8.2\nC,21.0,20.2,20.9\nD,15.5,15.1,14.4\n"
_READ_LEVELS = """
        import csv, io, statistics
        def levels(row):
            runs = [float(row[name]) for name in ("first", "second", "third")]
            return statistics.fmean(runs), statistics.stdev(runs)
        with open("/tests/readings.csv", newline="") as file:
            DUE = {row["point"]: levels(row) for row in csv.DictReader(file)}
        rows = list(csv.reader(io.StringIO(body("/workspace/levels.csv")), delimiter=";"))
        rows = [[cell.strip() for cell in row] for row in rows if row]
        head = bool(rows) and rows[0] == ["point", "mean_m", "spread_m"]
        given = {}
        for row in rows[1:] if head else []:
            try:
                given[row[0]] = float(row[1]), float(row[2])
            except (IndexError, ValueError):
                pass
        fit = head and len(rows) == 5 and set(given) == set(DUE)
"""


def _alone(exhibit: Exhibit) -> Exhibit:
    """Without the golden."""
    kept = {name: text for name, text in exhibit.files.items() if not name.startswith("goldens/")}
    return replace(exhibit, files=kept)


def _pallets(name: str, mark: str) -> Exhibit:
    python = f"{_READ_PALLETS}{mark}"
    return _alone(other(name, _PALLETS, ("unused", ""), python=python, files={"tests/bays.json": _BAYS}))


def _states(name: str, mark: str) -> Exhibit:
    python = f"{_READ_STATES}{mark}"
    return _alone(other(name, _STATES, ("unused", ""), python=python, files={"tests/states.txt": _KEY}))


def _levels(name: str, mark: str) -> Exhibit:
    files = {"tests/readings.csv": _READINGS}
    return _alone(other(name, _LEVELS, ("unused", ""), python=f"{_READ_LEVELS}{mark}", files=files))


BESIDE = [
    replace(
        _pallets(
            "rows-known-by-half-their-name",
            """
        counts = {bay: many for _, bay, many in given} if whole else {}
        bays = {bay: many for _, bay, many in BAYS}
        out(sum(counts.get(bay) == many for bay, many in bays.items()) / len(bays))
        """,
        ),
        section=_FIELDS,
        cause=Cause.ANY_VALUE,
        severity=Severity.MEDIUM,
    ),
    replace(
        _states(
            "any-state-of-a-section",
            """
        out(sum(state in given.get(name, []) for name, state in KEY.items()) / len(KEY))
        """,
        ),
        section=_FIELDS,
        cause=Cause.HEDGED,
    ),
    replace(
        _levels(
            "spread-sets-the-tolerance",
            """
        means = {p: mean for p, (mean, _) in DUE.items()} if fit else {}
        out(sum(abs(given[p][0] - mean) <= 2 * given[p][1] for p, mean in means.items()) / len(DUE))
        """,
        ),
        section=_FIELDS,
        cause=Cause.NOT_A_NUMBER,
    ),
]

BESIDE_SOUND = [
    _pallets(
        "rows-known-by-their-whole-name",
        """
        counts = {(hall, bay): many for hall, bay, many in given} if whole else {}
        out(sum(counts.get((hall, bay)) == many for hall, bay, many in BAYS) / len(BAYS))
        """,
    ),
    _states(
        "one-state-of-a-section",
        """
        out(sum(given.get(name) == [state] for name, state in KEY.items()) / len(KEY))
        """,
    ),
    _levels(
        "spread-is-compared-itself",
        """
        near = lambda x, due: abs(x - due) <= 0.01 * due
        good = [near(given[p][n], DUE[p][n]) for p in DUE for n in (0, 1)] if fit else []
        out(sum(good) / (2 * len(DUE)))
        """,
    ),
]
