"""docs/certificates holds a page for each example, made from the task as it is now (`make certificates`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import audit_task
from adjudge.contracts import Task
from adjudge.reports import markdown
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_tasks

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "certificates"
TASKS = load_tasks(ROOT / "examples" / "tasks")


def page_of(task: Task) -> str:
    return (PAGES / f"{task.id.replace('/', '-')}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("task", TASKS, ids=[task.id for task in TASKS])
def test_each_example_has_a_certificate_of_its_current_version(task: Task) -> None:
    """Sound, and of this very digest: a changed task needs a new audit."""
    page = page_of(task)
    assert f"Task digest: `{task.digest}`" in page, "the task has changed: run `make certificates`"
    assert "\n**sound**: " in page
    assert f"[{task.id}]({task.id.replace('/', '-')}.md) | sound |" in (PAGES / "README.md").read_text()


def test_no_page_is_left_of_a_task_that_is_gone() -> None:
    pages = {path.stem for path in PAGES.glob("*.md")} - {"README"}
    assert pages == {task.id.replace("/", "-") for task in TASKS}


def test_a_page_is_what_an_audit_gives(sandbox: Sandbox) -> None:
    """One is made again, byte for byte; all of them would take a minute."""
    task = next(task for task in TASKS if task.id == "controls/pi-tuning")
    certificate = audit_task(task, sandbox, workers=2, budget_sec=3600.0).certificate
    assert markdown.render_certificate(certificate) == page_of(task)
