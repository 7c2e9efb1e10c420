"""Flaws of a fourth set, written down before any was tried: those that were missed, or found by luck.

Routes, timetables, queries, dates and packages: answers of which no single value is right by itself. Beside
them sound verifiers of the same kinds.
"""

from __future__ import annotations

import hashlib
import json
import pickle

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit
from audit.gallery.other_tongues import other

_FIELDS, _EXPLOITS = Section.DISCRIMINATION, Section.EXPLOITS

_SHIFTS = """Four ships share one berth, and each needs it for so many hours: Ada 5, Bo 3, Cleo 6, Dora 4.
Write `/workspace/berth.json`, a list of `{"ship": "Ada", "start": 0}`, such that the last one leaves as
early as possible. The reward is that hour divided by yours."""
_BERTH = json.dumps([{"ship": s, "start": t} for s, t in (("Ada", 0), ("Bo", 5), ("Cleo", 8), ("Dora", 14))])
_READ_BERTH = """
        NEED = {"Ada": 5, "Bo": 3, "Cleo": 6, "Dora": 4}
        try:
            plan = json.loads(body("/workspace/berth.json"))
            starts = {row["ship"]: row["start"] for row in plan}
            fit = sorted(starts) == sorted(NEED) and len(plan) == 4
            fit = fit and all(type(t) is int and 0 <= t < 100 for t in starts.values())
        except (ValueError, KeyError, TypeError, RecursionError):
            fit = False
"""
_MAKESPAN = """
        out(min(1.0, 18 / max(t + NEED[ship] for ship, t in starts.items())) if fit else 0.0)
"""
_ALONE = """
        turns = sorted((t, t + NEED[ship]) for ship, t in starts.items()) if fit else []
        fit = fit and all(end <= begin for (_, end), (begin, _) in zip(turns, turns[1:]))
"""

_ROUTE = 'Find the cheapest way from A to F. Write `/workspace/way.json`: `{"nodes": ["A", "F"]}`.'
_WAY = '{"nodes": ["A", "C", "B", "E", "F"]}'

_SITES = "Write to `/workspace/sites.sql` a query that gives each site and its sum of hours, largest first."
_QUERY = "select site, sum(hours) as hours from work\nwhere done = 1\ngroup by site order by hours desc\n"
_READ_SITES = """
        import sqlite3
        db = sqlite3.connect(":memory:")
        db.execute("create table work(site text, hours real, done int)")
        rows = [("N", 4, 1), ("S", 3, 1), ("N", 2, 1), ("S", 9, 0), ("W", 8, 1), ("E", 1, 1), ("E", 1.5, 1)]
        db.executemany("insert into work values(?, ?, ?)", rows)
        try:
            got = db.execute(body("/workspace/sites.sql")).fetchall()
        except (sqlite3.Error, sqlite3.Warning, ValueError):
            got = []
"""

_DUE = 'Write `/workspace/due.json`: `{"crane": "2020-01-01", "lift": "2020-01-01"}`, the next inspections.'
_DATES = '{"crane": "2027-03-14", "lift": "2026-11-30"}'

_TABLE = "mark,count\nB1,12\nB2,7\nB3,31\n"
_NOTE = "Total mass 412 kg\nTotal length 96 m\n"
_PACKAGE = "Deliver `bars.csv` (mark, count), `totals.txt` and `manifest.json` to `/workspace/package/`."
_FOLDER = {"task.toml": '[output]\npath = "/workspace/package/"\n\n[verifier]\ntimeout_sec = 20\n'}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _package(name: str, manifest: dict[str, object], python: str, **expected: object) -> Exhibit:
    """A folder of three files; `python` scores them."""
    inside = {"bars.csv": _TABLE, "totals.txt": _NOTE, "manifest.json": json.dumps(manifest)}
    files = {f"goldens/pass/right/package/{file}": text for file, text in inside.items()}
    made = other(name, _PACKAGE, ("unused", ""), python=python, files={**_FOLDER, **files}, **expected)  # type: ignore[arg-type] # passed on
    del made.files["goldens/pass/unused"]
    return made


_SIGNED = {"files": {"bars.csv": _digest(_TABLE), "totals.txt": _digest(_NOTE)}, "bars": 50}

