"""`adjudge.audit(...)`: the folder as a function, whose own module loads only when it is called."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.audit.audit import Audit, FailedAudit
    from adjudge.audit.certificate import Section
    from adjudge.ledger import Ledger
    from adjudge.sandbox import Sandbox


class CallablePackage(ModuleType):
    """A package that can be called."""

    def __call__(
        self,
        *folders: Path | str,
        sections: Collection[Section | str] | None = None,
        sandbox: Sandbox | str = "auto",
        workers: int | None = None,
        ledger: Ledger | Path | str | None = None,
        budget_sec: float | None = None,
    ) -> list[Audit | FailedAudit]:
        """Find out whether verifiers can be trusted: audit every task at or below these folders.

            for audited in adjudge.audit("tasks"):
                print(audited.task_id, getattr(audited, "certificate", None) or audited.error)

        What comes back is sorted by task id. `sections` limits what is looked into. With a ledger,
        certificates and their evidence are stored there, unless only some sections were asked for. `workers`
        is how many probes run at once; None takes every core. `budget_sec` is how long the audit of one task
        may take, the likeliest probes first; None takes as long as it needs.
        """
        from adjudge.audit.folders import audit_folders

        return audit_folders(
            *folders,
            sections=sections,
            sandbox=sandbox,
            workers=workers,
            ledger=ledger,
            budget_sec=budget_sec,
        )
