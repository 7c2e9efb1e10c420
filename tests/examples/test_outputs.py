"""What the imagined agents left behind is what the plan says, and scores what was frozen."""

from __future__ import annotations

import importlib.util
import json
import tomllib
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any

import pytest

from adjudge.sandbox import choose_sandbox
from adjudge.scoring import Outcome, outcome_of, score
from adjudge.tasks import load_tasks

EXAMPLES = Path(__file__).parents[2] / "examples"
OUTPUTS = EXAMPLES / "outputs"
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (OUTPUTS / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
]
EXPECTED: dict[str, float] = json.loads((OUTPUTS / "expected.json").read_text(encoding="utf-8"))
TASKS = {task.id: task for task in load_tasks(EXAMPLES / "tasks")}


@pytest.fixture
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_outputs", EXAMPLES / "make_outputs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def test_the_outputs_are_what_the_plan_makes(maker: ModuleType, tmp_path: Path) -> None:
    maker.write_outputs(tmp_path)
    checked_in = files_below(OUTPUTS)
    del checked_in["expected.json"]
    assert files_below(tmp_path) == checked_in


@pytest.mark.parametrize("task_id", TASKS)
def test_outputs_score_as_frozen(task_id: str) -> None:
    """Twelve outputs a task; a failure of the machine is never among the outcomes."""
    sandbox = choose_sandbox()
    names = [row["output"] for row in ROWS if row["task"] == f"../tasks/{task_id}"]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda name: score(TASKS[task_id], OUTPUTS / name, sandbox=sandbox), names))
    assert {name: r.reward for name, r in zip(names, results, strict=True)} == {n: EXPECTED[n] for n in names}
    outcomes = {outcome_of(result) for result in results}
    assert not outcomes & {Outcome.MACHINERY_FAILED, Outcome.SUSPECTED}


def test_the_frozen_rewards_are_those_the_tasks_state() -> None:
    """What is a golden output is worth what its task states by hand; only spoiled ones are frozen alone."""
    assert list(EXPECTED) == [row["output"] for row in ROWS]
    compared = 0
    for row in ROWS:
        task = TASKS[row["task"].removeprefix("../tasks/")]
        settings = tomllib.loads((task.folder / "task.toml").read_text(encoding="utf-8"))
        for golden in (task.folder / "goldens").glob("*/*"):
            if golden.name.partition(".")[0] == row["metadata"]["story"]:
                stated = settings["goldens"]["rewards"].get(f"fail/{golden.name}", 1.0)
                assert EXPECTED[row["output"]] == stated, row
                compared += 1
    assert len(ROWS) - compared == 10  # the habits: these have no stated reward


def test_the_agents_are_of_distinct_levels() -> None:
    rewards = defaultdict(list)
    for row in ROWS:
        rewards[row["agent"]].append(EXPECTED[row["output"]])
    assert {len(values) for values in rewards.values()} == {36}
    means = {agent: fmean(values) for agent, values in rewards.items()}
    assert list(means) == sorted(means, key=lambda agent: -means[agent])
    assert means["slide-rule"] > 0.9
    assert 0.7 < means["nomogram"] < 0.9
    assert 0.5 < means["planimeter"] < 0.7
    assert means["abacus"] < 0.4
