"""`adjudge run --watch`: where a run stands, and an end as soon as a comparison is decided."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.cli.shared.watch import Watch
from adjudge.ledger import open_ledger
from adjudge.runs import find_rows
from adjudge.runs.manifest import ManifestRow
from adjudge.stats import fixed_order
from support.command_line import run_adjudge
from support.report_ledgers import make
from support.run_folders import echo_task

TASKS = 40


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """40 tasks, and outputs that earn 1.0 (`good.jsonl`) or nothing (`bad.jsonl`) at each of them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ADJUDGE_LEDGER", raising=False)
    for name, reward in (("good", 1.0), ("bad", 0.0)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"r": reward}))
        rows = [{"task": f"tasks/t{n:02}", "output": f"{name}.json", "agent": "ant"} for n in range(TASKS)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for n in range(TASKS):
        echo_task(tmp_path / f"tasks/t{n:02}")
    return tmp_path


def run(manifest: str, experiment: str, *options: str) -> tuple[int, str]:
    done = run_adjudge("run", manifest, "--tasks", "tasks", "--experiment", experiment, *options)
    return done.code, done.stdout + done.stderr


def test_a_wrong_baseline_is_refused_before_anything_is_scored(home: Path) -> None:
    run("good.jsonl", "old")
    for name, says in (("odl", "no experiment of this ledger is called so"), ("new", "its own baseline")):
        code, text = run("bad.jsonl", "new", "--watch", "--baseline", name)
        assert code == 2
        assert says in text
        assert "old" in text or name == "new"
    with open_ledger("adjudge.db") as ledger:
        assert list(ledger.info().experiments) == ["old"]
    assert "--baseline goes with --watch" in run("bad.jsonl", "new", "--baseline", "old")[1]


def test_a_watched_run_says_where_it_stands_and_what_it_lost(home: Path) -> None:
    run("good.jsonl", "old")
    code, text = run("bad.jsonl", "new", "--watch", "--baseline", "old", "--margin", "0.05")
    assert code == 0, text
    assert "watched: minus old -1.000 [" in text
    assert "the sequential gate is decided" in text
    code, text = run("good.jsonl", "again", "--watch")
    assert "watched: mean 1.000 [" in text
    assert f"after {TASKS} of {TASKS} tasks" in text


def test_tasks_are_scored_in_the_order_in_which_they_count(home: Path) -> None:
    """Else a task at the head of the order might be scored last, and nothing could be decided before."""
    rows = find_rows("good.jsonl", "tasks")
    watch = Watch(None, "new", rows.attempts(), None, 0.02)
    assert watch.order == fixed_order([f"t{n:02}" for n in range(TASKS)])
    named = [row.task for row in rows.in_order_of(watch.order) if isinstance(row, ManifestRow)]
    assert [Path(folder).name for folder in named] == watch.order


def test_a_task_counts_when_it_has_all_its_attempts(home: Path) -> None:
    run("good.jsonl", "new")
    planned = {f"t{n:02}": 2 if n == 3 else 1 for n in range(TASKS)}
    watch = Watch("adjudge.db", "new", planned, None, 0.02)
    watch.look()
    assert f"after {watch.order.index('t03')} of {TASKS} tasks" in watch.said


def test_a_run_of_some_of_the_baseline_s_tasks_waits_for_no_others(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    make(path, {"ant": {f"t{n:02}": [1.0] for n in range(TASKS)}}, experiment="old")
    make(path, {"ant": {f"t{n:02}": [0.5] for n in range(10)}}, experiment="new")
    watch = Watch(str(path), "new", {f"t{n:02}": 1 for n in range(10)}, "old", 0.02)
    watch.look()
    assert "after 10 of 10 tasks" in watch.said


def test_tasks_in_clusters_are_not_watched_as_if_they_were_independent(tmp_path: Path) -> None:
    path, planned = tmp_path / "a.db", {f"t{n:02}": 1 for n in range(TASKS)}
    for name, reward in (("old", 1.0), ("new", 0.0)):
        rewards = {"ant": {task: [reward] for task in planned}}
        make(path, rewards, experiment=name, metadata={"cluster": "one"})
    watch = Watch(str(path), "new", planned, "old", 0.02)
    watch.look()
    assert f"after {TASKS} of {TASKS} tasks" in watch.said
    assert not watch.decided  # one cluster is one draw, however many tasks it has
    watch = Watch(str(path), "new", {**planned, "later": 1}, None, 0.02)
    watch.look()
    assert "Compare with a baseline that has trials of the same tasks" in watch.said


def test_clusters_are_those_that_the_baseline_names(tmp_path: Path) -> None:
    """Each cluster counts when its two tasks are there; what the candidate's trials say does not matter."""
    path, planned = tmp_path / "a.db", {f"t{n:02}": 1 for n in range(TASKS)}
    for task in planned:
        make(
            path, {"ant": {task: [1.0]}}, experiment="old", metadata={"cluster": f"pair {int(task[1:]) // 2}"}
        )
    make(path, {"ant": {task: [0.0] for task in planned}}, experiment="new", metadata={"cluster": "one"})
    watch = Watch(str(path), "new", planned, "old", 0.02)
    watch.look()
    assert watch.decided
    make(path, {"ant": {"t00": [0.0]}}, experiment="half")
    watch = Watch(str(path), "half", planned, "old", 0.02)
    watch.look()
    assert not watch.decided
    assert watch.said == ""
