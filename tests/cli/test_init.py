"""`adjudge init`: the task it starts passes `check` and `audit` as it stands, in every format."""

from __future__ import annotations

import filecmp
import json
import subprocess
import sys
from pathlib import Path

import pytest

import adjudge_kit
from adjudge.audit import Certificate, Verdict
from adjudge.contracts import Severity
from adjudge.tasks import TemplateFormat, load_task
from support.patience import HANG_SEC

ADJUDGE = Path(sys.executable).with_name("adjudge")


def run(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [str(ADJUDGE), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANG_SEC, cwd=cwd)


OFFLINE = [
    form if form is TemplateFormat.JSON else pytest.param(form, marks=pytest.mark.journey)
    for form in TemplateFormat
    if form is not TemplateFormat.PYTEST
]


@pytest.mark.parametrize("form", OFFLINE)
def test_a_new_task_passes_both(tmp_path: Path, form: TemplateFormat) -> None:
    """Nothing at all to remark, every golden as stated, and nothing worse than info in the audit."""
    done = run("init", f"pipe-{form}", "--format", form, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / f"pipe-{form}"
    assert filecmp.cmp(folder / "tests" / "adjudge_kit.py", adjudge_kit.__file__, shallow=False)
    assert load_task(folder).instruction.startswith(f"# Pipe {form}\n")
    checked = json.loads(run("check", ".", "--json", cwd=tmp_path).stdout)
    assert checked == {"tasks": 1, "findings": []}
    audited = run("audit", ".", "--budget", "600", "--no-ledger", "--json", "--fail-on", "low", cwd=tmp_path)
    assert audited.returncode == 0, audited.stdout
    certificate = Certificate.model_validate_json(audited.stdout)
    program = (
        form is TemplateFormat.CODE
    )  # which has no values to change: how well wrong ones are told is unproven
    assert certificate.verdict is (Verdict.UNPROVEN if program else Verdict.SOUND)
    assert certificate.discrimination == (None if program else 1.0)
    assert {finding.severity for finding in certificate.findings} <= {Severity.INFO}


def test_the_task_for_pytest_asks_for_it(tmp_path: Path) -> None:
    """`check` says how it is to be had, and takes no option's value for a missing file."""
    last = run("init", "pipe", "--format", "pytest", cwd=tmp_path).stdout.splitlines()[-1]
    assert last.endswith("--no-ledger --prepare")
    [finding] = json.loads(run("check", "pipe", "--json", cwd=tmp_path).stdout)["findings"]
    assert (finding["severity"], "'pytest'" in finding["what"]) == ("medium", True)
    assert "no:cacheprovider" not in finding["what"]
    assert "Add --prepare: it fetches pytest" in finding["remedy"]


def test_what_stands_there_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep")
    done = run("init", "mine", cwd=tmp_path)
    assert done.returncode == 2
    assert "exists already" in done.stderr
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_the_next_command_can_be_pasted(tmp_path: Path) -> None:
    """A name with a space in it is one argument."""
    last = run("init", "two words", cwd=tmp_path).stdout.splitlines()[-1]
    assert last == "Next: adjudge check 'two words' && adjudge audit 'two words' --no-ledger"
