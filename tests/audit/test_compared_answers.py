"""A right answer of a task that has none: what its verifier was seen to compare an answer with."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from adjudge.audit.answers.recover import recover
from adjudge.audit.probes import Bench
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from support.task_folders import write_task

PYTHON = "#!/bin/bash\nexec python3 /tests/check.py\n"
WRITE = 'open("/logs/verifier/reward.txt", "w").write(str(float({})))\n'
READ = """
import json, math
try:
    got = json.load(open("/app/answer.json"))
except (OSError, ValueError):
    got = {}
"""


def py(code: str, reward: str) -> dict[str, str]:
    return {"tests/test.sh": PYTHON, "tests/check.py": f"{READ}{dedent(code)}\n{WRITE.format(reward)}"}


JSON_TASKS: dict[str, tuple[str, dict[str, str], Any]] = {
    "the first wrong value ends it": (
        'Write `/app/answer.json`: `{"void_ratio": .., "mass_g": .., "grade": ".."}`.',
        py(
            """
            def judge():
                volume, solid = 250.0, 162.5
                e = (volume - solid) / solid
                if not isinstance(got.get("void_ratio"), float) or abs(got["void_ratio"] - e) > 0.001:
                    return 0
                if abs(2.65 * solid - got.get("mass_g", 0)) > 0.5:
                    return 0
                return str(got.get("grade")).strip().lower() == "well graded"
            """,
            "judge()",
        ),
        {"void_ratio": 0.53846, "mass_g": 430.625, "grade": "well graded"},
    ),
    "whole numbers between two bounds": (
        'Write `/app/answer.json`: `{"seeds": .., "rows": ..}`.',
        py(
            """
            def fits(x, due):
                return type(x) is int and due * (1 - 0.01) <= x <= due * (1 + 0.01)
            right = [fits(got.get("seeds"), 12 * 150), fits(got.get("rows"), 36 // 3)]
            """,
            "all(right)",
        ),
        {"seeds": 1800, "rows": 12},
    ),
    "Python in a script, by isclose": (
        'Write `/app/answer.json`: `{"period_s": .., "length_m": ..}`.',
        {
            "tests/test.sh": "#!/bin/bash\npython3 - <<'END'\nfrom __future__ import annotations\n"
            + READ
            + "import math\nlength = 9.81 / 4\nperiod = 2 * math.pi * math.sqrt(length / 9.81)\n"
            + "good = [math.isclose(got.get(k, 0), v, rel_tol=0.01) for k, v in\n"
            + "        (('period_s', period), ('length_m', length))]\n"
            + WRITE.format("sum(good) / 2")
            + "END\n",
        },
        {"period_s": 3.14159, "length_m": 2.4525},
    ),
    "names of which one is shown": (
        'Wages of ana, bo and cy: `/app/answer.json`, name to euros, e.g. `{"ana": 120.0, ...}`.',
        py(
            """
            HOURS = {"ana": (8, 15.0), "bo": (6, 17.5), "cy": (3, 21.0)}
            right = sum(abs(v - HOURS[k][0] * HOURS[k][1]) < 0.01 for k, v in got.items() if k in HOURS)
            """,
            "right / max(1, len(got))",
        ),
        {"ana": 120.0, "bo": 105.0, "cy": 63.0},
    ),
    "records with a unit that the task names": (
        'Write `/app/answer.json` with `north` and `south`, each as `{"value": number, "unit": text}`. '
        "Unit is one of `km`, `mi`.",
        py(
            """
            DUE = {"north": 4 * 3.5, "south": 6 * 0.25}
            def same(one, due):
                factor = {"km": 1.0, "mi": 1.609344}.get(one.get("unit")) if isinstance(one, dict) else None
                return factor is not None and abs(one["value"] * factor - due) < 0.01
            """,
            "sum(same(got.get(k), v) for k, v in DUE.items()) / 2",
        ),
        {"north": {"value": 14.0, "unit": "km"}, "south": {"value": 1.5, "unit": "km"}},
    ),
    "a list of what is wrong": (
        "Which of K1, K2, K3, K4, K5 leak, and where? "
        '`/app/answer.json`: a list of `{"valve": "...", "where": "..."}`.',
        py(
            """
            LEAKING = {"K2", "K5"}
            told = {row.get("valve") for row in got if isinstance(row, dict) and row.get("where")}
            """,
            "told == LEAKING",
        ),
        [
            {"valve": "K2", "where": "as it was worked out above"},
            {"valve": "K5", "where": "as it was worked out above"},
        ],
    ),
    "a test case of unittest": (
        'Write `/app/answer.json`: `{"load_kn": .., "wood": ".."}`.',
        {
            "tests/test.sh": "#!/bin/bash\ncd /tests && python3 -m unittest -q check && r=1 || r=0\n"
            "echo $r > /logs/verifier/reward.txt\n",
            "tests/check.py": dedent(
                """
                import json, unittest
                class Beam(unittest.TestCase):
                    def setUp(self):
                        with open("/app/answer.json") as file:
                            self.given = json.load(file)
                    def test_load(self):
                        self.assertAlmostEqual(self.given["load_kn"], 9.81 * 2.5, places=2)
                    def test_wood(self):
                        self.assertEqual(self.given["wood"].lower(), " ".join(("red", "oak")))
                """
            ),
        },
        {"load_kn": 24.525, "wood": "red oak"},
    ),
    "names that only the verifier looks up, within bounds, and a list": (
        "Write `/app/answer.json` with the share, the word and the three steps.",
        py(
            """
            def judge():
                assert 0 < got["share"] < 1
                assert abs(got["share"] - 3 / 8) < 0.001
                assert got["word"] == "-".join("ab")
                assert len(got["steps"]) == 3
                for n, step in enumerate(got["steps"]):
                    assert abs(step - 2.5 ** n) < 0.01
                return 1
            def safely():
                try:
                    return judge()
                except (AssertionError, KeyError, TypeError):
                    return 0
            """,
            "safely()",
        ),
        {"share": 0.375, "word": "a-b", "steps": [1.0, 2.5, 6.25]},
    ),
    "an error of its own, which only has to be positive": (
        'Write `/app/answer.json`: `{"mass_g": 1.5, "error_g": 0.1}`.',
        py(
            """
            def agree(value, error, due):
                return error > 0 and abs(value - due) <= 2 * error
            """,
            "agree(got.get('mass_g', 0), got.get('error_g', 0), 7.5 ** 2)",
        ),
        {"mass_g": 56.25, "error_g": 1.0},
    ),
    "objects of a class that are equal": (
        'Write `/app/answer.json`: `{"wheel": {"teeth": 10, "width": 1.5}, "sum": 1.5}`.',
        py(
            """
            from dataclasses import dataclass
            @dataclass
            class Wheel:
                teeth: int
                width: float
            def right():
                try:
                    return Wheel(**got["wheel"]) == Wheel(6 * 7, 50 / 4)
                except (KeyError, TypeError):
                    return False
            """,
            "0.5 * right() + 0.5 * (abs(got.get('sum', 0) - 3.25) < 0.01)",
        ),
        {"wheel": {"teeth": 42, "width": 12.5}, "sum": 3.25},
    ),
    "a set of pairs of which shares are paid": (
        'Which of a1, b2, c3 and d4 touch? Write `/app/answer.json`: `{"pairs": [["a1", "b2"]]}`.',
        py(
            """
            DUE = {frozenset(text.split("~")) for text in ("b2~a1", "c3~d4", "a1~d4")}
            pairs = got.get("pairs") if isinstance(got.get("pairs"), list) else []
            told = {frozenset(pair) for pair in pairs if len(pair) == 2}
            """,
            "len(told & DUE) / len(told | DUE)",
        ),
        {"pairs": [["a1", "b2"], ["a1", "d4"], ["c3", "d4"]]},
    ),
    "records by names that are looked up": (
        'Write `/app/answer.json`, by tree: `{"yew": {"height": 1.5, "rings": 2}}`.',
        py(
            """
            import sqlite3
            rows = sqlite3.connect(":memory:").execute("values ('el' || 'm', 4.25, 31), ('oak', 7.5, 112)")
            right = 0
            for name, height, rings in rows:
                one = got.get(name)
                if isinstance(one, dict):
                    right += abs(one.get("height", 0) - height) < 0.01 and one.get("rings") == rings
            """,
            "right / 2",
        ),
        {"elm": {"height": 4.25, "rings": 31}, "oak": {"height": 7.5, "rings": 112}},
    ),
    "names in the order of a table": (
        'Write `/app/answer.json`, the lightest first: `{"order": ["fly", "ant"]}`.',
        py(
            """
            MASS = {"cow": 600, "hen": 2, "dog": 30, "cat": 4}
            order = got.get("order") or []
            steps = list(zip(order, order[1:])) if sorted(order) == sorted(MASS) else []
            """,
            "sum(MASS[a] < MASS[b] for a, b in steps) / 3",
        ),
        {"order": ["hen", "cat", "dog", "cow"]},
    ),
    "complex numbers as pairs": (
        "Write `/app/answer.json`: the roots, as a list of `[real, imaginary]` in any order.",
        py(
            """
            ROOTS = [1 + 2j, 1 - 2j, -3 + 0j]
            told = [complex(*pair) for pair in got] if isinstance(got, list) else []
            """,
            "len(told) == 3 and all(min(abs(a - b) for b in told) < 0.01 for a in ROOTS)",
        ),
        [[1.0, 2.0], [1.0, -2.0], [-3.0, 0.0]],
    ),
}


@pytest.mark.parametrize("name", JSON_TASKS)
def test_what_an_answer_is_compared_with_is_the_right_one(
    name: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    instruction, files, due = JSON_TASKS[name]
    task = load_task(write_task(tmp_path / "task", instruction=instruction, files={**files}))
    with Bench(task, sandbox, 2) as bench:
        found = recover(bench, 0.5)
    assert found is not None
    data, seen, _, _ = found
    assert seen.reward == 1.0
    assert _rounded(json.loads(data)) == due


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_rounded(child) for child in value]
    return round(value, 5) if isinstance(value, float) else value


TABLES = {
    "a row for each name of the verifier's": (
        "Write `/app/answer.csv` with the header `tree,volume_m3`, one line for each of oak, ash and fir.",
        {
            "tests/test.sh": PYTHON,
            "tests/check.py": dedent(
                """
                import csv
                TREES = {"oak": (0.5, 12), "ash": (0.4, 10), "fir": (0.3, 20)}
                good = 0
                try:
                    for row in csv.DictReader(open("/app/answer.csv")):
                        width, height = TREES[row["tree"]]
                        good += abs(float(row["volume_m3"]) - 0.4 * width ** 2 * height) < 0.01
                except (OSError, KeyError, ValueError, TypeError):
                    good = 0
                """
            )
            + WRITE.format("good / 3"),
        },
        "tree,volume_m3\noak,1.2\nash,0.64\nfir,0.72\n",
    ),
    "lines that a script works out": (
        "Write `/app/answer.csv` without a header, one line per step: `step,sum`, for the steps 1 to 3.",
        {
            "tests/test.sh": "#!/bin/bash\nsum=0 reward=1\nfor step in 1 2 3; do\n"
            "  sum=$((sum + step * step))\n"
            '  grep -Fxq -- "$step,$sum" /app/answer.csv || { reward=0; break; }\ndone\n'
            "echo $reward > /logs/verifier/reward.txt\n",
        },
        "1,1\n2,5\n3,14\n",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_rows_are_made_of_what_is_compared(name: str, sandbox: Sandbox, tmp_path: Path) -> None:
    instruction, files, due = TABLES[name]
    task = load_task(write_task(tmp_path / "task", instruction=instruction, files={**files}))
    with Bench(task, sandbox, 2) as bench:
        found = recover(bench, 0.5)
    assert found is not None
    numbers = [[_number(cell) for cell in line.split(",")] for line in found[0].decode().split()]
    assert numbers == [[_number(cell) for cell in line.split(",")] for line in due.split()]


def _number(cell: str) -> float | str:
    try:
        return round(float(cell), 5)
    except ValueError:
        return cell
