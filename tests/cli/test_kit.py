"""`adjudge kit` writes or refreshes a copy of the kit, and `check` names copies that are not today's."""

from __future__ import annotations

import json
from pathlib import Path

import adjudge_kit
from support.command_line import run_adjudge
from support.task_folders import write_task

VERIFY = "from adjudge_kit import Verifier\n"


def remarks(folder: Path) -> list[str]:
    rows = json.loads(run_adjudge("check", folder, "--json").stdout)["findings"]
    return [row["what"] for row in rows if "adjudge_kit" in row["what"]]


def test_missing_old_changed_and_current(tmp_path: Path) -> None:
    script = "#!/bin/bash\npython3 /tests/verify.py\n"
    task = write_task(tmp_path / "t", script=script, files={"tests/verify.py": VERIFY})
    kit = task / "tests" / "adjudge_kit.py"
    assert "tests/adjudge_kit.py is imported and not there" in remarks(task)
    assert run_adjudge("kit", task).stdout == f"{kit}: written\n"
    ours = Path(adjudge_kit.__file__).read_bytes()
    assert (kit.read_bytes(), remarks(task)) == (ours, [])
    assert run_adjudge("kit", task).stdout == f"{kit}: is today's already\n"

    kit.write_bytes(ours + b"# mine\n")
    assert remarks(task) == ["tests/adjudge_kit.py is changed (version 1): not the kit of this adjudge"]
    kit.write_text('__version__ = "0.3"\n')
    assert "of another version (version 0.3)" in remarks(task)[0]
    assert "refreshed; the one before was of another version" in run_adjudge("kit", task).stdout
    assert kit.read_bytes() == ours


def test_a_folder_that_is_no_task_is_a_sentence(tmp_path: Path) -> None:
    done = run_adjudge("kit", tmp_path)
    assert (done.code, "there is no tests folder" in done.stderr) == (2, True)
