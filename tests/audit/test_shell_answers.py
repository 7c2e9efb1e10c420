"""A right answer from verifiers in shell and awk, and from references that only a layout makes an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import audit_task
from adjudge.audit.answers.traced import bash_arrays, steps
from adjudge.audit.answers.written import placeholder, written_lines
from adjudge.contracts import OutputFormat
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from support.task_folders import write_task

CALLS = """
has() { grep -Eq "^$1=$2\\$" /app/trip.txt; }
n=0
want() { if has "$1" "$2"; then n=$((n + 1)); fi; }
if [ -f /app/trip.txt ]; then want legs 4; want nights 9; want km 812; fi
awk -v n="$n" 'BEGIN { print n / 3 }' > /logs/verifier/reward.txt
"""
ARRAYS = """
f=/app/fees.csv; [ -f "$f" ] || f=/dev/null
awk -F, 'BEGIN { split("boat 12.5 tent 31 kayak 7.25", p, " ")
    for (i = 1; i < 6; i += 2) fee[p[i]] = 2 * p[i + 1] }
  ($1 in fee) && $2 ~ /^[0-9.]+$/ { d = $2 - fee[$1]; if (d < 0) d = -d; if (d < 0.01) ok[$1] = 1 }
  END { for (i in ok) s++; print s / 3 }' "$f" > /logs/verifier/reward.txt
