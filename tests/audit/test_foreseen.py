"""A right program is refused for a word in a remark only where the task does not forbid the word."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Section, audit_task
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build
from audit.gallery.foreseen import PROGRAMS_KEPT


@pytest.mark.parametrize("exhibit", PROGRAMS_KEPT, ids=str)
def test_a_remark_costs_nothing(exhibit: Exhibit, sandbox: Sandbox, tmp_path: Path) -> None:
    """Bans that look at the syntax tree, and words that the task forbids, are no finding."""
    task = load_task(build(exhibit, tmp_path))
    certificate = audit_task(task, sandbox, sections=[Section.FORMAT]).certificate
    assert certificate.answer_reward == 1.0
    assert [f for f in certificate.findings if f.severity.rank <= Severity.MEDIUM.rank] == []
