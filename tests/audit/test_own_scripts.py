"""An answer that its own script writes again while it is verified: without the script, or not at all."""

from __future__ import annotations

from pathlib import Path

from adjudge.audit import Section, audit_task
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import build
from audit.gallery.own_scripts import WRITTEN_ANEW


def test_a_file_that_is_written_anew_is_left_alone(sandbox: Sandbox, tmp_path: Path) -> None:
    """What stands in the file is the script's: nothing that is changed in it may be held against anybody."""
    certificate = audit_task(load_task(build(WRITTEN_ANEW, tmp_path)), sandbox).certificate
    assert [f for f in certificate.findings if f.severity.rank <= Severity.MEDIUM.rank] == []
    [told] = [report for report in certificate.sections if report.section is Section.DISCRIMINATION]
    assert told.reason is not None
    assert "writes it again" in told.reason
