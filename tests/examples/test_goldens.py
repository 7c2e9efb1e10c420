"""Golden outputs, reference solutions and empty workspaces score as stated, in the sandbox."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from adjudge.contracts import ErrorTag, EvaluationResult, Origin, Task
from adjudge.sandbox import Sandbox, SandboxJob, choose_sandbox
from adjudge.scoring import MECHANICAL_CATEGORIES, load_rubric, score, score_rubric
from adjudge.tasks import load_tasks

TASKS = load_tasks(Path(__file__).parents[2] / "examples" / "tasks")
each_task = pytest.mark.parametrize("task", TASKS, ids=[task.id for task in TASKS])


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return choose_sandbox()


def stated_rewards(task: Task) -> dict[str, float]:
    settings = tomllib.loads((task.folder / "task.toml").read_text(encoding="utf-8"))
    rewards: dict[str, float] = settings["goldens"]["rewards"]
    return rewards


def suspicions(result: EvaluationResult) -> list[ErrorTag]:
    """What adjudge itself holds against the verifier."""
    return [tag for tag in result.error_taxonomy or () if tag.category in MECHANICAL_CATEGORIES]


@each_task
def test_goldens_score_as_stated(task: Task, sandbox: Sandbox) -> None:
    """A passing golden scores 1; a failing one exactly what `[goldens.rewards]` says, and all are there."""
    stated = stated_rewards(task)
    goldens = sorted((task.folder / "goldens").glob("*/*"))
    failing = {f"fail/{golden.name}" for golden in goldens if golden.parent.name == "fail"}
    assert failing == set(stated)
    assert all(reward < 1 for reward in stated.values())
    assert len(goldens) - len(failing) >= 2
    for golden in goldens:
        result = score(task, golden, sandbox=sandbox)
        expected = stated.get(f"fail/{golden.name}") if golden.parent.name == "fail" else 1.0
        assert result.reward == expected, (golden, result)
        if golden.name != "closure-missing":  # nothing to verify, which adjudge says
            assert suspicions(result) == [], golden


@each_task
def test_the_reference_solution_scores_one(task: Task, sandbox: Sandbox, tmp_path: Path) -> None:
    """It computes its answer in a sandbox of its own, and writes what the instruction asks for."""
    solved = sandbox.run(
        SandboxJob(
            command=("bash", "-c", "bash /tests/solve.sh && cp -r /workspace/. /logs/verifier"),
            tests=task.folder / "solution",
            files={},
            workdir="/workspace",
            limits=task.limits,
        )
    )
    assert solved.exit_code == 0, solved.stderr
    for name, artifact in solved.artifacts.items():
        assert artifact.data is not None
        (tmp_path / name).write_bytes(artifact.data)
    result = score(task, tmp_path, sandbox=sandbox)
    assert result.reward == 1.0, result
    assert result.validity.errors == []


@each_task
def test_an_empty_workspace_scores_zero(task: Task, sandbox: Sandbox, tmp_path: Path) -> None:
    """And so does a file with nothing in it, which the verifier gets to see; only a declared format is held
    against it."""
    assert score(task, tmp_path, sandbox=sandbox).reward == 0
    (tmp_path / "empty").touch()
    result = score(task, tmp_path / "empty", sandbox=sandbox)
    assert result.reward == 0
    assert result.validity.verifier_completed
    declared = task.output.format_origin is Origin.DECLARED
    assert result.validity.output_parseable is not declared


def test_the_rubric_task_agrees_with_the_rubric_scorer(sandbox: Sandbox) -> None:
    """adjudge reads the same rubric as the verifier and comes to the same reward."""
    task = next(task for task in TASKS if task.id == "geotech/bearing-capacity")
    rubric = load_rubric(task.folder / "tests" / "rubric.json")
    result = score(task, task.folder / "goldens" / "fail" / "terzaghi-factors.txt", sandbox=sandbox)
    assert result.breakdown is not None
    scores = {name: field["score"] for name, field in result.breakdown.items()}
    # (2 · 0/3 + 3 · 0 + 2 · 0 + 1 · 1 + 1 · 1 + 1 · 1/2) / 10
    assert score_rubric(rubric, scores).reward == result.reward == 0.25
