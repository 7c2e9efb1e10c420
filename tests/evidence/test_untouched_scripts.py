"""A script of the task's image speaks for the task as long as the agent has left it as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

import adjudge
from adjudge.contracts import Outcome
from adjudge.gates import read_output
from adjudge.sandbox import choose_sandbox
from adjudge.scoring import outcome_of, score_output
from evidence.gallery import BY_STATUS
from support.task_folders import write_task

BUILD = "set -e\ncd /app\n/opt/no-such-compiler/bin/compile src/flow.x -o flow\n./flow\n"


SHOWN = """\
import subprocess
done = subprocess.run(["bash", "src/build.sh"], cwd="/app", capture_output=True, text=True)
print("E   AssertionError: build.sh failed:")
print("".join(f"E     {line}\\n" for line in done.stderr.splitlines()))
raise SystemExit(done.returncode)
"""


def scored(folder: Path, files: dict[str, str], run: str = "bash /app/src/build.sh") -> Outcome:
    home = write_task(
        folder / "task",
        instruction="Mend the sources in `/app/src`.\n",
        script=f"{run} > /logs/verifier/build.log 2>&1{BY_STATUS}",
        files={
            "tests/show.py": SHOWN,
            "environment/Dockerfile": "FROM debian:12\nWORKDIR /app\nCOPY src /app/src\n",
            "environment/src/build.sh": BUILD,
            "environment/src/flow.x": "",
        },
    )
    for name, text in files.items():
        file = folder / "out" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    task = adjudge.load_task(home)
    return outcome_of(score_output(task, read_output(task, folder / "out"), choose_sandbox()).result)


def test_a_compiler_that_is_not_here_is_no_fault_of_the_sources(tmp_path: Path) -> None:
    files = {"src/build.sh": BUILD, "src/flow.x": "flow = 4.2\n"}
    assert scored(tmp_path, files) is Outcome.SUSPECTED


def test_the_same_if_a_test_runner_shows_its_words(tmp_path: Path) -> None:
    files = {"src/build.sh": BUILD, "src/flow.x": "flow = 4.2\n"}
    assert scored(tmp_path / "a", files, "python3 /tests/show.py") is Outcome.SUSPECTED
    files = {"src/build.sh": f"# mine\n{BUILD}", "src/flow.x": "flow = 4.2\n"}
    assert scored(tmp_path / "b", files, "python3 /tests/show.py") is Outcome.WRONG


@pytest.mark.parametrize("change", ["# mine\n", "/opt/a-tool-of-mine --check src/flow.x\n"])
def test_a_script_that_the_agent_changed_is_the_agents(tmp_path: Path, change: str) -> None:
    files = {"src/build.sh": change + BUILD, "src/flow.x": "flow = 4.2\n"}
    assert scored(tmp_path, files) is Outcome.WRONG


def test_what_the_agent_did_not_make_is_the_agents(tmp_path: Path) -> None:
    """The script is the task's, and what it misses was to be written."""
    files = {"src/build.sh": BUILD.replace("/opt/no-such-compiler/bin/compile", "cat"), "src/flow.x": "x\n"}
    assert scored(tmp_path, files) is Outcome.WRONG
