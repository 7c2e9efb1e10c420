"""A known right answer, scored here once, tells a broken verifier from a wrong answer."""

from __future__ import annotations

from pathlib import Path

import pytest

import adjudge
from adjudge.contracts import VERIFIER_SUSPECTED, VERIFIER_UNFIT, EvaluationResult, Outcome
from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome, choose_sandbox
from adjudge.scoring import Standing, control_for, outcome_of, score
from support.task_folders import write_task

WRITE = "/logs/verifier/reward.txt"
BROKEN = f"python3 -m pytest_of_nobody /tests > /dev/null 2>&1 && echo 1 > {WRITE} || echo 0 > {WRITE}"
STARTS = "import os; os.execvp(chr(120) * 9, [chr(120)])"
HIDDEN = f"python3 -c '{STARTS}' 2>/dev/null && echo 1 > {WRITE} || echo 0 > {WRITE}"
NOISY = (
    f"frobnicate_of_nobody /tests; grep -q 4.2 /workspace/answer.json && echo 1 > {WRITE} || echo 0 > {WRITE}"
)
SOUND = f"grep -q 4.2 /workspace/answer.json && echo 1 > {WRITE} || echo 0 > {WRITE}"
GOLDEN = {"goldens/pass/answer.json": '{"flow": 4.2}'}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def scored(folder: Path, script: str, answer: str, files: dict[str, str]) -> EvaluationResult:
    task = write_task(folder / "task", script=script, files=dict(files))
    (folder / "answer.json").write_text(answer)
    return score(task, folder / "answer.json")


def test_signs_and_a_failed_control_are_a_failure_of_the_machinery(tmp_path: Path) -> None:
    result = scored(tmp_path, BROKEN, '{"flow": 7}', GOLDEN)
    [tag] = result.error_taxonomy or []
    assert tag.category == VERIFIER_UNFIT
    assert "its files show: missing module 'pytest_of_nobody'" in (tag.description or "")
    assert "control: the golden pass/answer.json gets 0 here instead of 1" in (tag.description or "")
    assert (result.reward, result.validity.verifier_completed) == (0.0, True)
    assert outcome_of(result) is Outcome.MACHINERY_FAILED


def test_a_failed_control_alone_is_a_suspicion(tmp_path: Path) -> None:
    result = scored(tmp_path, HIDDEN, '{"flow": 7}', GOLDEN)
    assert [tag.category for tag in result.error_taxonomy or ()] == [VERIFIER_SUSPECTED]


def test_a_control_that_passed_clears_what_it_showed_as_well(tmp_path: Path) -> None:
    assert outcome_of(scored(tmp_path, NOISY, '{"flow": 7}', {})) is Outcome.SUSPECTED
    assert outcome_of(scored(tmp_path / "cleared", NOISY, '{"flow": 7}', GOLDEN)) is Outcome.WRONG


def test_a_wrong_answer_to_a_sound_verifier_stays_wrong(tmp_path: Path) -> None:
    assert outcome_of(scored(tmp_path, SOUND, '{"flow": 7}', GOLDEN)) is Outcome.WRONG


@pytest.mark.parametrize(
    ("solve", "standing"),
    [
        ("echo '{\"flow\": 4.2}' > /workspace/answer.json", Standing.PASSED),
        ("curl_of_nobody https://example.com > /workspace/answer.json", Standing.INCONCLUSIVE),
        ("exit 3", Standing.INCONCLUSIVE),
        ("echo '{\"flow\": 1}' > /workspace/answer.json", Standing.FAILED),
    ],
)
def test_a_solution_that_lacks_something_convicts_nobody(
    tmp_path: Path, solve: str, standing: Standing
) -> None:
    task = adjudge.load_task(write_task(tmp_path / "task", script=SOUND, files={"solution/solve.sh": solve}))
    assert control_for(task, choose_sandbox()).standing is standing


def test_a_control_is_scored_once(tmp_path: Path) -> None:
    """Also by the next process, which finds it in the cache folder."""
    task = adjudge.load_task(write_task(tmp_path / "task", script=SOUND, files=dict(GOLDEN)))
    counting = Counting(choose_sandbox())
    assert control_for(task, counting).standing is Standing.PASSED
    asked = counting.runs
    assert control_for(task, counting).standing is Standing.PASSED
    assert counting.runs == asked
    from adjudge.scoring import control

    control._known.clear()
    assert control_for(task, counting).standing is Standing.PASSED
    assert counting.runs == asked


class Counting:
    """A sandbox that counts what it is asked."""

    name = "counting"

    def __init__(self, inner: Sandbox) -> None:
        self.inner = inner
        self.runs = 0

    def run(self, job: SandboxJob) -> SandboxOutcome:
        self.runs += 1
        return self.inner.run(job)
