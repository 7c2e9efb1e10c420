"""Failure honesty in a sandbox that cannot hide programs, as containers cannot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from adjudge.audit import Section, audit_task
from adjudge.contracts import Severity
from adjudge.errors import SandboxError
from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build
from audit.gallery.misreading import MISREADING

ZERO = next(exhibit for exhibit in MISREADING if exhibit.name == "zero-without-python")


@dataclass(frozen=True)
class CannotHide:
    """The real sandbox, as one that refuses to hide anything."""

    inner: Sandbox
    name: str = "container"

    def run(self, job: SandboxJob) -> SandboxOutcome:
        if job.hide:
            raise SandboxError("an image's programs cannot be hidden")
        return self.inner.run(job)


def test_a_missing_python_is_staged_on_the_path(sandbox: Sandbox, tmp_path: Path) -> None:
    task = load_task(build(ZERO, tmp_path))
    certificate = audit_task(task, CannotHide(sandbox), sections=[Section.HONESTY]).certificate
    assert [f.severity for f in certificate.findings if "Python is missing" in f.title] == [Severity.MEDIUM]


def test_an_honest_verifier_passes_there_too(sandbox: Sandbox, tmp_path: Path) -> None:
    task = load_task(build(Exhibit("honest"), tmp_path))
    certificate = audit_task(task, CannotHide(sandbox), sections=[Section.HONESTY]).certificate
    assert certificate.findings == []
    rewards = [probe.reward for report in certificate.sections for probe in report.probes]
    assert rewards == [None] * 10
