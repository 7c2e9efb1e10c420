"""Modules of the agent's in place of the verifier's: rated by whether they run here, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause, Section, audit_task
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from support.task_folders import write_task

INSIDE = """
cd /workspace
python3 - <<'END'
import json
%s
answer = json.load(open("answer.json"))
print(float(answer == {"depth": 4}), file=open("/logs/verifier/reward.txt", "w"))
END
"""


@pytest.mark.parametrize(
    ("more", "severity"),
    [
        ("", Severity.MEDIUM),
        ("import glob; [exec(open(name).read()) for name in glob.glob('*.py')]", Severity.HIGH),
    ],
    ids=["adjudge's import order keeps them out", "they run here as well"],
)
def test_what_the_import_order_holds_is_medium(
    more: str, severity: Severity, sandbox: Sandbox, tmp_path: Path
) -> None:
    """A script on Python's standard input imports from its folder, which most runners let the agent fill."""
    folder = write_task(tmp_path / "task", script=INSIDE % more)
    found = audit_task(load_task(folder), sandbox, sections=[Section.EXPLOITS]).certificate.findings
    [imports] = [one for one in found if one.cause == Cause.IMPORTS]
    assert imports.severity is severity
    assert ("import order keeps such modules out" in imports.seen) is (severity is Severity.MEDIUM)
