"""A right answer of a task that has none: tables in memory, names in pairs, tables and rows told in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit.answers.in_place import edited
from adjudge.audit.answers.recover import recover
from adjudge.audit.answers.rows import columns_told
from adjudge.audit.probes import Bench
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit
from audit.gallery.judged import assert_found, assert_in_peace
from audit.gallery.unbrought import UNBROUGHT, UNBROUGHT_SOUND
from audit.test_answers_of_data import py
from support.task_folders import write_task

TASKS: dict[str, tuple[str, dict[str, str], str]] = {
    "a table that is worked out in a database in memory": (
        "Sum up the hours by crew. Write `/app/hours.csv` with the header `crew,hours`, in any order.",
        py(
            """
            import sqlite3
            db = sqlite3.connect(":memory:")
            db.execute("CREATE TABLE shift (who TEXT, hours REAL)")
            db.executemany("INSERT INTO shift VALUES (?, ?)", [("red", 7.5), ("blue", 8), ("red", 6)])
            db.execute("CREATE TABLE due AS SELECT who AS crew, sum(hours) AS hours FROM shift GROUP BY who")
            due = {(crew, hours) for crew, hours in db.execute("SELECT * FROM due")}
            rows = table("hours.csv", ["crew", "hours"])
            out({(r[0], float(r[1])) for r in rows if len(r) == 2} == due)
            """
        ),
        "crew,hours\nblue,8.0\nred,13.5\n",
    ),
    "pairs of names": (
        "Which valves must not be open together? Write `/app/pairs.json`:\n\n```json\n"
        '{"pairs": [{"valves": ["V-1", "V-2"], "why": "pressure"}]}\n```\n',
        py(
            """
            KEY = {frozenset({"V-3", "V-9"}): "pressure", frozenset({"V-4", "V-7"}): "mixing"}
            rows = (doc("pairs.json") or {}).get("pairs") or []
            good = [r for r in rows if KEY.get(frozenset(r["valves"])) == r["why"]]
            out(len(good) == len(rows) == 2)
            """
        ),
        '{"pairs": [{"valves": ["V-3", "V-9"], "why": "pressure"}, '
        '{"valves": ["V-4", "V-7"], "why": "mixing"}]}',
    ),
    "a table in a note, whose columns are named": (
        "When are the tanks T1, T2 and T3 full? Write a note to `/app/note.md` with a table with the "
        "columns\n`Tank`, `Full on` and `Litres`.",
        py(
            """
            from datetime import date, timedelta
            FULL = {f"T{n + 1}": date(2026, 3, 1) + timedelta(days=9 * n) for n in range(3)}
            rows = [[c.strip() for c in line.strip("| ").split("|")] for line in text("note.md").splitlines()]
            right = 0.0
            if rows and [cell.lower() for cell in rows[0]] == ["tank", "full on", "litres"]:
                for name, day in FULL.items():
                    mine = [row for row in rows if row[0] == name]
                    if len(mine) == 1:
                        right += mine[0][1] == day.isoformat()
                        right += abs(float(mine[0][2]) - 40 * day.day) < 0.5
            out(right / 6)
            """
        ),
        "| Tank | Full on | Litres |\n| --- | --- | --- |\n| T1 | 2026-03-01 | 40 |\n"
        "| T2 | 2026-03-10 | 400 |\n| T3 | 2026-03-19 | 760 |\n",
    ),
    "names of which the example shows one, and nothing where nothing is due": (
        "Write `/app/doses.json`:\n\n```json\n"
        '{"weight_kg": 0.0, "drugs": [{"name": "iron", "dose_mg": 0, "every_h": 24}]}\n```\n\n'
        "A drug that is stopped has null for both.",
        py(
            """
            KEY = {"iron": (80, 24), "zinc": (None, None), "folate": (5, 12)}
            answer = doc("doses.json") or {}
            rows = {r["name"]: (r["dose_mg"], r["every_h"]) for r in answer.get("drugs", [])}
            weighs = abs(answer.get("weight_kg", 0.0) - 23.4 * 2.5) < 0.01
            out((weighs + sum(rows.get(name) == due for name, due in KEY.items())) / 4)
            """
        ),
        '{"weight_kg": 58.5, "drugs": [{"name": "iron", "dose_mg": 80, "every_h": 24}, '
        '{"name": "zinc", "dose_mg": null, "every_h": null}, '
        '{"name": "folate", "dose_mg": 5, "every_h": 12}]}',
    ),
    "objects by names of which the example shows a real one": (
        'Write `/app/sums.json`:\n\n    {"total": 0, "by_hall": {"east": {"boxes": 0, "full": 0}}}\n',
        py(
            """
            boxes = {"east": [3, 9, 4], "west": [8, 2], "yard": [7]}
            answer = doc("sums.json") or {}
            halls = answer.get("by_hall") if isinstance(answer.get("by_hall"), dict) else {}
            marks = [answer.get("total") == sum(map(sum, boxes.values()))]
            for name in sorted(boxes):
                hall = halls.get(name) or {}
                due = {"boxes": len(boxes[name]), "full": sum(boxes[name])}
                marks.append(all(hall.get(k) == v for k, v in due.items()))
            out(sum(marks) / 4)
            """
        ),
        '{"total": 33, "by_hall": {"east": {"boxes": 3, "full": 16}, "west": {"boxes": 2, "full": 10}, '
        '"yard": {"boxes": 1, "full": 7}}}',
    ),
}


@pytest.mark.parametrize("name", TASKS)
def test_a_right_answer_is_put_together(name: str, sandbox: Sandbox, tmp_path: Path) -> None:
    instruction, files, right = TASKS[name]
    task = load_task(write_task(tmp_path / "task", instruction=instruction, files=files))
    with Bench(task, sandbox, 2) as bench:
        [seen] = bench.run([bench.answer("right", "the right answer", right.encode())])
        assert seen.reward == 1.0
        found = recover(bench, 0.5)
    assert found is not None
    assert found[1].reward == 1.0


@pytest.mark.parametrize(
    ("told", "names"),
    [
        ("a table with the columns `Room`, `Net area` and `Use`", ["Room", "Net area", "Use"]),
        ("Write `a.csv` with the columns tag, dn and use.", ["tag", "dn", "use"]),
        ("The columns are a and b.", ["a", "b"]),
        ("with the columns `Tank`, `Full on` (YYYY-MM-DD) and `Litres`", ["Tank", "Full on", "Litres"]),
        ("Round columns to the kilo.", []),
        ("The column of water stands at 3 m.", []),
    ],
)
def test_columns_are_told_in_words(told: str, names: list[str]) -> None:
    assert [list(columns.kinds) for columns in columns_told(told)] == ([names] if names else [])


def test_settings_are_set_in_the_file_that_is_given() -> None:
    given = "# a\nport = 1\n\n[store]\nkind = memory\n\n[log]\nlevel = info\n"
    wanted = {"port": 2, "store": {"kind": "disk", "most_mb": 64}, "log": {"level": "warn"}, "name": "x"}
    [(source, made)] = edited(given, [("w.json", "the data", wanted)])
    assert source == "the data of tests/w.json"
    assert made.decode() == (
        "# a\nport = 2\n\n[store]\nkind = disk\nmost_mb = 64\n\n[log]\nlevel = warn\nname = x\n"
    )
    assert list(edited(given, [("w.json", "the data", {"other": 1})])) == []


@pytest.mark.parametrize("exhibit", UNBROUGHT, ids=str)
def test_a_flaw_is_found_around_it(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> None:
    assert_found(exhibit, sandbox, tmp_path)


@pytest.mark.parametrize("exhibit", UNBROUGHT_SOUND, ids=str)
def test_its_neighbour_is_left_in_peace(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> None:
    assert assert_in_peace(exhibit, sandbox, tmp_path).answer is not None
