"""The files that a task's image would hold lie beside every probe, as they do in scoring."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path

from adjudge.audit import Cause, Section, audit_task
from adjudge.contracts import Severity
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task
from audit.gallery.exhibit import ANSWER, Exhibit, build

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


GUARDED = """
import hashlib
with open("/workspace/data/flow.txt", "rb") as file:
    if hashlib.sha256(file.read()).hexdigest() != "DIGEST":
        write({"inputs": 0.0})
        sys.exit(0)
answer = read()
write({name: float(right(answer.get(name), ref)) for name, ref in REF.items()})
"""
BINARY = """
import struct
with open("/workspace/data/flow.bin", "rb") as file:
    REF = {"flow_m3s": max(struct.unpack("<400d", file.read(3200)))}
answer = read()
write({name: float(right(answer.get(name), ref)) for name, ref in REF.items()})
"""


def follows_inputs(exhibit: Exhibit, sandbox: Sandbox, folder: Path) -> bool:
    task = load_task(build(exhibit, folder))
    findings = audit_task(task, sandbox, sections=[Section.EXPLOITS]).certificate.findings
    return any(finding.cause == Cause.SIDE_FILE for finding in findings)


def test_a_reference_that_follows_the_agents_inputs_is_found(sandbox: Sandbox, tmp_path: Path) -> None:
    """Inputs of text, and others: a file that is no text is altered as well."""
    answer = {"flow_m3s": 12.54}
    files = {"environment/Dockerfile": IMAGE, "environment/data/flow.txt": "12.54\n"}
    assert follows_inputs(Exhibit("text", READS_INPUT, answer=answer, files=files), sandbox, tmp_path)
    folder = build(
        Exhibit("binary", BINARY, answer=answer, files={"environment/Dockerfile": IMAGE}), tmp_path
    )
    (folder / "environment/data").mkdir()
    values = [n / 100 for n in range(399)] + [12.54]
    (folder / "environment/data/flow.bin").write_bytes(struct.pack("<400d", *values))
    findings = audit_task(load_task(folder), sandbox, sections=[Section.EXPLOITS]).certificate.findings
    assert any(finding.cause == Cause.SIDE_FILE for finding in findings)


def test_a_verifier_that_guards_its_inputs_does_not_follow_them(sandbox: Sandbox, tmp_path: Path) -> None:
    digest = hashlib.sha256(b"12.54\n").hexdigest()
    files = {"environment/Dockerfile": IMAGE, "environment/data/flow.txt": "12.54\n"}
    guarded = Exhibit("guarded", GUARDED.replace("DIGEST", digest), files=files)
    assert not follows_inputs(guarded, sandbox, tmp_path)


RUNS_TOOL = """
import subprocess
noted = os.path.exists("/workspace/notes.txt")
tool = ["python3", "/workspace/tool.py"]
said = subprocess.run(tool, capture_output=True, text=True).stdout if noted else ""
answer = read()
write({name: float(right(answer.get(name), ref) and said == "ready") for name, ref in REF.items()})
"""
SOLVE = "touch /workspace/notes.txt\ncat > /workspace/output.md <<'END'\n```json\n%s\n```\nEND\n"


def test_a_program_of_the_task_that_lies_in_the_workspace_is_the_agents_to_alter(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """The solution leaves it as it is, so it is no part of the answer."""
    exhibit = Exhibit(
        "runs-a-tool",
        RUNS_TOOL,
        golden=False,
        files={
            "environment/Dockerfile": "FROM x\nWORKDIR /workspace\nCOPY tool.py /workspace/tool.py\n",
            "environment/tool.py": "print('ready', end='')\n",
            "solution/solve.sh": SOLVE % json.dumps(ANSWER),
        },
    )
    task = load_task(build(exhibit, tmp_path))
    certificate = audit_task(task, sandbox, sections=[Section.EXPLOITS]).certificate
    assert certificate.answer == "the reference solution"
    assert [f.severity for f in certificate.findings if "executes what the agent wrote" in f.title] == [
        Severity.HIGH
    ]


def test_what_only_helps_to_build_the_image_is_no_input(sandbox: Sandbox, tmp_path: Path) -> None:
    """A list of downloads beside the Dockerfile never reaches the agent, whatever words stand in it."""
    exhibit = Exhibit(
        "word-anywhere",
        "write({'roof': float('shingles' in text().lower())})",
        answer={"finding": "The note says shingles, the drawing shows steel."},
        files={
            "environment/Dockerfile": IMAGE,
            "environment/data/sheet.txt": "Sheet A1\n",
            "environment/downloads.md": "https://example.org/shingles/sheet.pdf\n",
        },
    )
    task = load_task(build(exhibit, tmp_path))
    certificate = audit_task(task, sandbox, sections=[Section.TRIVIAL]).certificate
    assert not [name for name in certificate.baselines if "downloads" in name]
    assert not [finding for finding in certificate.findings if finding.severity is Severity.HIGH]


def test_inputs_that_the_task_names_are_not_asked_for(sandbox: Sandbox, tmp_path: Path) -> None:
    """The image is built from the task's own folder; what it copies is there before the agent begins."""
    exhibit = Exhibit(
        "names-its-inputs",
        golden=False,
        instruction="Read `/workspace/flows.json` and write what is asked to `/workspace/output.md`.",
        files={
            "environment/Dockerfile": "FROM x\nWORKDIR /workspace\nCOPY app/ /workspace/\n",
            "app/flows.json": '{"flows": [1.5, 2.5, 4.5]}\n',
            "solution/solve.sh": SOLVE % json.dumps(ANSWER),
        },
    )
    task = load_task(build(exhibit, tmp_path))
    certificate = audit_task(task, sandbox, sections=[Section.DISCRIMINATION]).certificate
    assert certificate.answer == "the reference solution"
    assert [f.title for f in certificate.findings if f.cause == Cause.UNSCORED] == []


def test_a_workspace_with_the_tasks_files_is_not_called_empty(sandbox: Sandbox, tmp_path: Path) -> None:
    exhibit = Exhibit(
        "paid-for-nothing",
        "write({'kept': float(os.path.exists('/workspace/data/flow.txt')), 'flow': 0.2})",
        files={"environment/Dockerfile": IMAGE, "environment/data/flow.txt": "12.54\n"},
    )
    task = load_task(build(exhibit, tmp_path))
    findings = audit_task(task, sandbox, sections=[Section.TRIVIAL]).certificate.findings
    [found] = [f for f in findings if f.cause == Cause.NOTHING]
    assert found.title == "the workspace as the task gives it earns 0.6"
    assert found.advice == "Give nothing for what is right before anything was done."
