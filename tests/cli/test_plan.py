"""`adjudge plan`, and the gate and the run for who watches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.stats.planning.power import MOST_TASKS
from support.command_line import run_adjudge
from support.report_ledgers import TWO_AGENTS, make


def test_a_plan_from_assumptions_agrees_with_its_own_curve() -> None:
    found = json.loads(run_adjudge("plan", "--delta", "0.1", "--cost", "0.5", "--json").stdout)
    needed = found["plan"]["tasks_needed"]
    below = [p["power"] for p in found["curve"] if p["attempts"] == 1 and p["tasks"] < needed]
    above = [p["power"] for p in found["curve"] if p["attempts"] == 1 and p["tasks"] >= needed]
    assert max(below) < 0.8 <= min(above)
    assert found["cost"] == 0.5 * needed * 2


def test_a_plan_from_a_pilot_is_the_one_that_the_comparison_prints(tmp_path: Path) -> None:
    ledger = make(tmp_path / "a.db", TWO_AGENTS)
    plan = json.loads(run_adjudge("plan", "ant", "bee", "--ledger", ledger, "--json").stdout)
    compared = json.loads(run_adjudge("compare", "ant", "bee", "--ledger", ledger, "--json").stdout)
    assert plan["sides"] == ["ant", "bee"]
    assert plan["plan"] == compared["pairs"][0]["plan"]


def test_a_plan_can_be_for_a_gate_and_in_every_format(tmp_path: Path) -> None:
    for ending, begins in ((".md", "# A plan for passing a gate"), (".html", "<!doctype html>")):
        target = tmp_path / f"plan{ending}"
        assert run_adjudge("plan", "--margin", "0.05", "-o", target).code == 0
        assert target.read_text(encoding="utf-8").startswith(begins)
    shown = " ".join(run_adjudge("plan", "--margin", "0.05").stdout.split())
    assert "rule out a loss of 0.05 if there is none with 80 % power" in shown


def test_a_plan_without_a_goal_or_with_two_is_refused() -> None:
    assert "needs a difference to show" in run_adjudge("plan").stderr
    assert run_adjudge("plan", "--delta", "0.1", "--margin", "0.1").code == 2
    assert "a pilot has two sides" in run_adjudge("plan", "ant").stderr


def test_a_sequential_gate_decides_by_intervals_that_hold_at_every_look(tmp_path: Path) -> None:
    many = {f"t/{n}": [1.0] for n in range(200)}
    ledger = make(tmp_path / "a.db", {"old": {task: [0.2] for task in many}, "new": many})
    names = ("--by", "agent", "--baseline", "old", "--candidate", "new", "--ledger", ledger, "--sequential")
    done = run_adjudge("gate", *names, "--json")
    found = json.loads(done.stdout)
    assert (done.code, found["verdict"]["outcome"]) == (0, "pass")
    assert found["verdict"]["decided_after"] < 200
    shown = " ".join(run_adjudge("gate", *names).stdout.split())
    assert "Looking at any time has its price" in shown
    clustered = run_adjudge("gate", *names, "--cluster", "category")  # all tasks are of one: one draw
    assert clustered.code == 4
    assert "Not decided after all 200 tasks" in clustered.stdout


def test_a_sequential_gate_goes_on_while_tasks_of_the_baseline_are_missing(tmp_path: Path) -> None:
    ledger = make(tmp_path / "a.db", {"old": {f"t/{n}": [0.5] for n in range(50)}, "new": {"t/7": [0.0]}})
    names = ("--by", "agent", "--baseline", "old", "--candidate", "new", "--ledger", ledger)
    done = run_adjudge("gate", *names, "--sequential", "--json")
    assert done.code == 4
    assert json.loads(done.stdout)["verdict"]["watched"]["planned"] == 50


def test_a_sequential_gate_waits_for_all_attempts_at_a_task(tmp_path: Path) -> None:
    """A mean that still moves must not be bet on: without a plan, the baseline's attempts are the plan."""
    rewards = {
        "old": {f"t/{n}": [0.9, 0.9] for n in range(60)},
        "new": {f"t/{n}": [0.0] for n in range(60)},
    }
    ledger = make(tmp_path / "a.db", rewards)
    names = ("--by", "agent", "--baseline", "old", "--candidate", "new", "--ledger", ledger)
    done = run_adjudge("gate", *names, "--sequential")
    assert done.code == 4
    assert "60 tasks count only when all attempts are made" in " ".join(done.stdout.split())
    assert run_adjudge("gate", *names, "--sequential", "--attempts", "1").code == 3
    refused = run_adjudge("gate", *names, "--attempts", "1")
    assert refused.code == 2
    assert "--attempts goes with --sequential" in refused.stderr


@pytest.mark.parametrize(
    "option", [("--attempts", "3"), ("--rate", "0.2"), ("--spread", "0"), ("--cost", "1")]
)
def test_what_a_pilot_says_itself_is_refused(option: tuple[str, str]) -> None:
    done = run_adjudge("plan", "ant", "bee", *option)
    assert (done.code, f"{option[0]} means nothing for a plan from a pilot" in done.stderr) == (2, True)


@pytest.mark.parametrize("option", [("--cluster", "category"), ("--success", "1"), ("--agent", "ant")])
def test_what_only_a_pilot_can_have_is_refused_without_one(option: tuple[str, str]) -> None:
    done = run_adjudge("plan", "--delta", "0.1", *option)
    assert (done.code, "means nothing for a plan without a pilot" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("tasks", "attempts", "why"),
    [
        (5, [0.1, 0.9], "it takes 6 tasks to show anything at this level, whatever the rewards"),
        (12, [0.5], "no two attempts at a task differ, so all variance is taken to lie between tasks"),
        (12, [0.5, 0.6], "tasks differ too much"),
    ],
)
def test_a_plan_says_why_attempts_would_not_do(
    tmp_path: Path, tasks: int, attempts: list[float], why: str
) -> None:
    rewards = {
        "ant": {f"t/{n}": attempts for n in range(tasks)},
        "bee": {f"t/{n}": [(0.37 * n) % 1] * len(attempts) for n in range(tasks)},
    }
    done = run_adjudge("plan", "ant", "bee", "--delta", "0.1", "--ledger", make(tmp_path / "a.db", rewards))
    assert why in " ".join(done.stdout.split())


def test_a_difference_beyond_all_tasks_is_said_to_be(tmp_path: Path) -> None:
    assert MOST_TASKS == 10_000_000
    rewards = {
        "ant": {f"t/{n}": [0.1 * n] for n in range(8)},
        "bee": {f"t/{n}": [(0.37 * n) % 1] for n in range(8)},
    }
    ledger = make(tmp_path / "a.db", rewards)
    done = run_adjudge("plan", "ant", "bee", "--delta", "1e-7", "--ledger", ledger)
    shown = " ".join(done.stdout.split())
    assert (
        "To show a difference of 1e-07 with 80 % power, at level 95 %: no number of tasks up to ten" in shown
    )
