"""Importing again adds only what is new; a newer result is another evaluation, and the older one stays."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from adjudge.errors import UsageError
from adjudge.integrations.harbor import import_jobs
from adjudge.ledger import open_ledger
from adjudge.runs import read_ahead
from integrations.harbor_jobs import FIXTURES, bring, copy_job, trial_of
from support.helper_processes import wait_for_helpers


def test_twice_adds_nothing(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db") as ledger:
        first = import_jobs(ledger, [FIXTURES], experiment="all")
        before = [record.model_dump_json() for record in ledger.iterate()]
        second = import_jobs(ledger, [FIXTURES], experiment="all")
        after = [record.model_dump_json() for record in ledger.iterate()]
    assert first.trials == len(before)
    assert (second.trials, second.evaluations, second.already) == (0, 0, first.seen)
    assert before == after


def test_a_moved_job_is_the_same_job(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db") as ledger:
        bring(ledger, "oracle")
        moved = copy_job("oracle", tmp_path).rename(tmp_path / "elsewhere")
        summary = import_jobs(ledger, [moved], experiment="test")
    assert (summary.trials, summary.already) == (0, 6)


def test_a_trial_that_finished_meanwhile(tmp_path: Path) -> None:
    """Imported while it ran, then again: one trial, two evaluations, the newer one counts."""
    job = copy_job("oracle", tmp_path)
    result = trial_of(job, "with-details") / "result.json"
    finished = result.read_bytes()
    result.unlink()
    with open_ledger(tmp_path / "ledger.db") as ledger:
        import_jobs(ledger, [job])
        result.write_bytes(finished)
        summary = import_jobs(ledger, [job])
        assert (summary.trials, summary.evaluations, summary.already) == (0, 1, 5)
        assert import_jobs(ledger, [job]).already == 6
        histories = [ledger.history(record.trial_id) for record in ledger.iterate()]
    (twice,) = [history for history in histories if len(history) == 2]
    assert [record.evaluation.reward for record in twice] == [1.0, 0.0]
    assert len(histories) == 6


def test_a_regrade_is_another_evaluation_of_its_source(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db") as ledger:
        summary = bring(ledger, "regraded", "separate")
        assert (summary.trials, summary.evaluations) == (1, 1)
        (record,) = ledger.iterate()
        history = ledger.history(record.trial_id)
        assert bring(ledger, "regraded").already == 1
    assert len(history) == 2
    (tag,) = history[0].evaluation.error_taxonomy or []
    source = json.loads((trial_of(FIXTURES / "separate", "separate") / "result.json").read_text())
    assert tag.category == "harbor: regrade"
    assert source["id"] in (tag.description or "")


def test_a_regrade_alone_keeps_its_provenance(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db") as ledger:
        bring(ledger, "regraded")
        (record,) = ledger.iterate()
    assert record.metadata["harbor"]["regrade_of"]["action"] == "regrade"


def test_attempts_go_on_counting_through_jobs(tmp_path: Path) -> None:
    """Two attempts in a job; the same job under another id brings attempts 3 and 4."""
    again = copy_job("oracle", tmp_path)
    for file in again.rglob("*.json"):
        document = file.read_text()
        job_id = json.loads((FIXTURES / "oracle" / "result.json").read_text())["id"]
        file.write_text(document.replace(job_id, "00000000-0000-0000-0000-000000000001"))
    with open_ledger(tmp_path / "ledger.db") as ledger:
        bring(ledger, "oracle")
        assert import_jobs(ledger, [again], experiment="test").trials == 6
        attempts = sorted(r.attempt for r in ledger.iterate() if r.task_id == "with-details")
    assert attempts == [1, 2, 3, 4]


def test_other_processes_read_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With workers and without: the same records, to the byte."""
    monkeypatch.setattr(read_ahead, "CHUNK", 7)
    monkeypatch.setattr(read_ahead, "ALONE", 7)
    wait_for_helpers(monkeypatch)
    found = []
    for workers in (0, 2):
        with open_ledger(tmp_path / f"{workers}.db") as ledger:
            import_jobs(ledger, [FIXTURES / "rewards"], workers=workers)
            found.append([record.model_dump_json() for record in ledger.iterate()])
    assert found[0] == found[1]
    assert len(found[0]) > 50


def test_copies_that_are_no_trials_are_passed_over(tmp_path: Path) -> None:
    job = copy_job("oracle", tmp_path)
    for place in ("_retries", ".sources"):
        shutil.copytree(trial_of(job, "with-details"), job / place / "with-details__copied")
        shutil.copytree(trial_of(job, "with-details"), job / place, dirs_exist_ok=True)
    with open_ledger(tmp_path / "ledger.db") as ledger:
        assert import_jobs(ledger, [job]).seen == 6


def test_beside_a_jobs_log_the_least_mark_makes_a_trial(tmp_path: Path) -> None:
    """Killed before it made its folders, or thinned out by hand: it is a trial all the same."""
    job = copy_job("oracle", tmp_path)
    (job / "begun").mkdir()
    (job / "begun" / "config.json").write_text("{}")
    (job / "notes").mkdir()
    with open_ledger(tmp_path / "ledger.db") as ledger:
        assert import_jobs(ledger, [job]).trials == 7


def test_a_single_trial(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db") as ledger:
        summary = import_jobs(ledger, [trial_of(FIXTURES / "oracle", "with-ctrf")], experiment="test")
        assert summary.trials == 1
        assert bring(ledger, "oracle").trials == 5


def test_no_job_is_said(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db") as ledger, pytest.raises(UsageError, match="no Harbor job"):
        import_jobs(ledger, [tmp_path])
