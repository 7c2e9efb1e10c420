"""What an audit has to say of an exhibit: its flaw, or nothing."""

from __future__ import annotations

from pathlib import Path

from adjudge.audit import Certificate, audit_task
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build


def assert_found(exhibit: Exhibit, sandbox: Sandbox, folder: Path) -> None:
    """Its flaw is found in its section, by its cause, and as bad as it is at least."""
    assert exhibit.section is not None
    task = load_task(build(exhibit, folder))
    findings = audit_task(task, sandbox, sections=[exhibit.section]).certificate.findings
    found = [f for f in findings if f.cause == exhibit.cause]
    assert found, [f"{f.severity}: {f.cause}: {f.title}" for f in findings]
    assert found[0].severity.rank <= exhibit.severity.rank, found[0]


def assert_in_peace(exhibit: Exhibit, sandbox: Sandbox, folder: Path) -> Certificate:
    """Nothing of medium severity or worse is held against it."""
    certificate = audit_task(load_task(build(exhibit, folder)), sandbox).certificate
    assert [f for f in certificate.findings if f.severity.rank <= Severity.MEDIUM.rank] == []
    return certificate
