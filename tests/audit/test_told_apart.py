"""The exhibits of `gallery/told_apart.py`: each flaw is found, and its sound neighbour is left in peace."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import audit_task
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build
from audit.gallery.told_apart import TOLD_APART_FLAWED, TOLD_APART_SOUND


@pytest.mark.parametrize("exhibit", TOLD_APART_FLAWED, ids=str)
def test_the_flaw_is_found(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> None:
    assert exhibit.section is not None
    task = load_task(build(exhibit, tmp_path))
    findings = audit_task(task, sandbox, sections=[exhibit.section]).certificate.findings
    found = [f for f in findings if f.cause == exhibit.cause]
    assert found, [f"{f.severity}: {f.cause}: {f.title}" for f in findings]
    assert found[0].severity.rank <= exhibit.severity.rank, found[0]


@pytest.mark.parametrize("exhibit", TOLD_APART_SOUND, ids=str)
def test_its_neighbour_is_left_in_peace(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> None:
    found = audit_task(load_task(build(exhibit, tmp_path)), sandbox).certificate.findings
    assert [f for f in found if f.severity.rank <= Severity.MEDIUM.rank] == []
