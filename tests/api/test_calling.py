"""What the commands do can be called: run, report, compare, gate and audit, on real parts."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import adjudge
from adjudge.audit import Audit, FailedAudit, Section
from support.run_folders import echo_task, write_manifest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ADJUDGE_LEDGER", raising=False)
    echo_task(tmp_path / "tasks" / "echo")
    write_manifest(tmp_path, 6)
    return tmp_path


def test_a_run_is_asked_about_in_every_way(home: Path) -> None:
    """A path, an open ledger and the default place are the same ledger; an open one stays open."""
    tally = adjudge.run("manifest.jsonl", experiment="x", workers=2)
    assert (tally.recorded, tally.bad_rows, tally.total) == (6, [], 6)
    again = adjudge.run(home / "manifest.jsonl", experiment="x", ledger=home / "adjudge.db")
    assert (again.recorded, again.already) == (0, 6)
    with adjudge.open_ledger() as book:
        report = adjudge.report(book, where=adjudge.TrialFilter(agent=("a0",)))
        assert (report.trials, len(report.groups)) == (2, 1)
        compared = adjudge.compare("a1", "a0", ledger=book)
        assert compared.pairs[0].comparison.difference.value == pytest.approx(0.1)
        assert book.info().trials == 6
    choices = adjudge.Choices(group_by="agent")
    assert adjudge.gate("a0", "a1", ledger="adjudge.db", choices=choices).candidate.startswith("a1")


def test_what_cannot_be_asked_is_refused_with_its_parts(home: Path) -> None:
    with pytest.raises(adjudge.LedgerError) as refused:
        adjudge.report(home / "none.db")
    assert refused.value.problem.file == str(home / "none.db")
    assert not (home / "none.db").exists()
    adjudge.run("manifest.jsonl", experiment="x")
    with pytest.raises(adjudge.UsageError, match="takes no names"):
        adjudge.compare("a0", rescored=True)
    with pytest.raises(adjudge.UsageError, match="must be named"):
        adjudge.run(home / "outputs", experiment="x")


def test_audit_is_a_folder_of_code_that_can_be_called(home: Path) -> None:
    broken = home / "tasks" / "broken"
    (broken / "tests").mkdir(parents=True)
    (broken / "instruction.md").write_text("Write /workspace/a.json.")
    results = adjudge.audit("tasks", sections=["goldens"], workers=2)
    assert [result.task_id for result in results] == ["broken", "echo"]
    assert isinstance(results[0], FailedAudit)
    assert isinstance(results[1], Audit)
    assert importlib.import_module("adjudge.audit").Section is Section
    with pytest.raises(adjudge.UsageError, match="needs a sandbox"):
        adjudge.audit("tasks", sandbox="unisolated")
