"""Tasks: how each does, and what it asks."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from msgspec.structs import asdict

from adjudge.ledger import TrialFilter
from adjudge.web.access.who import Here, Viewer
from adjudge.web.api.shapes import api_router, worked_out
from adjudge.web.queries.visible import NotThere

router = api_router()


@router.get("/tasks")
async def list_tasks(request: Request, site: Here, visitor: Viewer) -> dict[str, Any]:
    """Every task that has trials, the hardest first, and those of the tasks root that have none."""

    def find() -> dict[str, Any]:
        visible = site.visible(visitor)
        found = [asdict(task) for task in site.tasks(visitor, TrialFilter()).value]
        tried = {task["task"] for task in found}
        untried = [task_id for task_id in site.shelf.all() if task_id not in tried and visible.sees(task_id)]
        return {"tasks": found, "untried": sorted(untried)}

    return await worked_out(request, find)


@router.get("/tasks/{task_id:path}")
def get_task(site: Here, visitor: Viewer, task_id: str) -> dict[str, Any]:
    """One task: instruction and digest if the tasks root has it, its certificate if it was audited."""
    visible = site.visible(visitor)
    task = site.shelf.get(task_id)
    if not visible.sees(task_id) or "\0" in task_id:
        raise NotThere("there is no such task", found=task_id)
    trials = site.count(visitor, TrialFilter(task=task_id)).value
    if task is None and not trials:
        raise NotThere("there is no such task", found=task_id)
    return {
        "task": task_id,
        "trials": trials,
        "instruction": None if task is None else task.instruction,
        "digest": None if task is None else task.digest,
        "certificate": None if task is None else site.ledger.certificate(task.digest),
    }
