"""Trials that people and the verifier disagree about: tried again, and kept as goldens."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from adjudge.audit import Cause, FieldDoubt, Section, audit_task, field_goldens, learn, store_audit
from adjudge.errors import UsageError
from adjudge.ledger import Ledger, TrialFilter, open_ledger
from adjudge.runs import restore_output
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import PLAIN, Exhibit, build, markdown
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


def _scored(folder: Path, verify: str, outputs: dict[str, str]) -> Path:
    """A ledger of these outputs, by name, scored by a task `doubtful` with this verifier."""
    build(Exhibit("doubtful", verify), folder / "tasks")
    rows = []
    for number, (name, text) in enumerate(outputs.items(), start=1):
        (folder / f"{name}.md").write_text(text)
        rows.append({"task": "tasks/doubtful", "output": f"{name}.md", "agent": "a", "attempt": number})
    (folder / "manifest.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    manifest, book = folder / "manifest.jsonl", folder / "book.db"
    done = run_adjudge("run", manifest, "-e", "first", "--tasks", folder / "tasks", "--ledger", book)
    assert done.code == 0, done.stderr
    return book


def _audited(folder: Path, book: Path) -> list[dict[str, str]]:
    """The findings of at least medium severity, with the trials that contradict a reward."""
    done = run_adjudge(
        *("audit", folder / "tasks" / "doubtful", "--from-ledger", "--ledger", book, "--json"),
        *("--section", "goldens"),
    )
    assert done.code == 0, done.stderr
    findings = json.loads(done.stdout)["findings"]
    return [finding for finding in findings if finding["severity"] in ("high", "medium")]


def test_a_reward_that_its_breakdown_does_not_give_is_tried_again(tmp_path: Path) -> None:
    contradicting = """
    write({"flow": 0.0, "loss": 0.0})
    with open(LOGS + "/reward.json", "w") as file:
        json.dump({"reward": 0.9}, file)
    """
    book = _scored(tmp_path, contradicting, {"one": markdown(RIGHT)})
    causes = [finding["cause"] for finding in _audited(tmp_path, book)]
    assert Cause.CONTRADICTS in causes


def test_attempts_with_the_same_values_and_other_rewards_are_tried_again(tmp_path: Path) -> None:
    """They differ in the order of their keys alone; the command beside the finding shows it again."""
    first_key = """
    answer = read()
    write({"all": float(list(answer)[:1] == ["flow_m3s"] and right(answer.get("flow_m3s"), 12.54))})
    """
    turned = dict(reversed(RIGHT.items()))
    book = _scored(tmp_path, first_key, {"one": markdown(RIGHT), "two": markdown(turned)})
    [found] = [finding for finding in _audited(tmp_path, book) if finding["cause"] == Cause.LAYOUT]
    _, *arguments = shlex.split(found["reproduce"])
    again = run_adjudge(*arguments, "--json")
    assert again.code == 0, again.stderr
    assert json.loads(again.stdout)["reward"] == found["reward_after"]


def test_attempts_with_the_same_output_and_other_rewards_are_told(tmp_path: Path, sandbox: Sandbox) -> None:
    """The ledger holds a flake: two attempts of one output, scored by one version, and two rewards."""
    book = _scored(tmp_path, PLAIN, {"one": markdown(RIGHT)})
    task = load_task(tmp_path / "tasks" / "doubtful")
    with open_ledger(str(book), create=False) as ledger:
        [record] = ledger.iterate(TrialFilter())
        files = tuple(restore_output(ledger, record, task).files.items())
    doubt = FieldDoubt(record.trial_id, "same output", files, 1.0, files, 0.25)
    certificate = audit_task(task, sandbox, sections=[Section.GOLDENS], learned=[doubt]).certificate
    [found] = [f for f in certificate.findings if f.cause == Cause.RANDOM]
    assert "1 and 0.25, by the same version of the verifier" in found.seen
