"""Can this verifier be trusted? Goldens, determinism, formats, discrimination, exploits, failure honesty."""

from adjudge.audit.audit import Audit, FailedAudit, audit_many, audit_task
from adjudge.audit.certificate import (
    Certificate,
    Finding,
    ProbeResult,
    Section,
    SectionReport,
    Severity,
    Verdict,
)
from adjudge.audit.check import CheckFinding, check_task, check_tasks
from adjudge.audit.start import TemplateFormat, start_task

__all__ = [
    "Audit",
    "Certificate",
    "CheckFinding",
    "FailedAudit",
    "Finding",
    "ProbeResult",
    "Section",
    "SectionReport",
    "Severity",
    "TemplateFormat",
    "Verdict",
    "audit_many",
    "audit_task",
    "check_task",
    "check_tasks",
    "start_task",
]
