"""Audit whole folders of tasks: what `adjudge.audit(...)` and the command do.

A task that cannot be loaded or audited is a `FailedAudit` and never hides its neighbours.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.audit.audit import Audit, FailedAudit, audit_many
from adjudge.audit.causes import Cause
from adjudge.audit.certificate import Certificate, Finding, Section, Verdict, ordered, verdict_of
from adjudge.contracts import Task
from adjudge.errors import TaskError, UsageError
from adjudge.ledger import borrow_ledger
from adjudge.sandbox import Sandbox, choose_sandbox
from adjudge.tasks import load_task, load_tasks

if TYPE_CHECKING:
    from adjudge.ledger import Ledger


def audit_folders(
    *folders: Path | str,
    sections: Collection[Section | str] | None = None,
    sandbox: Sandbox | str = "auto",
    workers: int | None = None,
    ledger: Ledger | Path | str | None = None,
    budget_sec: float | None = None,
) -> list[Audit | FailedAudit]:
    """What `adjudge.audit` does; its parameters are described there (`calling.py`)."""
    tasks, failed = tasks_in(folders)
    found: list[Audit | FailedAudit] = [*failed]
    wanted = [Section(section) for section in sections or Section]
    place = sandbox_for_audits(sandbox)
    at_once = workers or len(os.sched_getaffinity(0))
    results = audit_many(tasks, place, workers=at_once, sections=wanted, budget_sec=budget_sec)
    if ledger is None:
        found += results
    else:
        with borrow_ledger(ledger, create=True) as book:
            for result in results:
                found.append(result)
                if isinstance(result, Audit) and len(wanted) == len(Section):
                    store_audit(book, result)
    return sorted(found, key=lambda audited: audited.task_id)


def sandbox_for_audits(sandbox: Sandbox | str, **options: object) -> Sandbox:
    """The sandbox to audit in. UsageError for none at all: an audit attacks a verifier."""
    place = choose_sandbox(sandbox, **options) if isinstance(sandbox, str) else sandbox  # type: ignore[arg-type] # checked there
    if place.name == "unisolated":
        raise UsageError("an audit attacks a verifier, and needs a sandbox for that", found=place.name)
    return place


def tasks_in(
    folders: Collection[Path | str], *, output_path: str | None = None
) -> tuple[list[Task], list[FailedAudit]]:
    """The tasks of all folders, each once, and those that could not be loaded.

    UsageError if there is neither. TaskError if only one folder is named and it cannot be used; of several,
    each that cannot is a `FailedAudit`, and the others are audited.
    """
    found: dict[Path, Task] = {}
    broken: list[FailedAudit] = []
    for folder in map(Path, folders):
        try:
            tasks, failed = _tasks_of(folder, output_path)
            if not tasks and not failed and len(folders) > 1:
                raise TaskError("no tasks there", file=folder, remedy="Name a folder of tasks.")
        except TaskError as error:
            if len(folders) == 1:
                raise
            tasks, failed = [], [FailedAudit(folder.resolve().name, error)]
        broken += failed
        for task in tasks:
            found.setdefault(task.folder, task)
    if not found and not broken:
        raise UsageError(
            "no tasks there", found=", ".join(map(str, folders)), remedy="Name a folder of tasks."
        )
    return list(found.values()), broken


def _tasks_of(folder: Path, output_path: str | None) -> tuple[list[Task], list[FailedAudit]]:
    if (folder / "task.toml").exists() or (folder / "instruction.md").exists():
        return [load_task(folder, output_path=output_path)], []
    listed = load_tasks(folder, output_path=output_path)
    return [*listed], [FailedAudit(problem.id, TaskError(problem.message)) for problem in listed.problems]


def store_findings(ledger: Ledger, found: Certificate, evidence: Collection[bytes]) -> None:
    """Add what a red team found to the certificate of the same version of the task; nothing for nothing.

    If the task was never audited, the red team's certificate is the task's. The commands beside findings are
    left out: they name folders of this machine, and the outputs are in the ledger.
    """
    if not found.findings:
        return
    for data in evidence:
        ledger.add_blob(data)
    plain = [finding.model_copy(update={"reproduce": None}) for finding in found.findings]
    known = _newest(ledger, found.task_digest)
    joined = found.model_copy(update={"findings": plain}) if known is None else _joined(known, plain)
    ledger.add_certificate(
        joined.task_digest, joined.model_dump(mode="json"), deterministic=joined.deterministic
    )


def with_known_hacks(ledger: Ledger, certificate: Certificate) -> Certificate:
    """A new certificate with what a red team found earlier in the same version of the task."""
    known = _newest(ledger, certificate.task_digest)
    hacks = [finding for finding in known.findings if finding.cause == Cause.FOOLED] if known else []
    return _joined(certificate, hacks) if hacks else certificate


def _newest(ledger: Ledger, task_digest: str) -> Certificate | None:
    kept = ledger.certificate(task_digest)
    return None if kept is None else Certificate.model_validate_json(json.dumps(kept))


def _joined(certificate: Certificate, more: Sequence[Finding]) -> Certificate:
    """With these findings as well, each once. Whoever signed it did not sign them: the signature goes."""
    known = {(finding.title, finding.evidence) for finding in certificate.findings}
    new = [finding for finding in more if (finding.title, finding.evidence) not in known]
    findings = ordered([*certificate.findings, *new])
    fooled = {finding.cause: Cause(finding.cause).hack for finding in new if finding.cause}
    hacks = [
        row.model_copy(update={"status": "broken", "why": "; ".join(fooled)})
        if row.hack in fooled.values() and row.status != "broken"
        else row
        for row in certificate.hacks
    ]
    complete = certificate.verdict is not Verdict.UNPROVEN
    verdict = verdict_of(findings, complete=complete)
    changes = {"findings": findings, "hacks": hacks, "verdict": verdict, "signature": None}
    return certificate.model_copy(update=changes) if new else certificate


def store_audit(ledger: Ledger, audit: Audit) -> None:
    """Keep a certificate and the outputs that its findings point to."""
    for data in audit.evidence.values():
        ledger.add_blob(data)
    certificate = audit.certificate
    ledger.add_certificate(
        certificate.task_digest,
        certificate.model_dump(mode="json"),
        deterministic=certificate.deterministic,
    )
    ledger.sign_if_asked()