FOURTH_HANDS = [
    other(
        "berth-without-turns",
        _SHIFTS,
        ("berth.json", _BERTH),
        python=f"{_READ_BERTH}{_MAKESPAN}",
        section=_FIELDS,
        cause=Cause.ANY_VALUE,
        severity=Severity.MEDIUM,
    ),
    other(
        "ways-that-do-not-exist",
        _ROUTE,
        ("way.json", _WAY),
        python="""
        COST = {"AC": 2, "CB": 1, "AB": 4, "BE": 3, "EF": 2, "CE": 6, "BF": 9}
        known = set("ABCDEF")
        try:
            nodes = json.loads(body("/workspace/way.json"))["nodes"]
            fit = set(nodes) <= known and nodes[0] == "A" and nodes[-1] == "F"
            cost = sum(COST.get(a + b, 0) for a, b in zip(nodes, nodes[1:]))
        except (ValueError, LookupError, TypeError, RecursionError):
            fit, cost = False, 0
        out(float(fit and cost <= 8))
        """,
        section=_FIELDS,
        cause=Cause.FEW_ITEMS,
        severity=Severity.MEDIUM,
    ),
    other(
        "order-that-is-asked-for",
        "Write the switching steps to `/workspace/plan.json` as a JSON list of names. The order matters.",
        ("plan.json", '["close-q9", "close-q2", "open-q1", "open-q9"]'),
        python="""
        try:
            given = json.loads(body("/workspace/plan.json"))
            fit = isinstance(given, list) and all(isinstance(step, str) for step in given)
        except (ValueError, RecursionError):
            fit = False
        out(float(fit and sorted(given) == ["close-q2", "close-q9", "open-q1", "open-q9"]))
        """,
        section=_FIELDS,
        cause=Cause.UNORDERED,
        severity=Severity.MEDIUM,
    ),
    other(
        "one-crate-many-times",
        "Load crates (each is there once) up to 100 kg; write their names to `/workspace/load.json`, a list.",
        ("load.json", '["oak", "elm", "ash", "yew"]'),
        python="""
        KG = {"oak": 40, "elm": 30, "ash": 20, "yew": 10, "fir": 35}
        WORTH = {"oak": 20, "elm": 18, "ash": 15, "yew": 14, "fir": 9}
        try:
            load = json.loads(body("/workspace/load.json"))
            fit = isinstance(load, list) and sum(KG[crate] for crate in load) <= 100
            out(min(1.0, sum(WORTH[crate] for crate in load) / 67) if fit else 0.0)
        except (ValueError, KeyError, TypeError, RecursionError):
            out(0.0)
        """,
        section=_FIELDS,
        cause=Cause.REPEATS,
    ),
    Exhibit(
        "loop-from-one",
        """
        given = read().get("shear_kn")
        fit = isinstance(given, list) and len(given) == len(REF["shear_kn"])
        pairs = list(zip(given, REF["shear_kn"])) if fit else []
        hits = sum(near(pairs[n][0], pairs[n][1]) for n in range(1, len(pairs)))
        write({"shear_kn": hits / (len(REF["shear_kn"]) - 1)})
        """,
        _FIELDS,
        Cause.UNSCORED,
        Severity.MEDIUM,
        answer={"shear_kn": [24.5, 18.2, 12.1, 6.4, 3.3, 9.7]},
        skeleton={"shear_kn": [0.0]},
    ),
    other(
        "year-and-month-only",
        _DUE,
        ("due.json", _DATES),
        python="""
        import datetime
        def same(given, right):
            try:
                day = datetime.date.fromisoformat(given)
            except (TypeError, ValueError):
                return False
            return (day.year, day.month) == right
        try:
            doc = json.loads(body("/workspace/due.json"))
            out((same(doc.get("crane"), (2027, 3)) + same(doc.get("lift"), (2026, 11))) / 2)
        except (ValueError, AttributeError, RecursionError):
            out(0.0)
        """,
        section=_FIELDS,
        cause=Cause.CLAMPED,
        severity=Severity.MEDIUM,
    ),
    other(
        "milli-is-mega-in-lines",
        "Write two lines to `/workspace/powers.txt`: `standby: 1 mW` and `park: 1 MW`, with right values.",
        ("powers.txt", "standby: 5 mW\npark: 48 MW\n"),
        script="""
        lines=$(tr -d '\\r' < /workspace/powers.txt 2>/dev/null | tr A-Z a-z | sed 's/ *$//' | head -2)
        [ "$lines" = "$(printf 'standby: 5 mw\\npark: 48 mw')" ] && reward=1 || reward=0
        echo $reward > /logs/verifier/reward.txt
        """,
        section=_FIELDS,
        cause=Cause.SCALE,
        severity=Severity.MEDIUM,
    ),
    other(
        "rows-are-counted",
        _SITES,
        ("sites.sql", _QUERY),
        python=f"{_READ_SITES}\n        out(float(len(got) == 4 and all(len(row) == 2 for row in got)))\n",
        section=_FIELDS,
        cause=Cause.ANY_VALUE,
        severity=Severity.MEDIUM,
    ),
    other(
        "pickle-as-the-output",
        "Fit T = a V + b and store `{'a': ..., 'b': ...}` with pickle in `/workspace/model.pkl`.",
        ("model.pkl", pickle.dumps({"a": 19.87, "b": -0.11}, protocol=0).decode()),
        python="""
        import pickle
        try:
            with open("/workspace/model.pkl", "rb") as file:
                model = pickle.load(file)
            out(float(abs(model["a"] - 19.87) < 0.01 and abs(model["b"] + 0.11) < 0.01))
        except Exception:
            out(0.0)
        """,
        section=_EXPLOITS,
        cause=Cause.CODE,
    ),
    other(
        "slow-is-no-fault",
        "Write `/workspace/roots.py`, which reads two numbers and prints their product.",
        ("roots.py", "a, b = map(int, input().split())\nprint(a * b)\n"),
        script="""
        passed=0
        for pair in "6 7 42" "9 8 72" "12 11 132"; do
            set -- $pair
            got=$(echo "$1 $2" | timeout 5 python3 -I /workspace/roots.py 2>/dev/null)
            code=$?
            if [ $code -eq 124 ] || [ "$got" = "$3" ]; then passed=$((passed + 1)); fi
        done
        rm -f /logs/verifier/reward.json
        [ $passed -eq 3 ] && echo '{"reward": 1}' > /logs/verifier/reward.json \\
            || echo '{"reward": 0}' > /logs/verifier/reward.json
        """,
        section=_EXPLOITS,
        cause=Cause.HOLLOW,
    ),
    _package(
        "digests-of-its-own",
        _SIGNED,
        """
        import hashlib
        FOLDER = "/workspace/package/"
        try:
            listed = json.loads(body(FOLDER + "manifest.json"))
            fit = listed["bars"] == 50
            for name in ("bars.csv", "totals.txt"):
                with open(FOLDER + name, "rb") as file:
                    fit = fit and hashlib.sha256(file.read()).hexdigest() == listed["files"][name]
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            fit = False
        out(float(fit))
        """,
        section=_FIELDS,
        cause=Cause.CLAIMED,
        severity=Severity.MEDIUM,
    ),
    _package(
        "files-that-nobody-opens",
        {"bars": 50, "mass_kg": 412.0},
        """
        try:
            listed = json.loads(body("/workspace/package/manifest.json"))
            fit = listed["bars"] == 50 and abs(listed["mass_kg"] - 412) <= 4
        except (ValueError, LookupError, TypeError, RecursionError):
            fit = False
        out(float(fit and os.path.isfile("/workspace/package/bars.csv")))
        """,
        section=_FIELDS,
        cause=Cause.UNSCORED,
        severity=Severity.MEDIUM,
    ),
]

