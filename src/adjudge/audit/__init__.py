"""Can this verifier be trusted? Goldens, determinism, formats, discrimination, exploits, failure honesty.

The folder can be called: `adjudge.audit("tasks")` is `audit_folders("tasks")`. A function of that name would
be hidden by the folder as soon as anything imports it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from adjudge._lazy import late_names
from adjudge.audit.calling import CallablePackage

if TYPE_CHECKING:
    from adjudge.audit.answers import FieldDoubt, FieldGolden, field_doubts, field_goldens, learn
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
    from adjudge.audit.signing import check_signature, sign_certificate

__all__ = [
    "Audit",
    "Cause",
    "Certificate",
    "Conditions",
    "FailedAudit",
    "FieldDoubt",
    "FieldGolden",
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
    "check_signature",
    "field_doubts",
    "field_goldens",
    "learn",
    "sign_certificate",
    "store_audit",
    "tasks_in",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "answers": ("FieldDoubt", "FieldGolden", "field_doubts", "field_goldens", "learn"),
        "audit": ("Audit", "FailedAudit", "audit_many", "audit_task"),
        "causes": ("Cause", "HackClass"),
        "certificate": ("Certificate", "Finding", "Section", "SectionReport", "Verdict"),
        "folders": ("audit_folders", "store_audit", "tasks_in"),
        "probes": ("Conditions", "Probe", "Seen", "answer_of"),
        "signing": ("check_signature", "sign_certificate"),
    },
)


sys.modules[__name__].__class__ = CallablePackage
