"""`adjudge report`: its formats, its options, what it says when it cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.ledger import open_ledger
from adjudge.reports import Report
from support.command_line import run_adjudge
from support.report_ledgers import TWO_AGENTS, make
from support.trial_samples import trial


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return make(tmp_path / "ledger.db", TWO_AGENTS)


def test_json_is_the_report_and_nothing_else(ledger: Path) -> None:
    done = run_adjudge("report", "--ledger", ledger, "--format", "json")
    assert done.code == 0
    assert done.stderr == ""
    assert Report.model_validate_json(done.stdout).groups[0].reward.value == 0.8125


@pytest.mark.parametrize(
    ("ending", "begins"),
    [("md", "# adjudge report"), ("html", "<!doctype html>"), ("json", "{"), ("txt", "16")],
)
def test_the_ending_of_the_file_is_the_format(ledger: Path, tmp_path: Path, ending: str, begins: str) -> None:
    target = tmp_path / f"report.{ending}"
    done = run_adjudge("report", "--ledger", ledger, "-o", target)
    assert done.code == 0
    assert done.stdout == ""
    assert target.read_text(encoding="utf-8").startswith(begins)


def test_twice_the_same_is_twice_the_same_bytes(ledger: Path) -> None:
    pages = {run_adjudge("report", "--ledger", ledger, "--format", "html").stdout for _ in range(2)}
    assert len(pages) == 1


def test_a_filter_narrows_and_is_said(ledger: Path) -> None:
    done = run_adjudge("report", "--ledger", ledger, "--task", "a/*", "--agent", "ant")
    assert done.stdout.startswith("4 trials · 2 tasks · 1 agent")
    assert "Only trials with agent ant, task a/*." in done.stdout


def test_pass_at_k_and_success_are_options(ledger: Path) -> None:
    done = run_adjudge(
        "report", "--ledger", ledger, "--k", "1", "--k", "2", "--success", "0.5", "--format", "json"
    )
    passes = [p["name"] for p in json.loads(done.stdout)["groups"][0]["passes"]]
    assert passes == ["pass rate", "pass@2", "pass^2"]


def test_k_beyond_the_attempts_is_undefined_with_the_reason(ledger: Path) -> None:
    done = run_adjudge("report", "--ledger", ledger, "--k", "5", COLUMNS="120")
    assert "no task has 5 attempts; the most is 2" in done.stdout


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--level", "1.5"), "--level: too large; found 1.5; allowed: less than 1"),
        (("--success", "0"), "--success: too small"),
        (("--group-by", "colour"), "cannot group by this; found 'colour'"),
        (("--cluster", "colour"), "cannot cluster by this; found 'colour'"),
    ],
)
def test_what_cannot_be_is_an_error_of_the_caller(ledger: Path, options: tuple[str, str], says: str) -> None:
    done = run_adjudge("report", "--ledger", ledger, *options)
    assert done.code == 2
    assert says in done.stderr


def test_a_place_that_cannot_be_written_is_said(ledger: Path, tmp_path: Path) -> None:
    done = run_adjudge("report", "--ledger", ledger, "-o", tmp_path / "nowhere" / "report.html")
    assert done.code == 2
    assert "--output: this folder does not exist" in done.stderr


def test_a_grouping_with_too_many_values_is_refused(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.reports.building.report.MOST_GROUPS", 1)
    done = run_adjudge("report", "--ledger", ledger)
    assert done.code == 2
    assert "2 groups are more than anybody reads" in done.stderr


def test_an_empty_filter_is_no_error(ledger: Path) -> None:
    done = run_adjudge("report", "--ledger", ledger, "--task", "nowhere/*")
    assert done.code == 0
    assert "No trial matches" in done.stdout


def test_a_task_in_two_clusters_is_refused_with_a_remedy(ledger: Path) -> None:
    with open_ledger(ledger) as opened:
        opened.record([trial(800 + n, task_id="x/1", metadata={"seed": n}) for n in range(2)])
    done = run_adjudge("report", "--ledger", ledger, "--cluster", "metadata.seed")
    assert done.code == 2
    assert "a task lies in two clusters" in done.stderr


def test_many_trials_are_reported_without_their_documents_and_it_says_so(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adjudge.reports.building.documents.MOST_READ", 10)
    done = run_adjudge("report", "--ledger", ledger, COLUMNS="200")
    assert (
        "16 trials are more than 10, so their breakdowns were not read; --fields reads them all"
        in done.stdout
    )
    assert "mean share of maximum" in run_adjudge("report", "--ledger", ledger, "--fields").stdout
