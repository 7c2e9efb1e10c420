"""The files that a task's image would hold lie beside every probe, as they do in scoring."""

from __future__ import annotations

from pathlib import Path

from adjudge.audit import Section, audit_task
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import Exhibit, build

READS_INPUT = """
with open("/workspace/data/flow.txt") as file:
    REF = {"flow_m3s": float(file.read())}
answer = read()
write({name: float(right(answer.get(name), ref)) for name, ref in REF.items()})
"""
IMAGE = "FROM python:3.12-slim\nWORKDIR /workspace\nCOPY data /workspace/data\n"


def test_a_verifier_that_reads_the_tasks_inputs_can_be_audited(sandbox: Sandbox, tmp_path: Path) -> None:
    exhibit = Exhibit(
        "reads-its-input",
        READS_INPUT,
        answer={"flow_m3s": 12.54},
        files={"environment/Dockerfile": IMAGE, "environment/data/flow.txt": "12.54\n"},
    )
    task = load_task(build(exhibit, tmp_path))
    certificate = audit_task(task, sandbox, sections=[Section.GOLDENS]).certificate
    assert certificate.answer_reward == 1.0
    assert [finding.title for finding in certificate.findings] == []
