"""`adjudge audit`: what is printed, kept and written, and the exit codes, by running the real command."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adjudge.audit import Certificate, Section, Verdict
from adjudge.ledger import open_ledger
from adjudge.tasks import load_task
from audit.gallery.exhibit import PLAIN, Exhibit, build
from audit.gallery.misreading import MISREADING
from audit.gallery.wrong_numbers import WRONG_NUMBERS
from support.patience import HANG_SEC

ADJUDGE = Path(sys.executable).with_name("adjudge")
FLAWED = next(e for e in MISREADING if e.name == "fence-in-capitals")
ZEROS = next(e for e in WRONG_NUMBERS if e.name == "keys-are-enough")


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("benchmark") / "tasks"
    for exhibit in (FLAWED, ZEROS, Exhibit("sound")):
        build(exhibit, root)
    return root


def run(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    """With time enough for a busy machine: what a budget leaves out is tested elsewhere."""
    command = [str(ADJUDGE), "audit", "--budget", "600", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=HANG_SEC, cwd=cwd)


def test_a_finding_with_its_advice_and_command(tasks: Path, tmp_path: Path) -> None:
    done = run(tasks / FLAWED.name, "--section", "format", "--no-ledger", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == [FLAWED.name, next(line for line in lines if line.startswith("questionable: "))]
    assert "Right answer: goldens/pass/right.md, which scores 1." in lines
    head = "medium: a right answer loses its reward: the fence is labelled JSON,"
    assert any(line.startswith(head) for line in lines)
    assert "  1 became 0." in lines
    assert f"  adjudge audit {tasks / FLAWED.name} --reproduce format/fence-in-capitals" in lines
    assert not (tmp_path / "adjudge.db").exists()


def test_the_command_of_a_finding_shows_its_output_again(tasks: Path, tmp_path: Path) -> None:
    """In the folder that the task's id is relative to, as the documentation says."""
    saved = tmp_path / "output.md"
    done = run(FLAWED.name, "--reproduce", "format/fence-in-capitals", "--save", saved, cwd=tasks)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("format/fence-in-capitals: the fence is labelled JSON\nreward: 0\n")
    assert "```JSON" in done.stdout
    assert "```JSON" in saved.read_text()
    unknown = run(FLAWED.name, "--reproduce", "format/no-such", cwd=tasks)
    assert unknown.returncode == 2
    assert "no such probe" in unknown.stderr


def without_commands(certificate: dict[str, Any]) -> dict[str, Any]:
    """A printed command names the task's folder on this machine, a kept one only the task."""
    findings = [{**finding, "reproduce": None} for finding in certificate["findings"]]
    return {**certificate, "findings": findings}


def test_certificate_and_evidence_go_to_the_ledger(tasks: Path, tmp_path: Path) -> None:
    """And --fail-on makes it an exit code."""
    book = tmp_path / "book.db"
    done = run(tasks / ZEROS.name, "--ledger", book, "--json", "--fail-on", "high", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    [line] = done.stdout.splitlines()
    certificate = Certificate.model_validate_json(line)
    assert certificate.verdict is Verdict.UNSOUND
    with open_ledger(book, create=False) as ledger:
        kept = ledger.certificate(certificate.task_digest)
        assert kept is not None
        assert without_commands(kept) == without_commands(json.loads(line))
        assert ledger.is_deterministic(certificate.task_digest)
        for finding in certificate.findings:
            if finding.evidence is not None:
                assert ledger.has_blob(finding.evidence)
    assert certificate.task_digest == load_task(tasks / ZEROS.name).digest


def test_a_benchmark_is_ranked_the_worst_first(tasks: Path, tmp_path: Path) -> None:
    """With a page for people; a broken task is named, and the exit code says that one is missing."""
    (tasks / "broken" / "tests").mkdir(parents=True, exist_ok=True)
    (tasks / "broken" / "instruction.md").write_text("<script>alert(1)</script>")
    page, folder = tmp_path / "audit.html", tmp_path / "pages"
    options = ("--section", Section.DISCRIMINATION, "--no-ledger", "-o", page, "--pages", folder)
    done = run(tasks, *options, cwd=tmp_path)
    assert done.returncode == 1
    assert "broken: broken: " in done.stderr
    assert done.stdout == ""
    printed = run(tasks, *options[:3], cwd=tmp_path)
    rows = [line.split()[:2] for line in printed.stdout.splitlines()[4:]]
    assert rows[0] == [ZEROS.name, "unsound"]
    assert {row[0] for row in rows} == {ZEROS.name, FLAWED.name, "sound"}
    html = page.read_text()
    assert html.index(ZEROS.name) < html.index(">sound</a>")
    assert "<script" not in html
    assert (folder / "sound.md").read_text().startswith("# sound\n\n**unproven**")


def test_of_several_tasks_a_broken_one_is_named_and_the_others_are_audited(
    tasks: Path, tmp_path: Path
) -> None:
    """Named one by one, as in a folder; so is a path that is not there, and a folder without tasks."""
    broken, empty = tmp_path / "torn", tmp_path / "bare"
    (broken / "tests").mkdir(parents=True)
    (broken / "instruction.md").write_text("Write `/workspace/output.md`.")
    empty.mkdir()
    words = (broken, tmp_path / "nowhere", tasks / "sound", empty)
    done = run(*words, "--section", Section.GOLDENS, "--no-ledger", "--json", cwd=tmp_path)
    assert done.returncode == 1
    assert [json.loads(line)["task_id"] for line in done.stdout.splitlines()] == ["sound"]
    assert [line.split(": ")[1] for line in done.stderr.splitlines() if line.startswith("broken: ")] == [
        "torn",
        "nowhere",
        "bare",
    ]


def test_wrong_usage(tmp_path: Path) -> None:
    assert run(tmp_path, "--no-ledger", cwd=tmp_path).returncode == 2
    assert run(tmp_path / "nowhere", "--no-ledger", cwd=tmp_path).returncode == 2


def test_the_command_of_a_finding_works_from_above_and_below(tasks: Path) -> None:
    """A task is found by its id wherever it can be seen from."""
    for place in (tasks.parent, tasks / FLAWED.name / "tests"):
        done = run(FLAWED.name, "--reproduce", "format/fence-in-capitals", cwd=place)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("format/fence-in-capitals: the fence is labelled JSON\n")
    missing = run("no-such-task", "--reproduce", "format/fence-in-capitals", cwd=tasks)
    assert missing.returncode == 2


def test_an_audit_that_is_interrupted_writes_what_is_finished(tmp_path: Path) -> None:
    """One task is audited at once, the other has a verifier that would keep the audit busy for minutes."""
    slow = Exhibit("slow", f"import time\ntime.sleep(3)\n{PLAIN}", timeout_sec=60.0)
    root = tmp_path / "two"
    build(Exhibit("quick"), root)
    build(slow, root)
    options = ("--section", Section.TRIVIAL, "--budget", "600", "--no-preflight", "--workers", "2", "--json")
    started = subprocess.Popen(
        [str(ADJUDGE), "audit", str(root), *options, "--ledger", str(tmp_path / "book.db")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with started:
        assert started.stderr is not None
        assert started.stderr.readline().startswith("auditing 2 tasks, each for 600 s at most (--budget)")
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=HANG_SEC)
    assert started.returncode == 130, err
    said = re.search(r"interrupted: (\d) of 2 tasks were looked at", err)
    assert said is not None
    assert len(out.splitlines()) == int(said[1]) < 2