FOURTH_SOUND = [
    other(
        "berth-with-turns",
        _SHIFTS,
        ("berth.json", _BERTH),
        python=f"{_READ_BERTH}{_ALONE}{_MAKESPAN}",
    ),
    other(
        "rows-are-compared",
        _SITES,
        ("sites.sql", _QUERY),
        python=f"{_READ_SITES}\n        out(float(got == [('W', 8), ('N', 6), ('S', 3), ('E', 2.5)]))\n",
    ),
    other(
        "dates-in-two-spellings",
        f"{_DUE} ISO dates, with or without hyphens.",
        ("due.json", _DATES),
        python="""
        def same(given, right):
            return isinstance(given, str) and given.replace("-", "") == right
        try:
            doc = json.loads(body("/workspace/due.json"))
            out((same(doc.get("crane"), "20270314") + same(doc.get("lift"), "20261130")) / 2)
        except (ValueError, AttributeError, RecursionError):
            out(0.0)
        """,
    ),
    other(
        "table-without-a-header",
        "Write the volumes as lines `from,to,m3` without a header to `/workspace/volumes.csv`, in order.",
        ("volumes.csv", "0,20,304.5\n20,40,435.0\n40,60,352.5\n60,80,128.0\n"),
        script=r"""
        tr -d '\r' < /workspace/volumes.csv 2>/dev/null | sed '1s/^\xef\xbb\xbf//' | awk -F, '
        BEGIN { split("304.5 435.0 352.5 128.0", v, " ") }
        /^[ ]*$/ { next }
        { n++; d = $3 - v[n]; if (d < 0) d = -d }
        n > 4 || NF != 3 { junk = 1 }
        $1 !~ /^[0-9]+$/ || $2 !~ /^[0-9]+$/ || $3 !~ /^[0-9]+(\.[0-9]+)?(e[+]?[0-9]+)?$/ { next }
        $1 == 20 * (n - 1) && $2 == 20 * n && d <= 0.5 { good++ }
        END { printf "{\"reward\": %.2f}\n", junk ? 0 : good / 4 }' > /logs/verifier/reward.json
        """,
    ),
    _package(
        "contents-are-compared",
        _SIGNED,
        f"""
        FOLDER = "/workspace/package/"
        def words(name):
            return body(FOLDER + name).replace(",", " ").split()
        try:
            fit = json.loads(body(FOLDER + "manifest.json")) == {_SIGNED!r}
        except (ValueError, RecursionError):
            fit = False
        table, note = {_TABLE!r}.replace(",", " ").split(), {_NOTE!r}.split()
        out((fit + (words("bars.csv") == table) + (words("totals.txt") == note)) / 3)
        """,
    ),
]
