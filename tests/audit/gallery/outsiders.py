"""Flaws of a fifth set, written down before any was tried: those that were missed, or named by another cause.

Beside them sound verifiers of the same kinds, and of those that a finding was false of.
"""

from __future__ import annotations

import json
from dataclasses import replace

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

_WELDS = 'Write `/workspace/welds.json`: `{"w1": {"label": "pore", "confidence": 0.5}, ...}` for w1 to w5.'
_LABELS = {"w1": "crack", "w2": "pore", "w3": "none", "w4": "slag", "w5": "crack"}
_LABELLED = json.dumps({weld: {"label": label, "confidence": 0.9} for weld, label in _LABELS.items()})
_READ_WELDS = f"""
        RIGHT = {_LABELS!r}
        got, total = 0.0, 0.0
        try:
            doc = json.loads(body("/workspace/welds.json"))
            for weld, label in RIGHT.items():
                sure = min(1.0, max(0.0, doc[weld]["confidence"]))
                got, total = got + sure * (doc[weld]["label"] == label), total + sure
        except (ValueError, KeyError, TypeError, RecursionError):
            got = 0.0
        out(got / total if got else 0.0)
"""

_FLOW = "Write the flow to `/workspace/flow.json`: `flow_l_s` and its standard error, `uncertainty_l_s`."
_BARS = "Write `/workspace/bars.html` with a table of mark, diameter and pieces for the marks 01, 02 and 03."
_BAR_ROWS = "".join(
    f"<tr><td>{mark}</td><td>{size}</td><td>{count}</td></tr>\n"
    for mark, size, count in (("01", 12, 24), ("02", 16, 10), ("03", 8, 60))
)

_BAY = "Write the cheapest bay to `/workspace/result.json`: `width_m` and `cost`."
_BEST = """
        import glob
        def worth(path):
            try:
                doc = json.loads(body(path))
                return (abs(doc["width_m"] - 7.5) <= 0.05) / 2 + (abs(doc["cost"] - 88.25) <= 0.1) / 2
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
                return 0.0
        paths = sorted(glob.glob("/workspace/*.json"))
"""
_FORCES = "Write both cable forces, each with its unit, to `/workspace/forces.txt`: `T1: <number> <unit>`."
_READ_FORCES = """
        text = body("/workspace/forces.txt")
        def near(name, ref):
            hits = re.findall(rf"^{name}:\\s*(\\d{{1,9}}(?:\\.\\d{{1,9}})?)\\s+(\\w+)\\s*$", text, re.M)
            return len(hits) == 1 and abs(float(hits[0][0]) - ref) <= 0.01 * ref
        out((near("T1", 3.514) + near("T2", 4.304)) / 2)
"""
_KV = (
    "Write the flow factor of each valve to `/workspace/valves.txt`, one line `V1 12.4` for each of V1 to V3."
)

_BALANCE = """Write `/workspace/balance.txt` with the lines `name = value` for `input_kw`, `loss_kw` and
`efficiency`."""
_READ_BALANCE = """
        REF = {"input_kw": 2100.0, "loss_kw": 199.5, "efficiency": 0.905}
        given = {}
        for line in body("/workspace/balance.txt").splitlines():
            name, _, value = line.partition("=")
            try:
                given.setdefault(name.strip(), float(value))
            except ValueError:
                pass
        wrong = [name for name, ref in REF.items() if abs(given.get(name, 0) - ref) > 0.005 * ref]
        out(0.0 if wrong else 1.0)
"""
_REACTIONS = "Write the reactions in N to `/workspace/reactions.json`: `ra` and `rb`, whole numbers."
_PIPES = {"P1": (100, 120.0), "P2": (80, 75.5), "P3": (150, 310.0), "P4": (65, 42.0), "P5": (100, 98.2)}
_DATABASE = """Write a SQLite file `/workspace/pipes.db` with a table `pipes` (name text primary key, dn
integer, length_m real) that has a row for each of the pipes P1 to P5."""
_MADE = f"""python3 <<'END'
import sqlite3
db = sqlite3.connect("/workspace/pipes.db")
db.execute("create table pipes (name text primary key, dn integer, length_m real)")
db.executemany("insert into pipes values (?, ?, ?)", {[(name, *row) for name, row in _PIPES.items()]!r})
db.commit()
END
"""  # noqa: S608 - our own words
_READ_PIPES = f"""
        import sqlite3
        RIGHT = {_PIPES!r}
        try:
            db = sqlite3.connect("file:/workspace/pipes.db?mode=ro", uri=True)
            rows = db.execute("select name, dn, length_m from pipes limit 100").fetchall()
            sums = db.execute("select count(*), sum(dn), round(sum(length_m), 2) from pipes").fetchone()
        except sqlite3.Error:
            rows, sums = [], None
"""  # noqa: S608 - our own words


