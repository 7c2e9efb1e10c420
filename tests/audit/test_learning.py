"""Trials that people and the verifier disagree about: tried again, and kept as goldens."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from adjudge.audit import (
    Cause,
    JudgeOpinion,
    Section,
    audit_task,
    field_goldens,
    field_opinions,
    learn,
    store_audit,
)
from adjudge.audit.answers import contradicts
from adjudge.cli.tasks.learning import contradicted, ledger_options
from adjudge.contracts import Severity
from adjudge.errors import UsageError
from adjudge.judges import CriterionResult, JudgeRecord, record_calibration
from adjudge.ledger import Ledger, NewAttachment, TrialEntry, TrialFilter, open_ledger
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


def test_a_trial_finds_its_task_under_the_root_and_by_its_digest(benchmark: Path) -> None:
    """Among several tasks by its id; a copy of the task that has another name by its content."""
    build(Exhibit("other", PLAIN), benchmark / "tasks")
    (benchmark / "tasks" / "words").rename(benchmark / "tasks" / "renamed")
    with open_ledger(str(benchmark / "book.db"), create=False) as ledger:
        right = trial_of(ledger, "right")
    told = ("--learn", right, "--as", "pass", "--ledger", benchmark / "book.db")
    wrong = run_adjudge("audit", benchmark / "tasks" / "other", *told)
    assert (wrong.code, "belongs to another task" in wrong.stderr) == (2, True)
    done = run_adjudge("audit", benchmark / "tasks", *told)
    assert done.code == 0, done.stderr
    kept = benchmark / "tasks" / "renamed" / "goldens" / "pass" / f"field-{right[:12]}.md"
    assert kept.read_text() == (benchmark / "right.md").read_text()


def test_a_command_names_its_ledger_in_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ADJUDGE_LEDGER", raising=False)
    assert ledger_options(None) == ["--ledger", str(tmp_path / "adjudge.db")]
    assert ledger_options("book.db") == ["--ledger", str(tmp_path / "book.db")]
    assert ledger_options("postgresql://h/x") == ["--ledger", "postgresql://h/x"]
    monkeypatch.setenv("ADJUDGE_LEDGER", "postgresql://h/x")
    assert ledger_options(None) == []


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


def _audited(folder: Path, book: Path, least: str = "medium") -> list[dict[str, str]]:
    """The findings of at least this severity, with the trials that contradict a reward."""
    done = run_adjudge(
        *("audit", folder / "tasks" / "doubtful", "--from-ledger", "--ledger", book, "--json"),
        *("--section", "goldens"),
    )
    assert done.code == 0, done.stderr
    findings = json.loads(done.stdout)["findings"]
    return [f for f in findings if Severity(f["severity"]).rank <= Severity(least).rank]


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


def _flaked(book: Path) -> None:
    """One more attempt with the very same output, and another reward by the same version of the verifier."""
    with open_ledger(str(book), create=False) as ledger:
        [record] = ledger.iterate(TrialFilter())
        identity = record.identity._replace(attempt=2)
        evaluation = record.evaluation.model_copy(update={"reward": 0.25})
        changes = {"attempt": 2, "evaluation": evaluation, "trial_id": identity.trial_id}
        digest = str(record.output.sha256)
        again = record.model_copy(update=changes)
        ledger.record(TrialEntry(again, blobs={digest: ledger.blob(digest)}))


def test_attempts_with_the_same_output_and_other_rewards_are_told(tmp_path: Path) -> None:
    """The ledger holds a flake. It is news only while the verifier is the one that flaked."""
    book = _scored(tmp_path, PLAIN, {"one": markdown(RIGHT)})
    _flaked(book)
    [found] = [finding for finding in _audited(tmp_path, book) if finding["cause"] == Cause.RANDOM]
    assert "0.25 and 1, by the same version of the verifier" in found["seen"]
    verifier = tmp_path / "tasks" / "doubtful" / "tests" / "verify.py"
    verifier.write_text(verifier.read_text() + "# mended\n")
    assert _audited(tmp_path, book) == []


def _judged(
    book: Path, agent_attempt: int, score: float, *, judge: str = "b", suspected: bool = False
) -> str:
    """What a judge says of an attempt, as `adjudge judge` stores it."""
    criterion = CriterionResult(id="sound", by="judge", weight=1.0, score=score)
    made = JudgeRecord(
        rubric="engineering",
        rubric_digest="a" * 64,
        models=["m-1"],
        samples=1,
        judge=judge * 64,
        output_sha256=None,
        score=score,
        suspected=["it speaks to the judge"] if suspected else [],
        dimensions=[criterion],
    )
    with open_ledger(str(book), create=False) as ledger:
        [trial] = [one.trial_id for one in ledger.iterate(TrialFilter()) if one.attempt == agent_attempt]
        document = made.model_dump(mode="json", exclude_none=True)
        ledger.attach([NewAttachment("judgement", f"{judge}{score}", document, trial_id=trial)])
    return trial


def _calibrated(book: Path, judge: str = "b") -> None:
    document = {"criterion": "sound", "calibrated": True, "items": 60, "lower_end": 0.9, "why_not": None}
    with open_ledger(str(book), create=False) as ledger:
        record_calibration(ledger, judge * 64, "sound", document)


def test_a_reward_that_a_judge_contradicts_is_tried_again(tmp_path: Path) -> None:
    """An uncalibrated judge casts a doubt, a calibrated one contradicts, and a person has the last word."""
    book = _scored(tmp_path, PLAIN, {"one": markdown(RIGHT)})
    trial = _judged(book, 1, 0.1)
    [doubt] = [found for found in _audited(tmp_path, book, "low") if found["cause"] == Cause.JUDGES]
    assert "an uncalibrated judge fails, and the verifier passes" in doubt["title"]
    _calibrated(book)
    [found] = [found for found in _audited(tmp_path, book) if found["cause"] == Cause.JUDGES]
    assert found["severity"] == "medium"
    assert found["probe"] == f"goldens/field/{trial[:12]}"
    assert "By the rubric engineering it is worth 0.1; it got 1 when it was run" in found["seen"]
    with open_ledger(str(book), create=False) as ledger:
        ledger.annotate(trial, annotation(judgment="pass"))
    assert _audited(tmp_path, book) == []


def test_judges_that_prove_nothing_are_not_heard(tmp_path: Path) -> None:
    """They agree with the reward, abstain under suspicion, disagree with each other, or differ by a hair."""
    names = ("agrees", "suspected", "split", "outranked")
    book = _scored(tmp_path, PLAIN, {name: markdown(RIGHT) + name for name in names})
    task = load_task(tmp_path / "tasks" / "doubtful")
    _calibrated(book)
    _judged(book, 1, 0.9)
    _judged(book, 2, 0.1, suspected=True)
    _judged(book, 3, 0.1, judge="c")
    _judged(book, 3, 0.9, judge="d")
    _judged(book, 4, 0.9)
    _judged(book, 4, 0.1, judge="c")
    with open_ledger(str(book), create=False) as ledger:
        assert contradicted(ledger, task) == []
        [trial] = [one.trial_id for one in ledger.iterate(TrialFilter()) if one.attempt == 1]
        near = JudgeOpinion(0.4, "engineering", calibrated=True)
        assert field_opinions(ledger, task, {trial: [near]}) != []
    assert not contradicts(near, 0.6)
