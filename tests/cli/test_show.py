"""`adjudge show`: one trial, its reviews beside the reward, its history."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.contracts import TrialRecord
from adjudge.ledger import open_ledger
from support.command_line import run_adjudge
from support.trial_samples import DIGEST_B, annotation, trial

ID = trial(4).record.trial_id


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """Trial 4 has reward 0.4; a mended verifier gives it 0.9, by its field `value`."""
    path = tmp_path / "ledger.db"
    with open_ledger(path) as opened:
        opened.record([trial(4), trial(5)])
        opened.annotate(ID, annotation("ada", "pass", reviewer_discipline="electrical", notes="\x1b[2Jfine"))
        opened.record([trial(4, reward=0.9, task_digest=DIGEST_B)])
        opened.annotate(ID, annotation("bob", "fail", categories=["unit"]))
        opened.annotate(ID, annotation("ada", "defer"))
    return path


def test_a_trial_and_its_reviews(ledger: Path) -> None:
    done = run_adjudge("show", ID, "--ledger", ledger)
    assert done.code == 0
    assert "reward 0.90" in done.stdout
    assert "circuits/task-4" in done.stdout
    assert "fail by bob" in done.stdout
    assert "DISAGREES with reward 0.9" in " ".join(done.stdout.split())
    assert "defer by ada" in done.stdout
    assert done.stdout.count("DISAGREES") == 1
    assert "\x1b" not in done.stdout


def test_the_beginning_of_an_id_is_enough(ledger: Path) -> None:
    assert (
        run_adjudge("show", ID[:8], "--ledger", ledger).stdout
        == run_adjudge("show", ID, "--ledger", ledger).stdout
    )
    many = run_adjudge("show", "t", "--ledger", ledger)
    assert (many.code, many.stdout) == (2, "")
    assert "more than one trial has an id that begins with this" in many.stderr
    none = run_adjudge("show", "zzz", "--ledger", ledger)
    assert none.code == 2
    assert "no trial has this id" in none.stderr


def test_the_history_names_the_field_that_moved(ledger: Path) -> None:
    """0.4 became 0.9 because `value` did; ada's first annotation is there as replaced."""
    done = run_adjudge("show", ID, "--history", "--ledger", ledger, COLUMNS="120")
    _, _, history = done.stdout.partition("history: 2 evaluations\n")
    lines = history.splitlines()
    assert "reward 0.9" in lines[0]
    assert f"task {DIGEST_B[:12]}" in lines[0]
    assert lines[1].strip() == "value: 0.4 to 0.9"
    assert lines[2].startswith("first")
    assert "reward 0.4" in lines[2]
    assert "pass by ada" in lines[3]
    assert lines[3].endswith("replaced since \\x1b[2Jfine")


def test_json(ledger: Path) -> None:
    one = run_adjudge("show", ID, "--json", "--ledger", ledger)
    record = TrialRecord.model_validate_json(one.stdout)
    assert record.evaluation.reward == 0.9
    assert [a.reviewer_id for a in record.evaluation.annotations or []] == ["bob", "ada"]
    all_of_them = run_adjudge("show", ID, "--json", "--history", "--ledger", ledger)
    assert [json.loads(line)["evaluation"]["reward"] for line in all_of_them.stdout.splitlines()] == [
        0.9,
        0.4,
    ]


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal(ledger: Path, width: int) -> None:
    done = run_adjudge("show", ID, "--history", "--ledger", ledger, COLUMNS=str(width))
    assert max(len(line) for line in done.stdout.splitlines()) <= width
