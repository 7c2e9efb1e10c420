"""A file of the task's image that the agent's folder no longer has was removed by the agent."""

from __future__ import annotations

from pathlib import Path

import adjudge
from adjudge.contracts import Outcome
from adjudge.gates import read_output
from adjudge.sandbox import choose_sandbox
from adjudge.scoring import outcome_of, score_output
from evidence.gallery import BY_STATUS
from support.task_folders import write_task


def scored(folder: Path, output: Path) -> Outcome:
    home = write_task(
        folder / "task",
        instruction="Mend the program in `/app`.\n",
        script="grep -q return /app/flow.py" + BY_STATUS,
        files={
            "environment/Dockerfile": "FROM python:3.12\nWORKDIR /app\nCOPY flow.py /app/flow.py\n",
            "environment/flow.py": "def flow():\n    pass\n",
        },
    )
    task = adjudge.load_task(home)
    return outcome_of(score_output(task, read_output(task, output), choose_sandbox()).result)


def test_a_folder_without_the_file_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("gone\n")
    assert scored(tmp_path, tmp_path / "out") is Outcome.WRONG


def test_one_file_says_nothing_of_the_others(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("gone\n")
    assert scored(tmp_path, tmp_path / "notes.txt") is Outcome.WRONG
