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
    from adjudge.audit.answers import (
        FieldTrial,
        JudgeOpinion,
        RightAnswer,
        field_doubts,
        field_goldens,
        field_opinions,
        find_right_answer,
        golden_files,
        learn,
        solve,
    )
    from adjudge.audit.audit import Audit, FailedAudit, audit_many, audit_task, run_again
    from adjudge.audit.causes import Cause, HackClass
    from adjudge.audit.certificate import (
        BUDGET_SEC,
        Certificate,
        Finding,
        Section,
        SectionReport,
        Verdict,
        verdict_of,
    )
    from adjudge.audit.documents import Document, Leaf, leaves, open_document, replaced
    from adjudge.audit.folders import audit_folders, store_audit, store_findings, tasks_in, with_known_hacks
    from adjudge.audit.probes import (
        Bench,
        Conditions,
        Files,
        Probe,
        Seen,
        answer_of,
        shown_by,
        with_answer,
    )
    from adjudge.audit.signing import check_signature, sign_certificate

__all__ = [
    "BUDGET_SEC",
    "Audit",
    "Bench",
    "Cause",
    "Certificate",
    "Conditions",
    "Document",
    "FailedAudit",
    "FieldTrial",
    "Files",
    "Finding",
    "HackClass",
    "JudgeOpinion",
    "Leaf",
    "Probe",
    "RightAnswer",
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
    "field_opinions",
    "find_right_answer",
    "golden_files",
    "learn",
    "leaves",
    "open_document",
    "replaced",
    "run_again",
    "shown_by",
    "sign_certificate",
    "solve",
    "store_audit",
    "store_findings",
    "tasks_in",
    "verdict_of",
    "with_answer",
    "with_known_hacks",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "answers": (
            "FieldTrial",
            "JudgeOpinion",
            "RightAnswer",
            "field_doubts",
            "field_goldens",
            "field_opinions",
            "find_right_answer",
            "golden_files",
            "learn",
            "solve",
        ),
        "audit": ("Audit", "FailedAudit", "audit_many", "audit_task", "run_again"),
        "causes": ("Cause", "HackClass"),
        "certificate": (
            "BUDGET_SEC",
            "Certificate",
            "Finding",
            "Section",
            "SectionReport",
            "Verdict",
            "verdict_of",
        ),
        "documents": ("Document", "Leaf", "leaves", "open_document", "replaced"),
        "folders": ("audit_folders", "store_audit", "store_findings", "tasks_in", "with_known_hacks"),
        "probes": ("Bench", "Conditions", "Files", "Probe", "Seen", "answer_of", "shown_by", "with_answer"),
        "signing": ("check_signature", "sign_certificate"),
    },
)


sys.modules[__name__].__class__ = CallablePackage
