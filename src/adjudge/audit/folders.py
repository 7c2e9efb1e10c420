"""Audit whole folders of tasks: what `adjudge.audit(...)` and the command do.

A task that cannot be loaded or audited is a `FailedAudit` and never hides its neighbours.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.audit.audit import Audit, FailedAudit, audit_many
from adjudge.audit.certificate import Section
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

    UsageError if there is neither; TaskError if a folder is named that is a task and cannot be used.
    """
    found: dict[Path, Task] = {}
    broken: list[FailedAudit] = []
    for folder in map(Path, folders):
        if (folder / "task.toml").exists() or (folder / "instruction.md").exists():
            task = load_task(folder, output_path=output_path)
            found.setdefault(task.folder, task)
            continue
        listed = load_tasks(folder, output_path=output_path)
        broken += (FailedAudit(problem.id, TaskError(problem.message)) for problem in listed.problems)
        for task in listed:
            found.setdefault(task.folder, task)
    if not found and not broken:
        raise UsageError(
            "no tasks there", found=", ".join(map(str, folders)), remedy="Name a folder of tasks."
        )
    return list(found.values()), broken


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
