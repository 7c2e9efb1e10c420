"""Of an answer of several files each is tried, and a finding shows the file that it is about."""

from __future__ import annotations

from pathlib import Path

from adjudge.audit import Cause, Section, audit_task, run_again
from adjudge.audit.probes import shown_by
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import build
from audit.gallery.many_files import MANY_FILES


def test_a_finding_shows_the_other_file(sandbox: Sandbox, tmp_path: Path) -> None:
    exhibit = next(exhibit for exhibit in MANY_FILES if exhibit.name == "second-table-of-nan")
    task = load_task(build(exhibit, tmp_path))
    audit = audit_task(task, sandbox, sections=[Section.DISCRIMINATION])
    [finding] = [f for f in audit.certificate.findings if f.cause == Cause.NOT_A_NUMBER]
    assert finding.title.startswith("gauges.csv, ")
    assert finding.evidence is not None
    assert finding.probe is not None
    shown = audit.evidence[finding.evidence]
    assert shown.lower().startswith(b"gauge,rain_mm\ng-1,nan\n")
    again = run_again(task, sandbox, finding.probe, sections=[Section.DISCRIMINATION])
    assert not isinstance(again, list)
    assert shown_by(again[0], again[1]) == shown
    assert again[2].claimed == 1.0
