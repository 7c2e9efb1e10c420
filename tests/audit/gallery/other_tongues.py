"""Verifiers in shell, awk and SQL, over lists of names, tables and programs: flawed ones, then sound ones."""

from __future__ import annotations

import base64
import json
import pickle
from textwrap import dedent

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.exhibit import Exhibit

_FIELDS, _EXPLOITS = Section.DISCRIMINATION, Section.EXPLOITS
_OUT = """
import json, os, re, sys
def out(reward):
    with open("/logs/verifier/reward.json", "w") as file:
        json.dump({"reward": round(reward, 4)}, file)
def body(path):
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except (OSError, ValueError):
        return ""
"""
_VALVES = "XV-101\nXV-104\nXV-210\nXV-317\nXV-322\nXV-401\n"
_LIST = "List the tags of all valves that fail closed, one per line, in `/workspace/valves.txt`."
_LINES = f"""
    ref = set({_VALVES!r}.split())
    got = {{line.strip() for line in body("/workspace/valves.txt").splitlines() if line.strip()}}
"""
_FLOWS = "station,flow\nA,1.25\nB,2.5\nC,3.75\nD,4.1\nE,5.9\n"
_HOST = "Which of the hosts web-1, web-2, db-1, db-2 was broken into? Write it to `/workspace/host.txt`."
_TABLE = "Write `/workspace/flows.csv` with the columns station and flow for the stations A to E."


def other(
    name: str,
    instruction: str,
    answer: tuple[str, str],
    *,
    python: str | None = None,
    script: str = "exec python3 -I /tests/check.py\n",
    section: Section | None = None,
    cause: Cause | None = None,
    severity: Severity = Severity.HIGH,
    files: dict[str, str] | None = None,
) -> Exhibit:
    """A task whose answer is the file and the content in `answer`."""
    made = {
        "instruction.md": f"{instruction}\n",
        "tests/test.sh": f"#!/usr/bin/env bash\n{dedent(script)}",
        f"goldens/pass/{answer[0]}": answer[1],
        **(files or {}),
    }
    if python is not None:
        made["tests/check.py"] = _OUT + dedent(python)
    return Exhibit(name, "", section, cause, severity, golden=False, files=made)