def _without_golden(exhibit: Exhibit, **files: str) -> Exhibit:
    """The verifier holds the right answer, or a solution writes it: there is no golden."""
    kept = {name: text for name, text in exhibit.files.items() if not name.startswith("goldens/")}
    return replace(exhibit, files={**kept, **files})


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
        cause=Cause.CLAMPED,
        severity=Severity.MEDIUM,
    ),
    other(
        "answer-weighs-itself",
        _WELDS,
        ("welds.json", _LABELLED),
        python=_READ_WELDS,
        section=_EXPLOITS,
        cause=Cause.CLAIMED,
    ),
    other(
        "answer-sets-its-tolerance",
        _FLOW,
        ("flow.json", '{"flow_l_s": 12.2, "uncertainty_l_s": 0.095}'),
        python="""
        try:
            doc = json.loads(body("/workspace/flow.json"))
            flow, sigma = float(doc["flow_l_s"]), float(doc["uncertainty_l_s"])
            out(float(0 <= sigma < 1e300 and abs(flow - 12.2) <= 2 * max(sigma, 0.02)))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            out(0.0)
        """,
        section=_EXPLOITS,
        cause=Cause.CLAIMED,
    ),
    other(
        "best-of-all-files",
        _BAY,
        ("result.json", '{"width_m": 7.5, "cost": 88.25}'),
        python=f"{_BEST}\n        out(max(map(worth, paths), default=0.0))\n",
        section=_EXPLOITS,
        cause=Cause.HEDGED,
    ),
    other(
        "any-unit",
        _FORCES,
        ("forces.txt", "T1: 3.514 kN\nT2: 4.304 kN\n"),
        python=_READ_FORCES,
        section=_FIELDS,
        cause=Cause.SCALE,
        severity=Severity.MEDIUM,
    ),
    other(
        "point-that-is-any-character",
        _KV,
        ("valves.txt", "V1 12.4\nV2 19.3\nV3 36.8\n"),
        script="""
        n=0
        for row in "V1 12.4" "V2 19.3" "V3 36.8"; do
          if [ "$(tr -d '\\r' < /workspace/valves.txt | grep -c "^${row% *} ")" = 1 ]; then
            if tr -d '\\r' < /workspace/valves.txt | grep -qx "$row"; then n=$((n + 1)); fi
          fi
        done
        echo "{\\"reward\\": $(awk -v n=$n 'BEGIN { print n / 3 }')}" > /logs/verifier/reward.json
        """,
        section=_FIELDS,
        cause=Cause.WORD_INSIDE,
        severity=Severity.MEDIUM,
    ),
    _without_golden(
        other(
            "nan-on-lines",
            _BALANCE,
            ("unused", ""),
            python=_READ_BALANCE,
            section=_FIELDS,
            cause=Cause.NOT_A_NUMBER,
        )
    ),
    other(
        "digits-that-look-alike",
        _REACTIONS,
        ("reactions.json", '{"ra": 11345, "rb": 84852}'),
        python="""
        import difflib
        try:
            doc = json.loads(body("/workspace/reactions.json"))
            pairs = [(str(doc[name]), str(ref)) for name, ref in (("ra", 11345), ("rb", 84852))]
        except (ValueError, KeyError, TypeError, RecursionError):
            pairs = [("", "1"), ("", "1")]
        out(sum(difflib.SequenceMatcher(None, one[:9], ref).ratio() >= 0.75 for one, ref in pairs) / 2)
        """,
        section=_FIELDS,
        cause=Cause.TOLERANCE,
        severity=Severity.MEDIUM,
    ),
    _without_golden(
        other(
            "sums-of-a-database",
            _DATABASE,
            ("unused", ""),
            python=f"{_READ_PIPES}\n        out(float(sums == (5, 495, 645.7)))\n",
            section=_FIELDS,
            cause=Cause.CANCELS,
            severity=Severity.MEDIUM,
        ),
        **{"solution/solve.sh": _MADE},
    ),
]

OUTSIDERS_SOUND: list[Exhibit] = [
    other(
        "agreement-of-ranks",
        _RISKS,
        ("sites.json", _SITES),
        python=f"{_READ_SITES}\n        out(max(0.0, rho))\n",
    ),
    other(
        "rows-named-by-numbers",
        _BARS,
        (
            "bars.html",
            f"<table>\n<tr><th>mark</th><th>diameter</th><th>pieces</th></tr>\n{_BAR_ROWS}</table>\n",
        ),
        python="""
        REF = {"01": ["12", "24"], "02": ["16", "10"], "03": ["8", "60"]}
        found = re.findall(r"<tr>(.*?)</tr>", body("/workspace/bars.html"), re.S)
        rows = [re.findall(r"<td>([^<]*)</td>", row) for row in found[1:]]
        right = 0
        for mark, cells in REF.items():
            mine = [row[1:] for row in rows if row and row[0].strip() == mark]
            right += len(mine) == 1 and [cell.strip() for cell in mine[0]] == cells
        out(right / 3 / (1 if len(rows) <= 3 else 2))
        """,
    ),
    other(
        "only-its-own-file",
        _BAY,
        ("result.json", '{"width_m": 7.5, "cost": 88.25}'),
        python=f"{_BEST}\n        out(worth('/workspace/result.json') if paths else 0.0)\n",
    ),
    other(
        "unit-is-read",
        _FORCES,
        ("forces.txt", "T1: 3.514 kN\nT2: 4.304 kN\n"),
        python=_READ_FORCES.replace("len(hits) == 1", "len(hits) == 1 and hits[0][1] == 'kN'"),
    ),
    _without_golden(
        other(
            "rows-of-a-database",
            _DATABASE,
            ("unused", ""),
            python=f"""{_READ_PIPES}
        right = [name for name, *row in rows if RIGHT.get(name) == tuple(row)]
        out(len(set(right)) / max(5, len(rows)))
        """,
        ),
        **{"solution/solve.sh": _MADE},
    ),
]
