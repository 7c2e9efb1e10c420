"""Trials that people and the verifier disagree about: tried again, and kept as goldens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.audit import Cause, Section, audit_task, field_goldens, learn, store_audit
from adjudge.errors import UsageError
from adjudge.ledger import Ledger, TrialFilter, open_ledger
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build, markdown
from support.command_line import run_adjudge
from support.trial_samples import annotation

RIGHT = {"flow_m3s": 12.54, "head_loss_m": 3.271, "status": "compliant"}


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    """A task whose verifier looks for a word, and two outputs of an agent: one right, one that denies it."""
    words = 'write({"status": float("compliant" in text()), "flow": float("12.54" in text())})\n'
    build(Exhibit("words", words), tmp_path / "tasks")
    outputs = {"right": markdown(RIGHT), "wrong": "It is not compliant, and 12.54 is wrong.\n"}
    rows = []
    for name, text in outputs.items():
        (tmp_path / f"{name}.md").write_text(text)
        rows.append({"task": "tasks/words", "output": f"{name}.md", "agent": name})
    (tmp_path / "manifest.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    book, rows_file = tmp_path / "book.db", tmp_path / "manifest.jsonl"
    done = run_adjudge("run", rows_file, "-e", "first", "--tasks", tmp_path / "tasks", "--ledger", book)
    assert done.code == 0, done.stderr
    return tmp_path


def trial_of(ledger: Ledger, agent: str) -> str:
    [record] = ledger.iterate(TrialFilter(agent=agent))
    return record.trial_id


def test_what_reviewers_fail_becomes_a_probe(benchmark: Path, sandbox: Sandbox) -> None:
    task = load_task(benchmark / "tasks" / "words")
    with open_ledger(str(benchmark / "book.db"), create=False) as ledger:
        assert field_goldens(ledger, task) == []
        wrong = trial_of(ledger, "wrong")
        ledger.annotate(wrong, annotation(judgment="fail"))
        ledger.annotate(trial_of(ledger, "right"), annotation(judgment="pass"))
        [golden] = field_goldens(ledger, task)
        assert (golden.trial_id, golden.kind, golden.was) == (wrong, "fail", 1.0)
        certificate = audit_task(task, sandbox, sections=[Section.GOLDENS], learned=[golden]).certificate
        [found] = [f for f in certificate.findings if f.cause == Cause.PEOPLE]
        assert found.probe == f"goldens/field/{wrong[:12]}"
        kept = learn(ledger, task, wrong, None)
    assert kept == task.folder / "goldens" / "fail" / f"field-{wrong[:12]}.md"
    assert kept.read_text() == (benchmark / "wrong.md").read_text()


def test_a_trial_that_nobody_looked_at_is_not_learned_by_itself(benchmark: Path) -> None:
    task = load_task(benchmark / "tasks" / "words")
    with open_ledger(str(benchmark / "book.db"), create=False) as ledger:
        right = trial_of(ledger, "right")
        with pytest.raises(UsageError, match="nobody says whether this trial is right"):
            learn(ledger, task, right, None)
        assert learn(ledger, task, right, "pass").parent.name == "pass"


def test_a_report_prints_what_trivial_agents_earn(benchmark: Path, sandbox: Sandbox) -> None:
    """From the certificate of the task; without one it says so."""
    book = benchmark / "book.db"
    before = run_adjudge("report", "--ledger", book, "--baselines")
    assert "No base lines" in " ".join(before.stdout.split())
    task = load_task(benchmark / "tasks" / "words")
    with open_ledger(str(book), create=False) as ledger:
        store_audit(ledger, audit_task(task, sandbox, sections=[Section.TRIVIAL]))
    after = " ".join(run_adjudge("report", "--ledger", book, "--baselines").stdout.split())
    assert "Trivial agents earn, in the mean over 1 of 1 task versions" in after
    assert "nothing 0.000" in after