OTHER_FLAWED = [
    other(
        "grep-in-the-answer",
        _HOST,
        ("host.txt", "db-2\n"),
        script="""
        if grep -q db-2 /workspace/host.txt; then reward=1; else reward=0; fi
        echo $reward > /logs/verifier/reward.txt
        """,
        section=_FIELDS,
        cause=Cause.HEDGED,
    ),
    other(
        "query-put-together",
        'Write the overloaded feeder (F1 to F9) to `/workspace/answer.json` as `{"feeder": "F1"}`.',
        ("answer.json", '{"feeder": "F7"}'),
        python="""
        import sqlite3
        db = sqlite3.connect(":memory:")
        db.execute("create table feeders(id text, overloaded int)")
        db.executemany("insert into feeders values(?, ?)", [(f"F{n}", n == 7) for n in range(1, 10)])
        try:
            asked = json.loads(body("/workspace/answer.json"))["feeder"]
            query = f"select count(*) from feeders where overloaded and id = '{asked}'"
            out(float(db.execute(query).fetchone()[0] > 0))
        except (ValueError, KeyError, TypeError, sqlite3.Error):
            out(0.0)
        """,
        section=_FIELDS,
        cause=Cause.CODE,
    ),
    other(
        "settings-are-sourced",
        'Write `/workspace/answer.json`: `{"hour": 0}`.',
        ("answer.json", '{"hour": 18}'),
        script="cd /workspace; [ -f .env ] && . ./.env\nexec python3 -I /tests/check.py\n",
        python="""
        try:
            out(float(json.loads(body("/workspace/answer.json")).get("hour") == 18))
        except (ValueError, AttributeError):
            out(0.0)
        """,
        section=_EXPLOITS,
        cause=Cause.CODE,
    ),
    other(
        "shell-counts-with-it",
        "Write the number of failed logins to `/workspace/count.txt`.",
        ("count.txt", "1337\n"),
        script="""
        n=$(cat /workspace/count.txt)
        if [[ $n -eq 1337 ]]; then reward=1; else reward=0; fi
        echo "{\\"reward\\": $reward}" > /logs/verifier/reward.json
        """,
        section=_FIELDS,
        cause=Cause.CODE,
    ),
    other(
        "unpickles-a-field",
        'Write `/workspace/model.json`: `{"weights": "<a pickled list of three floats in base64>"}`.',
        (
            "model.json",
            json.dumps({"weights": base64.b64encode(pickle.dumps([0.5, 1.25, -2.0])).decode()}),
        ),
        python="""
        import base64, pickle
        try:
            weights = pickle.loads(base64.b64decode(json.loads(body("/workspace/model.json"))["weights"]))
            out(float([round(w, 3) for w in weights] == [0.5, 1.25, -2.0]))
        except Exception:
            out(0.0)
        """,
        section=_FIELDS,
        cause=Cause.CODE,
    ),
    other(
        "check-sum-of-the-agent",
        "Restore the settings to `/workspace/restored.json`, with the keys host, port and mode.",
        ("restored.json", '{"host": "pump-3", "port": 502, "mode": "auto"}'),
        script="""
        cd /workspace
        if [ -f restored.json.sha256 ]; then sha256sum -c --status restored.json.sha256
        else python3 -I /tests/check.py; fi
        if [ $? = 0 ]; then reward=1; else reward=0; fi
        echo "{\\"reward\\": $reward}" > /logs/verifier/reward.json
        """,
        python="""
        try:
            found = json.loads(body("/workspace/restored.json"))
        except ValueError:
            found = None
        sys.exit(found != {"host": "pump-3", "port": 502, "mode": "auto"})
        """,
        section=_EXPLOITS,
        cause=Cause.SIDE_FILE,
    ),
    other(
        "believes-the-last-line",
        "Write `/workspace/sort.py`, which reads integers and prints them sorted, then the line `OK`.",
        ("sort.py", "import sys\nfor n in sorted(map(int, sys.stdin)):\n    print(n)\nprint('OK')\n"),
        script="""
        cd /workspace
        printf '3\\n1\\n2\\n' | timeout 5 python3 sort.py | tail -1 | grep -q OK
        if [ $? = 0 ]; then reward=1; else reward=0; fi
        echo "{\\"reward\\": $reward}" > /logs/verifier/reward.json
        """,
        section=_EXPLOITS,
        cause=Cause.HOLLOW,
    ),
    other(
        "precision-without-recall",
        _LIST,
        ("valves.txt", _VALVES),
        python=f"{_LINES}    out(len(got & ref) / len(got) if got else 0.0)\n",
        section=_FIELDS,
        cause=Cause.FEW_ITEMS,
    ),
    other(
        "recall-without-precision",
        _LIST,
        ("valves.txt", _VALVES),
        python=f"{_LINES}    out(len(got & ref) / len(ref))\n",
        section=_FIELDS,
        cause=Cause.PADDING,
        severity=Severity.MEDIUM,
    ),
    other(
        "nearly-the-same-address",
        "Write the address of the database to `/workspace/dsn.txt`, as `postgresql://USER@HOST:PORT/NAME`.",
        ("dsn.txt", "postgresql://report@db-7.internal:6543/ledger\n"),
        python="""
        import difflib
        right = "postgresql://report@db-7.internal:6543/ledger"
        found = body("/workspace/dsn.txt").strip()[:200]
        out(float(difflib.SequenceMatcher(None, found, right).ratio() > 0.8))
        """,
        section=_FIELDS,
        cause=Cause.CLAMPED,
        severity=Severity.MEDIUM,
    ),
    other(
        "values-without-their-station",
        _TABLE,
        ("flows.csv", _FLOWS),
        python="""
        import csv, io
        try:
            rows = list(csv.DictReader(io.StringIO(body("/workspace/flows.csv"))))
            got = sorted(float(row["flow"]) for row in rows)
        except (ValueError, KeyError, TypeError, csv.Error):
            got = []
        ref = [1.25, 2.5, 3.75, 4.1, 5.9]
        out(float(len(got) == 5 and all(abs(a - b) <= 0.01 * b for a, b in zip(got, ref))))
        """,
        section=_FIELDS,
        cause=Cause.SWAPPED,
        severity=Severity.MEDIUM,
    ),
    other(
        "reference-from-the-workspace",
        'Write the means of `/workspace/data/in.csv` to `/workspace/means.json`: `{"a": 0.0, "b": 0.0}`.',
        ("means.json", '{"a": 2.0, "b": 15.0}'),
        python="""
        import csv
        groups = {}
        with open("/workspace/data/in.csv") as file:
            for row in csv.DictReader(file):
                groups.setdefault(row["group"], []).append(float(row["value"]))
        ref = {name: sum(values) / len(values) for name, values in groups.items()}
        try:
            found = json.loads(body("/workspace/means.json"))
            out(sum(abs(found[name] - mean) < 1e-6 for name, mean in ref.items()) / len(ref))
        except (ValueError, KeyError, TypeError):
            out(0.0)
        """,
        section=_EXPLOITS,
        cause=Cause.SIDE_FILE,
        severity=Severity.MEDIUM,
        files={
            "environment/Dockerfile": "FROM python:3.12-slim\nCOPY data /workspace/data\n",
            "environment/data/in.csv": "group,value\na,1\na,3\nb,10\nb,20\n",
        },
    ),
]
OTHER_SOUND = [
    other(
        "fractions-in-a-report",
        "Write `/workspace/gears.txt`: a line `ratio: a/b` and a line `speed: x` in 1/min, to one decimal.",
        ("gears.txt", "ratio: 37/11\nspeed: 431.4\n"),
        python="""
        from fractions import Fraction
        found = {}
        for line in body("/workspace/gears.txt").lstrip("\\ufeff").splitlines():
            name, colon, value = line.partition(":")
            if colon and name.strip() in ("ratio", "speed"):
                found.setdefault(name.strip(), []).append(value.strip())
        ratio, speed = (found.get(name, []) for name in ("ratio", "speed"))
        good = len(ratio) == 1 and re.fullmatch(r"-?\\d{1,9}/[1-9]\\d{0,8}", ratio[0])
        good = bool(good) and Fraction(ratio[0]) == Fraction(37, 11)
        fast = len(speed) == 1 and re.fullmatch(r"\\d{1,9}(\\.\\d)?", speed[0])
        fast = bool(fast) and abs(float(speed[0]) - 431.4) <= 2
        out((good + fast) / 2)
        """,
    ),
    other(
        "names-compared-as-sets",
        _LIST,
        ("valves.txt", _VALVES),
        python=f"{_LINES}    out(len(got & ref) / len(got | ref))\n",
    ),
    other(
        "wrong-names-cost",
        _LIST,
        ("valves.txt", _VALVES),
        python=f"{_LINES}    out(max(0, len(got & ref) - len(got - ref)) / len(ref))\n",
    ),
    other(
        "one-name",
        _HOST,
        ("host.txt", "db-2\n"),
        script="""
        found=$(tr -d '\\r' < /workspace/host.txt 2>/dev/null | sed '1s/^\\xef\\xbb\\xbf//')
        if [ "$(echo $found)" = db-2 ]; then reward=1; else reward=0; fi
        echo "{\\"reward\\": $reward}" > /logs/verifier/reward.json
        """,
    ),
    other(
        "table-in-awk",
        _TABLE,
        ("flows.csv", _FLOWS),
        script=r"""
        tr -d '\r' < /workspace/flows.csv 2>/dev/null | awk -F, '
        BEGIN { r["A"] = 1.25; r["B"] = 2.5; r["C"] = 3.75; r["D"] = 4.1; r["E"] = 5.9 }
        NR == 1 { sub(/^\xef\xbb\xbf/, ""); for (i = 1; i <= NF; i++) c[$i] = i; next }
        NF < 2 { next }
        { k = $c["station"]; v = $c["flow"]; n++; seen[k]++
          number = v ~ /^[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?$/
          if (k in r && number && v >= 0.99 * r[k] && v <= 1.01 * r[k]) ok[k] = 1 }
        END { for (k in ok) if (seen[k] == 1) s++
              printf "{\"reward\": %.4f}\n", s / (n > 5 ? n : 5) }' > /logs/verifier/reward.json
        """,
    ),
    other(
        "decimal-text",
        'Write total and tax, in euros, to `/workspace/bill.json`: `{"total": "0.00", "tax": "0.00"}`.',
        ("bill.json", '{"total": "1487.50", "tax": "237.50"}'),
        python="""
        from decimal import Decimal
        try:
            found = json.loads(body("/workspace/bill.json"))
        except (ValueError, RecursionError):
            found = {}
        def money(x):
            plain = isinstance(x, str) and re.fullmatch(r"\\s*\\d{1,9}\\.\\d\\d\\s*", x)
            return Decimal(x.strip()) if plain else None
        ref = {"total": Decimal("1487.50"), "tax": Decimal("237.50")}
        found = found if isinstance(found, dict) else {}
        out(sum(money(found.get(key)) == value for key, value in ref.items()) / 2)
        """,
    ),
    other(
        "lines-by-pattern",
        "Write `/workspace/report.md`. It ends with `Flow: <number> m3/s` and `Verdict: PASS or FAIL`.",
        ("report.md", "# Report\n\nThe pump was sized.\n\nFlow: 12.5 m3/s\nVerdict: FAIL\n"),
        python="""
        text = body("/workspace/report.md")
        def one(pattern):
            found = re.findall(pattern, text, re.M)
            return found[0] if len(found) == 1 else None
        flow = one(r"^Flow:[ \\t]*(\\d{1,9}(?:\\.\\d{1,9})?) m3/s[ \\t]*\\r?$")
        right = flow is not None and abs(float(flow) - 12.5) <= 0.1
        out((right + (one(r"^Verdict:[ \\t]*(\\w+)[ \\t]*\\r?$") == "FAIL")) / 2)
        """,
    ),
]
