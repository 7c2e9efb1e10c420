"""A program of the agent's that never ends is the agent's doing, where the verifier runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

import adjudge
from adjudge.contracts import OUTPUT_STOPPED_VERIFIER, VERIFIER_FAILURE, Outcome
from adjudge.scoring import outcome_of, score
from support.task_folders import write_task

RUNS = "cd /logs/verifier; python3 /workspace/solution.py && echo 1 > reward.txt || echo 0 > reward.txt"
CODE = "Write a program to `/workspace/solution.py`.\n"
SHORT = "[verifier]\ntimeout_sec = 1.0\n"


def scored(
    folder: Path, program: str, toml: str, *, files: dict[str, str] | None = None
) -> adjudge.EvaluationResult:
    task = write_task(folder / "task", script=RUNS, instruction=CODE, toml=toml, files=dict(files or {}))
    (folder / "solution.py").write_text(program)
    return score(task, folder / "solution.py")


@pytest.mark.parametrize(
    "program",
    [
        "while True: pass",
        "import os, signal; os.kill(os.getppid(), signal.SIGKILL); import time; time.sleep(9)",
    ],
    ids=["endless", "kills its parent"],
)
def test_it_is_wrong_and_not_excluded(tmp_path: Path, program: str) -> None:
    result = scored(tmp_path, program, SHORT)
    assert [tag.category for tag in result.error_taxonomy or ()] == [OUTPUT_STOPPED_VERIFIER]
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)
    assert outcome_of(result) is Outcome.WRONG


def test_a_task_can_say_that_its_verifier_does_not_run_it(tmp_path: Path) -> None:
    result = scored(tmp_path, "while True: pass", SHORT + "runs_output = false\n")
    assert [tag.category for tag in result.error_taxonomy or ()] == [VERIFIER_FAILURE]
    assert outcome_of(result) is Outcome.MACHINERY_FAILED


def test_a_verifier_that_fails_its_own_right_answer_blames_nobody(tmp_path: Path) -> None:
    golden = {"goldens/pass/solution.py": "while True: pass\n"}
    result = scored(tmp_path, "while True: pass  # mine", SHORT, files=golden)
    assert outcome_of(result) is Outcome.MACHINERY_FAILED


def test_by_its_name_an_output_is_code_or_not(tmp_path: Path) -> None:
    assert adjudge.load_task(write_task(tmp_path / "code", instruction=CODE)).runs_output
    assert not adjudge.load_task(write_task(tmp_path / "data")).runs_output
