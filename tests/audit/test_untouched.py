"""Checks that hold before anything was done are named one by one."""

from __future__ import annotations

from pathlib import Path

from adjudge.audit import Cause, Section, audit_task
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build

_COUNTS = """
answer = read()
write({
    "no_row_lost": float(text().count("lost") == 0),
    "at_most_three": float(len(answer) <= 3),
    "flow_m3s": float(right(answer.get("flow_m3s"), REF["flow_m3s"])),
    "head_loss_m": float(right(answer.get("head_loss_m"), REF["head_loss_m"])),
})
"""


def test_the_checks_that_the_untouched_workspace_passes_are_named(sandbox: Sandbox, tmp_path: Path) -> None:
    task = load_task(build(Exhibit("untouched", _COUNTS), tmp_path))
    findings = audit_task(task, sandbox, sections=[Section.TRIVIAL]).certificate.findings
    [found] = [f for f in findings if f.cause == Cause.NOTHING]
    assert found.seen.endswith("Full marks: no_row_lost, at_most_three.")
