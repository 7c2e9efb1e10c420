"""Flaws of a sixth set: answers pasted into programs, patterns, values in other records, claims.

Each was missed by the audit when it was written down, or named by another cause. Sound verifiers that were
called unsound, or questionable, stand at the end.
"""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other

_FIELDS, _EXPLOITS = Section.DISCRIMINATION, Section.EXPLOITS
_MEDIUM = Severity.MEDIUM

READ_JSON = """
        try:
            answer = json.loads(body("/workspace/answer.json"))
        except (ValueError, RecursionError):
            answer = None
        answer = answer if isinstance(answer, dict) else {}
        def number(x):
            return type(x) in (int, float) and abs(x) < 1e300
"""
_MARKS = "student,mark\nkim,76.0\nlou,72.0\nmax,77.0\nnia,85.0\n"
_FAULTS = (
    '{"diagnoses": [{"machine": "M1", "fault": "misaligned", "confidence": 0.9}, {"machine": "M2", "fault": '
    '"unbalanced", "confidence": 0.9}, {"machine": "M3", "fault": "worn", "confidence": 0.8}]}\n'
)
_WEIGHTS = (
    "part,kg\np01,0.907\np02,2.268\np03,3.402\np04,5.443\np05,0.499\np06,14.969\np07,0.181\np08,4.082\n"
)
_MERGED = """import sys
out = []
for a, b in sorted(tuple(map(int, line.split())) for line in sys.stdin if line.strip()):
    if out and a <= out[-1][1]:
        out[-1][1] = max(out[-1][1], b)
    else:
        out.append([a, b])
for a, b in out:
    print(a, b)
"""

EVALUATED = [
    other(
        "pasted-into-awk",
        "Write the pressure drop in kPa as a plain number to `/workspace/answer.txt`.",
        ("answer.txt", "22.5\n"),
        script="""
        val=$(head -n 1 /workspace/answer.txt | tr -d ' \\r')
        if awk "BEGIN { exit !($val > 22.2 && $val < 22.8) }"; then reward=1; else reward=0; fi
        echo $reward > /logs/verifier/reward.txt
        """,
        section=_FIELDS,
        cause=Cause.CODE,
    ),
    other(
        "pattern-without-quotes",
        "Decode the two words and write them to `/workspace/words.txt`, one per line.",
        ("words.txt", "hello\nworld\n"),
        script="""
        mapfile -t words < /workspace/words.txt
        reward=0
        if [[ hello == ${words[0]} && world == ${words[1]} ]]; then reward=1; fi
        echo $reward > /logs/verifier/reward.txt
        """,
        section=_FIELDS,
        cause=Cause.PATTERN,
    ),
    other(
        "lines-as-patterns",
        "List the critical activities in `/workspace/critical.txt`, one per line.",
        ("critical.txt", "A1\nB4\nD5\nF2\n"),
        script="""
        hits=$(grep -c -x -f /workspace/critical.txt /tests/critical.list)
        have=$(grep -c . /workspace/critical.txt)
        if [ "$hits" -eq 4 ] && [ "$have" -le 4 ]; then reward=1; else reward=0; fi
        echo $reward > /logs/verifier/reward.txt
        """,
        section=_FIELDS,
        cause=Cause.PATTERN,
        files={"tests/critical.list": "A1\nB4\nD5\nF2\n"},
    ),
    other(
        "field-as-an-expression",
        'Write the code of the pump to `/workspace/answer.json`: `{"code": "..."}`.',
        ("answer.json", '{"code": "KX-7731"}\n'),
        python=f"""{READ_JSON}
        try:
            out(float(re.fullmatch(str(answer.get("code")), "KX-7731") is not None))
        except re.error:
            out(0.0)
        """,
        section=_FIELDS,
        cause=Cause.PATTERN,
    ),
    other(
        "inputs-beside-their-results",
        "Write `/workspace/merge.py`: it reads intervals `a b` from standard input and prints them merged.",
        ("merge.py", _MERGED),
        script="""
        pass=0
        for input in /tests/cases/*.in; do
          python3 -I /workspace/merge.py < "$input" 2>/dev/null > /tmp/out
          cmp -s /tmp/out "${input%.in}.out" && pass=$((pass + 1))
        done
        rm -f /logs/verifier/reward.txt
        awk -v n=$pass 'BEGIN { print n / 2 }' > /logs/verifier/reward.txt
        """,
        section=_EXPLOITS,
        cause=Cause.READS_REFERENCE,
        files={
            "tests/cases/1.in": "1 3\n2 6\n8 10\n",
            "tests/cases/1.out": "1 6\n8 10\n",
            "tests/cases/2.in": "1 4\n4 5\n0 0\n",
            "tests/cases/2.out": "0 0\n1 5\n",
        },
    ),
    other(
        "ok-in-the-log",
        "Write `/workspace/stack.py` with a class `Stack` that has push, pop and peek.",
        (
            "stack.py",
            "class Stack(list):\n    push = list.append\n\n    def peek(self):\n        return self[-1]\n",
        ),
        script="""
        python3 -I -m unittest discover -s /tests -p 'check_*.py' > /tmp/log.txt 2>&1
        rm -f /logs/verifier/reward.txt
        if grep -q '^OK' /tmp/log.txt; then reward=1; else reward=0; fi
        echo $reward > /logs/verifier/reward.txt
        """,
        section=_EXPLOITS,
        cause=Cause.HOLLOW,
        files={
            "tests/check_stack.py": "import sys, unittest\nsys.path.insert(0, '/workspace')\n"
            "class StackTest(unittest.TestCase):\n    def test_it(self):\n"
            "        from stack import Stack\n        stack = Stack()\n        stack.push(1)\n"
            "        stack.push(2)\n"
            "        self.assertEqual((stack.peek(), stack.pop(), len(stack)), (2, 2, 1))\n"
        },
    ),
]

