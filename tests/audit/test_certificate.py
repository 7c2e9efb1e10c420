"""A certificate is data: it round-trips, sorts its findings, and is the same however often it is made."""

from __future__ import annotations

from pathlib import Path

from adjudge.audit import Certificate, Finding, Section, Verdict, audit_task
from adjudge.audit.certificate import ordered, verdict_of
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import ANSWER, Exhibit, build


def finding(severity: Severity, section: Section = Section.FORMAT) -> Finding:
    return Finding(severity=severity, section=section, title=severity.value, seen="", advice="")


def test_the_worst_finding_makes_the_verdict() -> None:
    low, medium, high = finding(Severity.LOW), finding(Severity.MEDIUM), finding(Severity.HIGH)
    assert verdict_of([], complete=True) is Verdict.SOUND
    assert verdict_of([low], complete=False) is Verdict.UNPROVEN
    assert verdict_of([low, medium], complete=True) is Verdict.QUESTIONABLE
    assert verdict_of([low, high, medium], complete=False) is Verdict.UNSOUND
    assert ordered([low, high, medium]) == [high, medium, low]
    early = finding(Severity.LOW, Section.GOLDENS)
    assert ordered([low, early]) == [early, low]


def test_the_same_task_gives_the_same_certificate(sandbox: Sandbox, tmp_path: Path) -> None:
    """Byte for byte, with one worker or three; and it survives a trip through JSON."""
    task = load_task(build(Exhibit("steady", wrong={"flow_m3s": 1.0}), tmp_path))
    sections = [Section.GOLDENS, Section.DETERMINISM, Section.FORMAT]
    one = audit_task(task, sandbox, workers=1, sections=sections).certificate
    other = audit_task(task, sandbox, workers=3, sections=sections).certificate
    assert one.model_dump_json() == other.model_dump_json()
    assert Certificate.model_validate_json(one.model_dump_json()) == one
    assert [report.section for report in one.sections] == sections
    assert one.task_digest == task.digest
    assert str(tmp_path) not in one.model_dump_json()


def test_the_command_of_a_finding_can_be_pasted(sandbox: Sandbox, tmp_path: Path) -> None:
    """A folder's name with a space in it is one argument."""
    exhibit = Exhibit("two words", wrong=dict(ANSWER))
    certificate = audit_task(
        load_task(build(exhibit, tmp_path)), sandbox, sections=[Section.GOLDENS]
    ).certificate
    [found] = [f for f in certificate.findings if f.severity is Severity.HIGH]
    assert found.reproduce == "adjudge audit 'two words' --reproduce goldens/fail/wrong.md"
