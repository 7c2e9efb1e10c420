"""Can this verifier be trusted? Goldens, determinism, formats, discrimination, exploits, failure honesty."""

from adjudge.audit.audit import Audit, FailedAudit, audit_many, audit_task
from adjudge.audit.certificate import (
    Certificate,
    Finding,
    ProbeResult,
    Section,
    SectionReport,
    Verdict,
)

__all__ = [
    "Audit",
    "Certificate",
    "FailedAudit",
    "Finding",
    "ProbeResult",
    "Section",
    "SectionReport",
    "Verdict",
    "audit_many",
    "audit_task",
]
