"""`adjudge trials`: the list, its filters, its order, its JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.contracts import TrialRecord
from adjudge.ledger import open_ledger
from support.command_line import run_adjudge
from support.trial_samples import annotation, trial


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with open_ledger(path) as opened:
        opened.record([trial(n) for n in range(12)])
        opened.record([trial(50, experiment="evil", agent_name="\x1b[31mred\u202e", task_id="a\nb")])
        opened.annotate(trial(4).record.trial_id, annotation("ada", "pass"))  # reward 0.4: a disagreement
        opened.annotate(trial(9).record.trial_id, annotation("ada", "pass"))  # reward 0.9: none
    return path


def test_the_table(ledger: Path) -> None:
    """Newest first, one line each, a count at the end; what agents wrote cannot steer the terminal."""
    done = run_adjudge("trials", "--ledger", ledger, COLUMNS="100")
    lines = done.stdout.splitlines()
    assert done.code == 0
    assert lines[0].split() == ["trial", "reward", "outcome", "task", "agent", "review"]
    assert len(lines) == 1 + 13 + 1
    assert lines[-1] == "13 trials"
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
    assert lines[1].startswith(
        trial(50, experiment="evil", agent_name="\x1b[31mred\u202e", task_id="a\nb").record.trial_id[:13]
    )


@pytest.mark.parametrize("width", [40, 60, 80, 100, 130, 200])
def test_no_line_is_wider_than_the_terminal(ledger: Path, width: int) -> None:
    for options in ([], ["--limit", "3", "--page", "2"]):
        done = run_adjudge("trials", "--ledger", ledger, *options, COLUMNS=str(width))
        assert max(len(line) for line in done.stdout.splitlines()) <= width


def test_disagreement_is_marked_in_the_list_and_can_be_asked_for(ledger: Path) -> None:
    done = run_adjudge("trials", "--ledger", ledger, "--disagreement")
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("t") and "0.4" in line]
    assert "0.4 !" in line
    assert done.stdout.endswith("1 trial\n")
    annotated = run_adjudge("trials", "--ledger", ledger, "--annotated").stdout
    assert annotated.endswith("2 trials\n")
    assert run_adjudge("trials", "--ledger", ledger, "--disagreement", "--threshold", "0.95").stdout.endswith(
        "2 trials\n"
    )


def test_json_is_one_record_a_line_and_nothing_else(ledger: Path) -> None:
    done = run_adjudge("trials", "--ledger", ledger, "--json", "--experiment", "first", "--sort", "oldest")
    records = [TrialRecord.model_validate_json(line) for line in done.stdout.splitlines()]
    assert [r.trial_id for r in records] == [trial(n).record.trial_id for n in range(12)]
    assert records[4].evaluation.annotations == [annotation("ada", "pass")]
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (["--agent", "agent-1"], 4),
        (["--agent", "agent-1", "--agent", "agent-2"], 8),
        (["--task", "circuits/*"], 12),
        (["--min-reward", "0.25", "--max-reward", "0.45"], 2),
        (["--model", "model-1", "--limit", "3"], 3),
        (["--unparseable"], 0),
        (["--outcome", "wrong"], 2),  # trials 0 and 11 have reward 0
        (["--reviewer", "ada"], 2),
        (["--since", "2026-03-01T12:00:05+00:00", "--until", "2026-03-01T12:00:09"], 4),
        (["--not-annotated", "--experiment", "evil"], 1),
        (["--tag", "no such"], 0),
    ],
)
def test_filters(ledger: Path, options: list[str], count: int) -> None:
    done = run_adjudge("trials", "--ledger", ledger, "--json", *options)
    assert (done.code, len(done.stdout.splitlines())) == (0, count)


def test_sorted_by_reward(ledger: Path) -> None:
    done = run_adjudge("trials", "--ledger", ledger, "--json", "--sort=-reward", "--limit", "2")
    assert [json.loads(line)["evaluation"]["reward"] for line in done.stdout.splitlines()] == [1.0, 0.9]


def test_an_empty_list_says_what_there_is(ledger: Path, tmp_path: Path) -> None:
    done = run_adjudge("trials", "--ledger", ledger, "--experiment", "typo")
    assert (done.code, done.stdout) == (0, "")
    assert "no experiment is named typo. The experiments are: evil (1), first (12)" in done.stderr
    open_ledger(tmp_path / "empty.db").close()
    assert "holds no trials yet" in run_adjudge("trials", "--ledger", tmp_path / "empty.db").stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--ledger", "no/such.db"], "there is no ledger here"),
        (["--min-reward", "2"], "--min-reward: too large; found 2.0; allowed: at most 1.0"),
        (["--since", "yesterday"], "this is no date or time"),
        (["--ledger", "mysql://h/d"], "cannot hold a ledger"),
    ],
)
def test_wrong_usage_is_said_in_a_sentence(ledger: Path, options: list[str], said: str) -> None:
    done = run_adjudge("trials", *([] if "--ledger" in options else ["--ledger", ledger]), *options)
    assert done.code in (1, 2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
