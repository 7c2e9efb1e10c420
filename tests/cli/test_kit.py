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


def test_check_says_if_the_agents_program_has_the_verifiers_rights(tmp_path: Path) -> None:
    """And no longer, once the verifier keeps it apart by the file that `adjudge kit --untrusted` writes."""
    instruction = "Write a program to `/workspace/solution.py`.\n"
    script = "#!/bin/bash\npython3 /workspace/solution.py && echo 1 > /logs/verifier/reward.txt"
    task = write_task(tmp_path / "t", script=script, instruction=instruction)
    said = "the verifier runs the agent's program, which can then read the tests and write the reward"
    assert said in run_adjudge("check", task).stdout.replace("\n", " ")
    done = run_adjudge("kit", "--untrusted", task)
    assert done.stdout == f"{task / 'tests' / 'adjudge_untrusted.py'}: written\n"
    assert said in run_adjudge("check", task).stdout.replace("\n", " ")
    apart = script.replace("python3", "python3 /tests/adjudge_untrusted.py -- python3")
    (task / "tests/test.sh").write_text(apart)
    assert "the agent's program" not in run_adjudge("check", task).stdout
    assert run_adjudge("kit", "--untrusted", task).stdout.endswith("is today's already\n")