"""
COMPUTED = """
answer=$(sed -n 's/^RESULT: *//p' /app/note.md 2> /dev/null | head -n 1)
[ -n "$answer" ] || { echo 0 > /logs/verifier/reward.txt; exit 0; }
due=$(( 37 * 41 - 6 ))
if [ "$answer" = "$due" ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
"""
INSIDE = """
python3 - <<'PY'
import json, re
KEY = {1: ["heron", "grey heron"], 2: ["1911"], 3: ["the mill", "mill"]}
try:
    text = open("/app/quiz.md", encoding="utf-8").read().lower()
except OSError:
    text = ""
given = dict(re.findall(r"^item (\\d): *(.*?) *$", text, re.M))
right = sum(given.get(str(n)) in names for n, names in KEY.items())
json.dump({"reward": right / 3}, open("/logs/verifier/reward.json", "w"))
PY
"""
APPLIED = """
python3 - <<'PY'
import csv
BOXES = {"B1": (2, 3, 4), "B2": (1, 5, 6), "B3": (7, 1, 2)}

def expected(width, depth, height):
    return {"volume": width * depth * height, "base": width * depth}

try:
    rows = {row["box"]: row for row in csv.DictReader(open("/app/boxes.csv"))}
except (OSError, KeyError):
    rows = {}
def same(row, due):
    return all(str(row.get(name, "")).strip() == str(value) for name, value in due.items())
right = sum(same(rows.get(name, {}), expected(*size)) for name, size in BOXES.items())
open("/logs/verifier/reward.txt", "w").write(str(right / 3))
PY
"""
TASKS = {
    "want in calls of tests/test.sh": (
        "Write `/app/trip.txt` with lines `key=integer`: `legs`, `nights`, `km`.",
        CALLS,
    ),
    "fee of tests/test.sh": (
        "Fees for boat, tent and kayak double. Write `/app/fees.csv` without header: `item,fee`.",
        ARRAYS,
    ),
    "due of tests/test.sh": (
        "Explain in `/app/note.md`, and end with a line `RESULT: number`.",
        COMPUTED,
    ),
    "KEY of tests/test.sh": (
        "Write `/app/quiz.md`, a line `Item n: answer` for each. Item 1: which bird? Item 2: which year? "
        "Item 3: which house?",
        INSIDE,
    ),
    "expected(BOXES) of tests/test.sh": (
        "Write `/app/boxes.csv` with the header `box,base,volume` and a row for each of B1, B2 and B3.",
        APPLIED,
    ),
}


@pytest.mark.parametrize("source", TASKS)
def test_the_right_answer_is_recovered(source: str, sandbox: Sandbox, tmp_path: Path) -> None:
    instruction, script = TASKS[source]
    folder = write_task(tmp_path / "task", instruction=instruction, script=script)
    certificate = audit_task(load_task(folder), sandbox, sections=[]).certificate
    assert (certificate.answer, certificate.answer_reward) == (source, 1.0)


def test_a_file_that_is_named_like_a_key_is_tried(sandbox: Sandbox, tmp_path: Path) -> None:
    script = """
    if cmp -s /app/names.txt /tests/names.key; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
    """
    folder = write_task(
        tmp_path / "task",
        instruction="Write the names to `/app/names.txt`.",
        script=script,
        files={"tests/names.key": "Ada\nBo\n"},
    )
    assert audit_task(load_task(folder), sandbox, sections=[]).certificate.answer == "tests/names.key"


def test_a_plain_list_fills_the_list_that_is_asked_for(sandbox: Sandbox, tmp_path: Path) -> None:
    script = """
    python3 - <<'PY'
    import json
    LEAKING = {"P-2", "P-7", "P-9"}
    try:
        given = json.load(open("/app/pumps.json"))["leaking"]
    except (OSError, ValueError, KeyError, TypeError):
        given = []
    open("/logs/verifier/reward.txt", "w").write(str(float(set(given) == LEAKING)))
    PY
    """
    folder = write_task(
        tmp_path / "task",
        instruction='Write `/app/pumps.json`: `{"leaking": ["name", ...]}`.',
        script="\n".join(line.removeprefix("    ") for line in script.splitlines()),
    )
    assert audit_task(load_task(folder), sandbox, sections=[]).certificate.answer_reward == 1.0


def test_what_bash_says_of_its_steps() -> None:
    trace = "+ want=7\n++ date\n+ near total 260\n+ near 'days open' 5\n+ '[' abc -ne 12 ']'\n+ echo a b\n"
    assert list(steps(trace)) == [
        ("test.sh", "near in calls", {"total": 260, "days open": 5}),
        ("test.sh", "want", 7),
        ("test.sh", "comparison 2", 12),
    ]


def test_what_arrays_of_bash_hold() -> None:
    held = 'declare -A due=(["a b"]="4.5" [c]="6" )\ndeclare -a row=([0]="1" [1]="z")\n'
    trace = "++ inner=(['p']='7' ['q']='it is')\n+ plain=(1 2)\n"
    assert list(bash_arrays(held, trace)) == [
        ("test.sh", "due", {"a b": 4.5, "c": 6}),
        ("test.sh", "row", [1, "z"]),
        ("test.sh", "inner", {"p": 7, "q": "it is"}),
    ]


def test_a_placeholder_has_the_layout_of_the_instruction() -> None:
    assert placeholder("Lines `key=integer`: `legs`, `km`.") == "key=1\nlegs=1\nkm=1"
    assert placeholder("End with `RESULT: number`.") == "RESULT: 1"
    assert placeholder("Write it down.") == "1"


def test_references_are_written_as_the_instruction_shows() -> None:
    terms = [("t.py", "TERMS", {"water": ["aqua", "unda"], "fire": ["ignis"]})]
    said = "Lines `english<TAB>latin` for water and fire."
    assert written_lines(terms, said, OutputFormat.TEXT)[0] == (
        "TERMS of tests/t.py",
        "water\taqua\nfire\tignis",
    )
    prices = [("t.py", "P", {"oak": 2.5, "elm": 1.0 / 3})]
    said = "The header `tree,price`, then a row for oak and one for elm, with two decimals."
    assert written_lines(prices, said, OutputFormat.CSV)[0][1] == "tree,price\noak,2.50\nelm,0.33"
    assert written_lines([("t.py", "X", {"ash": 1, "yew": 2})], said, OutputFormat.CSV) == []
