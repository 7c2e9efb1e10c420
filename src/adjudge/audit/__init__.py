"""Can this verifier be trusted? Goldens, determinism, formats, discrimination, exploits, failure honesty.

The folder can be called: `adjudge.audit("tasks")` is `audit_folders("tasks")`. A function of that name would
be hidden by the folder as soon as anything imports it.
"""

from __future__ import annotations

import sys
from types import ModuleType

from adjudge.audit.answers import field_goldens, learn
from adjudge.audit.audit import Audit, FailedAudit, audit_many, audit_task
from adjudge.audit.causes import Cause, HackClass
from adjudge.audit.certificate import (
    Certificate,
    Finding,
    Section,
    SectionReport,
    Verdict,
)
from adjudge.audit.folders import audit_folders, store_audit, tasks_in
from adjudge.audit.probes import Conditions, Probe, Seen, answer_of

__all__ = [
    "Audit",
    "Cause",
    "Certificate",
    "Conditions",
    "FailedAudit",
    "Finding",
    "HackClass",
    "Probe",
    "Section",
    "SectionReport",
    "Seen",
    "Verdict",
    "answer_of",
    "audit_folders",
    "audit_many",
    "audit_task",
    "field_goldens",
    "learn",
    "store_audit",
    "tasks_in",
]


class _CallablePackage(ModuleType):
    __call__ = staticmethod(audit_folders)


sys.modules[__name__].__class__ = _CallablePackage