MISMATCHED = [
    other(
        "columns-sorted-apart",
        "Write the mark of each student to `/workspace/marks.csv`, columns student and mark.",
        ("marks.csv", _MARKS),
        python="""
        import csv, io
        def column(text, key):
            return sorted(str(row.get(key)).strip() for row in csv.DictReader(io.StringIO(text)))
        text, due = body("/workspace/marks.csv")[:9999], body("/tests/marks.csv")
        out(float(all(column(text, key) == column(due, key) for key in ("student", "mark"))))
        """,
        section=_FIELDS,
        cause=Cause.SWAPPED,
        severity=_MEDIUM,
        files={"tests/marks.csv": _MARKS},
    ),
    other(
        "best-of-all-attempts",
        'Find the x that is asked for and write `/workspace/answer.json`: `{"attempts": [{"x": 0.0}]}`.',
        ("answer.json", '{"attempts": [{"x": 3.2}]}\n'),
        python=f"""{READ_JSON}
        tries = answer.get("attempts")
        tries = [one.get("x") for one in tries if isinstance(one, dict)] if isinstance(tries, list) else []
        out(float(any(number(x) and abs(x - 3.2) <= 0.05 for x in tries)))
        """,
        section=_FIELDS,
        cause=Cause.HEDGED,
        severity=_MEDIUM,
    ),
    other(
        "length-of-the-route-is-believed",
        "Find a short round trip from 0 through all stops, and write it to `/workspace/answer.json`: "
        '`{"route": [0, 0], "length": 0.0}`.',
        ("answer.json", '{"route": [0, 1, 2, 4, 3, 0], "length": 16.0}\n'),
        python=f"""{READ_JSON}
        route, length = answer.get("route"), answer.get("length")
        fits = isinstance(route, list) and sorted(map(str, route)) == ["0", "0", "1", "2", "3", "4"]
        out(min(1.0, 16 / length) if fits and number(length) and length > 0 else 0.0)
        """,
        section=_FIELDS,
        cause=Cause.CLAIMED,
        severity=_MEDIUM,
    ),
    other(
        "right-answer-below-a-key",
        'Write `/workspace/answer.json`: `{"bolts": 0, "capacity_kn": 0.0}`.',
        ("answer.json", '{"bolts": 6, "capacity_kn": 564.0}\n'),
        python=f"""{READ_JSON}
        def pairs(x):
            for key, child in x.items() if isinstance(x, dict) else ():
                yield key, child
                yield from pairs(child)
        found = list(pairs(answer))
        due = {{"bolts": 6, "capacity_kn": 564.0}}
        def right(key):
            return any(k == key and number(v) and abs(v - due[key]) < 0.5 for k, v in found)
        out(sum(map(right, due)) / 2)
        """,
        section=_FIELDS,
        cause=Cause.ANYWHERE,
    ),
    other(
        "elements-any-of-which",
        "Write `/workspace/bill.xml`: `<bill><item name='rebar'><amount>0</amount></item></bill>`.",
        (
            "bill.xml",
            "<bill><item name='concrete'><amount>1750</amount></item><item name='rebar'>"
            "<amount>1430</amount></item></bill>\n",
        ),
        python="""
        import xml.etree.ElementTree as tree
        try:
            root = tree.fromstring(body("/workspace/bill.xml"))
        except (tree.ParseError, ValueError):
            root = tree.Element("nothing")
        hits = 0
        for name, due in (("concrete", 1750), ("rebar", 1430)):
            texts = [node.text or "" for node in root.findall(f".//item[@name='{name}']/amount")]
            hits += any(re.fullmatch("[0-9.]+", t) and abs(float(t) - due) < 1 for t in texts)
        out(hits / 2)
        """,
        section=_FIELDS,
        cause=Cause.HEDGED,
    ),
    other(
        "word-inside-a-line",
        "Name the capital of each country in `/workspace/capitals.txt`, lines `Country: Capital`.",
        ("capitals.txt", "Australia: Canberra\nBrazil: Brasilia\nCanada: Ottawa\n"),
        python="""
        due = {"Australia": "canberra", "Brazil": "brasilia", "Canada": "ottawa"}
        got = dict(re.findall(r"^ *(\\w+) *: *(.+)$", body("/workspace/capitals.txt").lower().title(), re.M))
        out(sum(city in got.get(country, "").lower() for country, city in due.items()) / 3)
        """,
        section=_FIELDS,
        cause=Cause.WORD_INSIDE,
        severity=_MEDIUM,
    ),
    other(
        "versions-by-their-beginning",
        'Write the lowest version with the fix to `/workspace/answer.json`: `{"alpha": "0.0.0"}`.',
        ("answer.json", '{"alpha": "2.4.1", "gamma": "3.0.2"}\n'),
        python=f"""{READ_JSON}
        due = {{"alpha": "2.4.1", "gamma": "3.0.2"}}
        out(sum(str(answer.get(key)).startswith(ref) for key, ref in due.items()) / 2)
        """,
        section=_FIELDS,
        cause=Cause.WORD_INSIDE,
        severity=_MEDIUM,
    ),
    other(
        "offset-of-a-moment-dropped",
        'Give the start in Berlin time, ISO 8601 with its offset: `/workspace/answer.json`, `{"start": ""}`.',
        ("answer.json", '{"start": "2025-03-05T20:30:00+01:00"}\n'),
        python=f"""{READ_JSON}
        from datetime import datetime
        try:
            start = datetime.fromisoformat(answer.get("start")).replace(tzinfo=None)
        except (TypeError, ValueError):
            start = None
        out(float(start == datetime(2025, 3, 5, 20, 30)))
        """,
        section=_FIELDS,
        cause=Cause.CLAMPED,
        severity=_MEDIUM,
    ),
    other(
        "day-and-month-either-way",
        'Give the day of delivery (YYYY-MM-DD) in `/workspace/answer.json`: `{"delivery": ""}`.',
        ("answer.json", '{"delivery": "2024-04-03"}\n'),
        python=f"""{READ_JSON}
        out(float(answer.get("delivery") in ("2024-04-03", "2024-03-04")))
        """,
        section=_FIELDS,
        cause=Cause.SWAPPED,
        severity=_MEDIUM,
    ),
    other(
        "cut-to-whole-numbers",
        'Give the volumes in litres, within 0.01 L: `/workspace/answer.json`, `{"v1": 0.0, "v2": 0.0}`.',
        ("answer.json", '{"v1": 1.17, "v2": 2.67}\n'),
        python=f"""{READ_JSON}
        due = {{"v1": 1.17, "v2": 2.67}}
        out(sum(number(answer.get(key)) and int(answer[key]) == int(ref) for key, ref in due.items()) / 2)
        """,
        section=_FIELDS,
        cause=Cause.TOLERANCE,
        severity=_MEDIUM,
    ),
    other(
        "names-and-their-own-weights",
        "Name the fault of each machine with your confidence from 0 to 1 in `/workspace/answer.json`.",
        ("answer.json", _FAULTS),
        python=f"""{READ_JSON}
        due = {{"M1": "misaligned", "M2": "unbalanced", "M3": "worn"}}
        given = answer.get("diagnoses")
        given = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
        by = {{str(one.get("machine")): one for one in given}}
        weights = {{key: by[key].get("confidence") if key in by else 1.0 for key in due}}
        weights = {{key: min(1.0, max(0.0, w)) if number(w) else 1.0 for key, w in weights.items()}}
        total = sum(weights.values())
        hits = sum(weights[key] for key, ref in due.items() if key in by and by[key].get("fault") == ref)
        out(hits / total if total and len(given) == 3 else 0.0)
        """,
        section=_EXPLOITS,
        cause=Cause.CLAIMED,
    ),
    other(
        "orders-that-the-agent-may-alter",
        "`/workspace/orders.csv` holds the orders. Write their sum by region to `/workspace/summary.json`.",
        ("right/summary.json", '{"north": 310.5, "south": 95.0}\n'),
        python="""
        import csv, io
        sums = {}
        for row in csv.DictReader(io.StringIO(body("/workspace/orders.csv")[:9999])):
            sums[row["region"]] = sums.get(row["region"], 0.0) + float(row["amount"])
        try:
            got = json.loads(body("/workspace/summary.json"))
        except (ValueError, RecursionError):
            got = None
        out(float(bool(sums) and got == sums))
        """,
        section=_EXPLOITS,
        cause=Cause.SIDE_FILE,
        files={"goldens/pass/right/orders.csv": "id,region,amount\n1,north,100.5\n2,south,95\n3,north,210\n"},
    ),
    other(
        "rows-that-a-set-chooses",
        "Convert the weights to kg and write `/workspace/weights.csv`, columns part and kg.",
        ("weights.csv", _WEIGHTS),
        script="exec python3 /tests/check.py\n",
        python="""
        import csv, io
        def rows(path):
            return {row.get("part"): row.get("kg") for row in csv.DictReader(io.StringIO(body(path)[:9999]))}
        due, got = rows("/tests/weights.csv"), rows("/workspace/weights.csv")
        chosen = list(set(due))[:3]
        out(sum(got.get(part) == due[part] for part in chosen) / 3 if set(got) == set(due) else 0.0)
        """,
        section=Section.DETERMINISM,
        cause=Cause.ENVIRONMENT,
        files={"tests/weights.csv": _WEIGHTS},
    ),
]

SIXTH_HANDS = [*EVALUATED, *MISMATCHED]
