"""A right answer of a task that has none: tables and files of data, in the columns that are asked for."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from adjudge.audit.answers.data import as_numbers, data_beside
from adjudge.audit.answers.recover import recover
from adjudge.audit.probes import Bench
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from support.task_folders import write_task

START = "#!/bin/bash\nmkdir -p /logs/verifier\nexec python3 /tests/check.py\n"
READ = """
import csv, json, math, re
from pathlib import Path
def text(name):
    try:
        return Path("/app/" + name).read_text()
    except OSError:
        return ""
def doc(name):
    try:
        return json.loads(text(name))
    except ValueError:
        return None
def table(name, columns, mark=","):
    rows = list(csv.reader(text(name).splitlines(), delimiter=mark))
    return rows[1:] if rows and rows[0] == columns else []
def out(reward):
    Path("/logs/verifier/reward.txt").write_text(str(float(reward)))
"""


def py(code: str, **files: str) -> dict[str, str]:
    beside = {f"tests/{name.replace('__', '.')}": content for name, content in files.items()}
    return {"tests/test.sh": START, "tests/check.py": f"{READ}{dedent(code)}", **beside}


TASKS: dict[str, tuple[str, dict[str, str], str]] = {
    "rows of a JSON file, of which an unfenced example shows one": (
        "List the pallets of every bay in `/app/pallets.json`, a JSON array with an object for each bay:\n\n"
        '  {"hall": "East", "bay": "7", "pallets": 3}\n\nThe order is free.',
        py(
            """
            key = [tuple(row) for row in json.load(open("/tests/bays.json"))]
            rows = doc("pallets.json")
            rows = rows if isinstance(rows, list) else []
            given = [(r.get("hall"), r.get("bay"), r.get("pallets")) for r in rows if isinstance(r, dict)]
            out(len(given) == len(key) and sorted(map(repr, given)) == sorted(map(repr, key)))
            """,
            bays__json='[["East", "7", 12], ["East", "8", 9], ["West", "7", 4]]',
        ),
        '[{"hall": "East", "bay": "7", "pallets": 12}, {"hall": "East", "bay": "8", "pallets": 9}, '
        '{"hall": "West", "bay": "7", "pallets": 4}]',
    ),
    "a table of names and kinds, where the agent says something in words besides": (
        "List what is wrong in `/app/faults.json`:\n\n```json\n"
        '{"faults": [{"part": "P0", "kind": "crack", "why": "one sentence"}]}\n```\n',
        py(
            """
            KEY = {"P3": "crack", "P7": "rust", "P9": "play"}
            rows = (doc("faults.json") or {}).get("faults") or []
            good = [r for r in rows if KEY.get(r["part"]) == r["kind"] and len(r["why"].split()) > 3]
            out(len(rows) == len(good) == len(KEY))
            """
        ),
        '{"faults": [{"part": "P3", "kind": "crack", "why": "as it was worked out above"}, '
        '{"part": "P7", "kind": "rust", "why": "as it was worked out above"}, '
        '{"part": "P9", "kind": "play", "why": "as it was worked out above"}]}',
    ),
    "rows without a header, below a header between semicolons": (
        "Write `/app/strata.csv`:\n\n    unit;depth;soil\n    U1;0.0;loam\n\nDepths in m.",
        py(
            """
            key = [line.split(";") for line in open("/tests/strata.key").read().split()]
            out(sorted(table("strata.csv", ["unit", "depth", "soil"], ";")) == sorted(key))
            """,
            strata__key="U1;1.5;loam\nU2;2.25;marl\nU3;4.0;chalk\n",
        ),
        "unit;depth;soil\nU1;1.5;loam\nU2;2.25;marl\nU3;4.0;chalk\n",
    ),
    "what a dump of SQL inserts": (
        "Write `/app/fees.csv` with the header\n\n    member,rate,fee\n\nand a row for each member.",
        py(
            """
            import sqlite3
            db = sqlite3.connect(":memory:")
            db.executescript(open("/tests/fees.sql").read())
            due = [[str(cell) for cell in row] for row in db.execute("SELECT * FROM due")]
            out(sorted(table("fees.csv", ["member", "rate", "fee"])) == sorted(due))
            """,
            fees__sql="CREATE TABLE due (id TEXT, rate INTEGER, fee INTEGER);\n"
            "INSERT INTO due VALUES ('M-1', 2, 40), ('M-2', 3, 75);\n"
            "INSERT INTO due VALUES ('O''Neil', 2, 52);\n",
        ),
        "member,rate,fee\nM-1,2,40\nM-2,3,75\nO'Neil,2,52\n",
    ),
    "numbers that are counted": (
        "Write `/app/load.csv` with the header `hour,kw`, hours 0 to 3.",
        py(
            """
            METERED = [float(part) for part in open("/tests/metered.txt").read().split()]
            rows = table("load.csv", ["hour", "kw"])
            given = {row[0]: float(row[1]) for row in rows if len(row) == 2}
            out(given == {str(n): kw for n, kw in enumerate(METERED)})
            """,
            metered__txt="41.5 40.25 39.0 52.5\n",
        ),
        "hour,kw\n0,41.5\n1,40.25\n2,39.0\n3,52.5\n",
    ),
    "functions of a row of the inputs": (
        "Write `/app/bills.csv` with the header `meter,kwh,amount`, a row for each meter of the readings.",
        py(
            """
            def bill(row):
                used = int(row["new"]) - int(row["old"])
                return used, round(used * 0.25 + 8.5, 2)
            with open("/tests/readings.csv", newline="") as file:
                due = {row["meter"]: bill(row) for row in csv.DictReader(file)}
            rows = table("bills.csv", ["meter", "kwh", "amount"])
            right = sum(due.get(m) == (int(used), float(eur)) for m, used, eur in rows)
            out(right / len(due) if len(rows) == len(due) else 0)
            """,
            readings__csv="meter,old,new\nZ1,100,260\nZ2,80,81\nZ3,15,415\n",
        ),
        "meter,kwh,amount\nZ1,160,48.5\nZ2,1,8.75\nZ3,400,108.5\n",
    ),
    "functions with the names of columns": (
        "Write `/app/tools.csv`, header `tool,next_check,state`, a row for each tool.",
        py(
            """
            from collections import namedtuple
            from datetime import date, timedelta
            Tool = namedtuple("Tool", "tag bought days")
            TOOLS = [Tool("T1", date(2025, 1, 10), 90), Tool("T2", date(2024, 6, 1), 365)]
            def next_check(tool):
                return tool.bought + timedelta(days=tool.days)
            def state(tool, on=date(2025, 5, 1)):
                return "late" if next_check(tool) < on else "ok"
            due = [[tool.tag, next_check(tool).isoformat(), state(tool)] for tool in TOOLS]
            out(sorted(table("tools.csv", ["tool", "next_check", "state"])) == sorted(due))
            """
        ),
        "tool,next_check,state\nT1,2025-04-10,late\nT2,2025-06-01,ok\n",
    ),
    "what a class makes of each entry": (
        'Write `/app/lab.json`: `{"lead": {"mean": 0.0, "spread": 0.0}, '
        '"zinc": {"mean": 0.0, "spread": 0.0}}`.',
        py(
            """
            from dataclasses import dataclass
            import statistics
            @dataclass(frozen=True)
            class Series:
                mean: float
                spread: float
                @classmethod
                def from_runs(cls, runs):
                    return cls(statistics.fmean(runs), statistics.stdev(runs))
                def agrees(self, other):
                    return max(abs(self.mean - other.mean), abs(self.spread - other.spread)) < 1e-4
            def main():
                runs = json.load(open("/tests/runs.json"))
                given = doc("lab.json")
                good = 0
                for name, values in runs.items():
                    try:
                        good += Series(**given[name]).agrees(Series.from_runs(values))
                    except (TypeError, KeyError):
                        pass
                out(good / len(runs))
            main()
            """,
            runs__json='{"lead": [1.0, 2.0, 3.0], "zinc": [4.0, 8.0, 6.0]}',
        ),
        '{"lead": {"mean": 2.0, "spread": 1.0}, "zinc": {"mean": 6.0, "spread": 2.0}}',
    ),
    "what a function makes of a file": (
        'Write `/app/sums.json`: `{"red": {"total": 0, "most": 0}, "blue": {"total": 0, "most": 0}}`.',
        py(
            """
            import sys
            def tally(path):
                found = {}
                for team, points in csv.reader(open(path)):
                    found.setdefault(team, []).append(int(points))
                return {team: {"total": sum(all_), "most": max(all_)} for team, all_ in found.items()}
            def main(path="/tests/points.csv"):
                out(doc("sums.json") == tally(path))
            main()
            """,
            points__csv="red,4\nblue,7\nred,9\nblue,2\n",
        ),
        '{"red": {"total": 13, "most": 9}, "blue": {"total": 9, "most": 7}}',
    ),
    "a section for each name": (
        "Answer in `/app/quiz.md`. T1. First law? T2. Second law? T3. Third law? A section for each:\n\n"
        "    ## T1\n    because ...\n    Answer: B\n",
        py(
            """
            key = dict(line.split() for line in open("/tests/key.txt"))
            parts = re.split(r"^## (T[1-3])$", text("quiz.md"), flags=re.M)
            given = {
                name: re.findall(r"^Answer: ([A-D])$", part, re.M)
                for name, part in zip(parts[1::2], parts[2::2])
            }
            out(sum(given.get(name) == [letter] for name, letter in key.items()) / len(key))
            """,
            key__txt="T1 D\nT2 A\nT3 C\n",
        ),
        "## T1\nbecause ...\nAnswer: D\n\n## T2\nbecause ...\nAnswer: A\n\n## T3\nbecause ...\nAnswer: C\n",
    ),
    "numbers with their units": (
        "Write `/app/motor.txt` with a line `name = value unit` for power, torque and speed.",
        py(
            """
            SCALES = {"work": {"kw": 1.0, "w": 0.001}, "turn": {"nm": 1.0}, "rate": {"rpm": 1.0}}
            DUE = {"power": (7.5, "work"), "torque": (48.2, "turn"), "speed": (1486.0, "rate")}
            good = 0
            for name, (due, kind) in DUE.items():
                found = re.findall(rf"^{name} = ([\\d.]+) (\\w+)$", text("motor.txt"), re.M)
                if len(found) == 1 and found[0][1].lower() in SCALES[kind]:
                    good += abs(float(found[0][0]) * SCALES[kind][found[0][1].lower()] - due) < 0.01 * due
            out(good / 3)
            """
        ),
        "power = 7.5 kw\ntorque = 48.2 nm\nspeed = 1486 rpm\n",
    ),
    "two points that a function compares": (
        "Write `/app/marks.csv` with the header `mark,north,east`, a row for each of Q1 and Q2.",
        py(
            """
            SHOTS = {"Q1": (10.0, 4), "Q2": (12.0, 6)}
            def end(length, slope):
                return length * 0.75, slope * 2.5
            def apart(p, q):
                (a, b), (c, d) = p, q
                return ((a - c) ** 2 + (b - d) ** 2) ** 0.5
            good = 0
            for row in table("marks.csv", ["mark", "north", "east"]):
                place = float(row[1]), float(row[2])
                good += apart(place, tuple(x + 5 for x in end(*SHOTS[row[0]]))) < 0.01
            out(good / 2)
            """
        ),
        "mark,north,east\nQ1,12.5,15.0\nQ2,14.0,20.0\n",
    ),
}


@pytest.mark.parametrize("name", TASKS)
def test_what_the_data_hold_is_the_right_answer(name: str, sandbox: Sandbox, tmp_path: Path) -> None:
    instruction, files, due = TASKS[name]
    task = load_task(write_task(tmp_path / "task", instruction=instruction, files={**files}))
    with Bench(task, sandbox, 2) as bench:
        found = recover(bench, 0.5)
    assert found is not None
    data, seen, _, _ = found
    assert seen.reward == 1.0
    if task.verifier.expected_output_path.endswith(".json"):
        assert json.loads(data) == json.loads(due)
    else:
        assert data.decode().strip() == due.strip()


def test_a_report_with_too_few_words_is_given_more(sandbox: Sandbox, tmp_path: Path) -> None:
    instruction = (
        "Write a report `/app/report.md`, at least 60 words below `## Findings`, this block at its end:\n\n"
        '```json\n{"loss_kw": 0.0, "grade": "..."}\n```\n'
    )
    files = py(
        """
        REF = {"loss_kw": 4.25, "grade": "B"}
        body = text("report.md")
        blocks = re.findall(r"```json\\n(.*?)```", body, re.S)
        try:
            given = json.loads(blocks[-1])
        except (ValueError, IndexError):
            given = {}
        long = "## Findings" in body and len(body.split("```")[0].split()) >= 60
        out(sum(given.get(name) == ref for name, ref in REF.items()) / 2 * (1 if long else 0.6))
        """
    )
    task = load_task(write_task(tmp_path / "task", instruction=instruction, files=files))
    with Bench(task, sandbox, 2) as bench:
        found = recover(bench, 0.5)
    assert found is not None
    assert found[1].reward == 1.0
    assert b"## Findings" in found[0]


def test_what_is_damaged_holds_nothing(tmp_path: Path) -> None:
    files = {
        "tests/test.sh": START,
        "tests/a.json": "{",
        "tests/b.csv": "",
        "tests/c.yaml": "a: [",
        "tests/d.sql": "INSERT INTO",
        "tests/e.txt": "\n# nothing\n",
    }
    task = load_task(write_task(tmp_path / "task", instruction="Write `/app/x.json`.", files=files))
    assert data_beside(task) == []


def test_names_of_digits_stay_texts() -> None:
    assert as_numbers([["007", "7"], {"a": "-1.5", "b": "1e3", "c": "x"}]) == [
        ["007", 7],
        {"a": -1.5, "b": 1000.0, "c": "x"},
    ]
