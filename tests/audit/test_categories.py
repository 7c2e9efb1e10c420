"""Categories of a task's own: named in task.toml, and compared with what its verifier writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Section, audit_task
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import check_tasks, load_task, load_tasks
from audit.gallery.exhibit import PLAIN, Exhibit, build

TAGGED = (
    PLAIN
    + """
tags = [{"category": "near miss"}, {"category": "wrong quantity"}, {"category": "wrong laod case"}]
if not near(answer.get("flow_m3s"), REF["flow_m3s"]):
    with open(LOGS + "/errors.json", "w") as file:
        json.dump(tags, file)
"""
)


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        ('["wrong quantity", "wrong load case"]', ["'wrong laod case'"]),
        ("[]", ["'wrong laod case'", "'wrong quantity'"]),
        (None, []),
        ('["a", "a"]', []),  # makes no sense: `check` says so, and nothing is held against the verifier
    ],
)
def test_a_category_that_the_task_does_not_name_is_told(
    declared: str | None, told: list[str], sandbox: Sandbox, tmp_path: Path
) -> None:
    """`near miss` is one that adjudge fills in by itself, and is never told."""
    listed = "" if declared is None else f"[taxonomy]\ncategories = {declared}\n"
    task = load_task(build(Exhibit("tagged", TAGGED, files={"task.toml": listed}), tmp_path))
    audit = audit_task(task, sandbox, sections=[Section.DISCRIMINATION])
    found = [finding for finding in audit.certificate.findings if "category" in finding.title]
    assert [finding.title.split("category ")[1].split(",")[0] for finding in found] == told
    assert all(f.severity is Severity.INFO and f.probe in audit.log for f in found)


@pytest.mark.parametrize(
    "text", ['taxonomy = "ours"\n', "[taxonomy]\nlevels = 3\n", "[[taxonomy]]\nid = 1\n"]
)
def test_a_table_of_other_people_is_left_alone(text: str, tmp_path: Path) -> None:
    build(Exhibit("theirs", files={"task.toml": text}), tmp_path)
    assert [f.what for f in check_tasks(load_tasks(tmp_path))] == ["there is no golden that fails"]
