"""An answer that is a folder is audited by its main file, and the certificate says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.audit import Cause, Section, answer_of, audit_task
from adjudge.errors import TaskError
from adjudge.sandbox import Sandbox
from adjudge.tasks import load_task

_VERIFY = """
import json
reward = 0.0
try:
    with open("/workspace/site/data.json") as file:
        data = json.load(file)
    with open("/workspace/site/index.html") as file:
        page = file.read()
    reward = 0.5 * ("<h1>" in page) + 0.5 * (abs(data.get("depth_m", 0) - 3.5) <= 10)
except (OSError, ValueError, TypeError, AttributeError):
    pass
with open("/logs/verifier/reward.json", "w") as file:
    json.dump({"reward": reward}, file)
"""
_COUNTS = """
import json, os
with open("/logs/verifier/reward.json", "w") as file:
    json.dump({"reward": float(len(os.listdir("/workspace/site")) == 4)}, file)
"""
_TOML = '[output]\npath = "/workspace/site/"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "task.toml": _TOML,
        "instruction.md": "Write the site to `/workspace/site/`.\n",
        "tests/test.sh": "exec python3 /tests/verify.py\n",
        "tests/verify.py": _VERIFY,
    }
    for name, text in files.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "site"


def test_values_in_its_main_file_are_changed(folder: Path, sandbox: Sandbox) -> None:
    golden = folder / "goldens" / "pass" / "right" / "site"
    golden.mkdir(parents=True)
    (golden / "data.json").write_text(json.dumps({"depth_m": 3.5}))
    (golden / "index.html").write_text("<h1>Depth</h1>\n")
    task = load_task(folder)
    assert task.output.is_folder
    certificate = audit_task(task, sandbox, sections=[Section.GOLDENS, Section.DISCRIMINATION]).certificate
    assert certificate.answer_reward == 1.0
    assert {f.cause for f in certificate.findings} >= {Cause.ZEROS, Cause.NOT_TRIED}
    assert any("/workspace/site/data.json" in said for said in certificate.not_tried)


def test_a_folder_that_nothing_shows_is_refused_in_words(folder: Path, sandbox: Sandbox) -> None:
    (folder / "tests" / "verify.py").write_text(_COUNTS)
    with pytest.raises(TaskError, match="nothing shows which files a right one holds") as refused:
        audit_task(load_task(folder), sandbox)
    assert "Add goldens/pass/NAME/" in str(refused.value)


@pytest.mark.parametrize("place", ["/workspace/site/data.json", "data.json"])
def test_a_file_that_the_verifier_opens_shows_the_folder(folder: Path, sandbox: Sandbox, place: str) -> None:
    """Also by its path from the working folder; no right answer is known then, and the rest is tried."""
    (folder / "task.toml").write_text(f'{_TOML}\n[environment]\nworkdir = "/workspace/site"\n')
    (folder / "tests" / "verify.py").write_text(_VERIFY.replace("/workspace/site/data.json", place))
    certificate = audit_task(load_task(folder), sandbox, sections=[Section.TRIVIAL]).certificate
    assert certificate.answer is None
    assert any("/workspace/site/data.json" in said for said in certificate.not_tried)


def test_what_the_task_brings_is_no_answer(folder: Path, sandbox: Sandbox) -> None:
    """A file of data lies in the folder from the start; the solution writes a report beside it."""
    files = {
        "environment/Dockerfile": "FROM x\nCOPY given.json /workspace/site/given.json\n",
        "environment/given.json": '{"depth_m": 3.5}\n',
        "solution/solve.sh": "echo 'The depth is 3.5 m.' > /workspace/site/report.md\n",
        "tests/verify.py": _VERIFY.replace("data.json", "given.json").replace("index.html", "report.md"),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    audit = audit_task(load_task(folder), sandbox, sections=[Section.GOLDENS])
    assert any("/workspace/site/report.md" in said for said in audit.certificate.not_tried)
    probe, _ = audit.log["goldens/solution"]  # what --reproduce shows and --save writes
    assert answer_of(audit.task, probe.files) == b"The depth is 3.5 m.\n"
