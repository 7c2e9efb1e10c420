"""One sandbox for each task that needs its own. Imports little, since every scoring asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from adjudge.contracts import Task
    from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome


class TaskSandboxes(Struct, frozen=True, eq=False):
    """A sandbox for each task that needs one of its own, by the task's digest, and one for all others."""

    inner: Sandbox
    by_task: Mapping[str, Sandbox]

    @property
    def name(self) -> str:
        return self.inner.name

    def run(self, job: SandboxJob) -> SandboxOutcome:
        return self.inner.run(job)


def sandbox_for(task: Task, sandbox: Sandbox) -> Sandbox:
    """The sandbox that a task's verifier runs in."""
    if isinstance(sandbox, TaskSandboxes):
        return sandbox.by_task.get(task.digest, sandbox.inner)
    return sandbox
