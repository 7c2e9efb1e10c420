"""`adjudge gate`: three outcomes, three exit codes, and the sentence that justifies each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.ledger import open_ledger
from support.command_line import run_adjudge
from support.report_ledgers import Rewards, entries, make


def ledger_of(path: Path, baseline: Rewards, candidate: Rewards) -> Path:
    make(path, baseline, experiment="base")
    with open_ledger(path) as ledger:
        ledger.record(entries(candidate, experiment="new"))
    return path


def gate(path: Path, *options: str) -> tuple[int, str, str]:
    done = run_adjudge(
        "gate", "--ledger", path, "--baseline", "base", "--candidate", "new", *options, COLUMNS="300"
    )
    return done.code, done.stdout, done.stderr


def alike(n: int, reward: float | None) -> Rewards:
    return {"ant": {f"t/{at:03}": [reward] for at in range(n)}}


def test_no_loss_on_enough_tasks_passes(tmp_path: Path) -> None:
    """200 differences of zero: the share that would differ is below 3.84/203.84 = 0.0188 < 0.02."""
    code, text, _ = gate(ledger_of(tmp_path / "p.db", alike(200, 0.5), alike(200, 0.5)))
    assert code == 0
    assert text.startswith("gate passed\nA loss of 0.02 or more is ruled out")


def test_a_loss_that_shows_is_a_regression(tmp_path: Path) -> None:
    code, text, _ = gate(ledger_of(tmp_path / "r.db", alike(10, 1.0), alike(10, 0.0)))
    assert code == 3
    assert "gate failed: the candidate regressed" in text
    assert "lower on 10" in text


def test_too_little_data_says_how_much_more_is_needed(tmp_path: Path) -> None:
    base: Rewards = {"ant": {"t/1": [1.0], "t/2": [0.5], "t/3": [0.0], "t/4": [1.0]}}
    new: Rewards = {"ant": {"t/1": [0.5], "t/2": [1.0], "t/3": [0.0], "t/4": [1.0]}}
    code, text, _ = gate(ledger_of(tmp_path / "u.db", base, new))
    assert code == 4
    assert "Too little data to tell" in text
    assert "To rule out a loss of 0.02, if there is none" in text


def test_a_broken_verifier_is_neither_a_pass_nor_a_regression(tmp_path: Path) -> None:
    """Under the zero policy it would look like the worst regression there is."""
    new = alike(10, 1.0)
    broken: Rewards = {"ant": {task: [None] if task > "t/001" else [1.0] for task in new["ant"]}}
    code, text, _ = gate(ledger_of(tmp_path / "b.db", alike(10, 1.0), broken))
    assert code == 4
    assert "8 machinery failures could decide it" in text


def test_no_shared_task_is_undecided(tmp_path: Path) -> None:
    code, text, _ = gate(ledger_of(tmp_path / "n.db", {"ant": {"a": [1.0]}}, {"ant": {"b": [1.0]}}))
    assert code == 4
    assert "share no task" in text


def test_an_unknown_name_is_the_caller_s_error(tmp_path: Path) -> None:
    path = ledger_of(tmp_path / "x.db", alike(2, 1.0), alike(2, 1.0))
    done = run_adjudge("gate", "--ledger", path, "--baseline", "base", "--candidate", "nwe")
    assert done.code == 2
    assert "no group is called so; found 'nwe'; allowed: base, new" in done.stderr


@pytest.mark.parametrize(
    ("new", "heading"),
    [(0.5, "### ✅ adjudge gate passed"), (0.0, "### ❌ adjudge gate failed: the candidate regressed")],
)
def test_markdown_for_a_pull_request(tmp_path: Path, new: float, heading: str) -> None:
    path = ledger_of(tmp_path / "m.db", alike(200, 0.5), alike(200, new))
    _, text, _ = gate(path, "--format", "md")
    assert text.startswith(f"{heading}\n")
    assert "| candidate new |" in text
    assert "| margin | 0.02 |" in text


def test_json_carries_the_exit_code(tmp_path: Path) -> None:
    path = ledger_of(tmp_path / "j.db", alike(10, 1.0), alike(10, 0.0))
    code, text, _ = gate(path, "--format", "json")
    found = json.loads(text)
    assert found["exit_code"] == code == 3
    assert found["verdict"]["outcome"] == "regressed"


def test_the_margin_is_checked(tmp_path: Path) -> None:
    path = ledger_of(tmp_path / "c.db", alike(2, 1.0), alike(2, 1.0))
    assert gate(path, "--margin", "-1")[0] == 2
