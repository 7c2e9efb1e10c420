"""A task in steps: each verified on what the agent had then, one reward for all, nothing left out of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import adjudge
from adjudge.errors import TaskError
from adjudge.preflight import look_before
from adjudge.sandbox import choose_sandbox
from adjudge.scoring import Outcome, outcome_of
from adjudge.tasks import load_task
from support.command_line import run_adjudge
from support.task_folders import write_task

CHECK = '#!/bin/bash\n. /tests/helpers.sh\ngive "$(cat /app/value.txt)"\n'
HELPERS = r"""
give() { printf '{"reward": %s, "extra": 1}' "$1" > /logs/verifier/reward.json; }
"""
THREE = """
[environment]
workdir = "/app"
[[steps]]
name = "plan"
[[steps]]
name = "build"
min_reward = 0.5
[steps.verifier]
timeout_sec = 7.0
[steps.verifier.env]
WHO = "build"
[[steps]]
name = "ship"
"""


def three(folder: Path, toml: str = THREE, **more: str | None) -> Path:
    files = {f"steps/{name}/tests/test.sh": CHECK for name in ("plan", "build", "ship")}
    files |= {f"steps/{name}/instruction.md": f"Now {name}." for name in ("plan", "build", "ship")}
    files["tests/helpers.sh"] = HELPERS
    files |= {name: text for name, text in more.items() if text is not None}
    return write_task(folder, toml=toml, instruction=None, script=None, files=dict(files))


def states(folder: Path, below: str = "", **values: str) -> Path:
    for name, value in values.items():
        (folder / below / name).mkdir(parents=True)
        (folder / below / name / "value.txt").write_text(value)
    return folder


def test_the_mean_of_all_steps(tmp_path: Path) -> None:
    task = load_task(three(tmp_path / "t"))
    result = adjudge.score(task, states(tmp_path / "out", plan="1.0", build="0.5", ship="0.0"))
    assert (result.reward, outcome_of(result)) == (0.5, Outcome.SCORED)
    assert result.breakdown is not None
    assert [result.breakdown[name]["score"] for name in task.steps] == [1.0, 0.5, 0.0]


def test_the_final_step_counts_if_the_task_says_so(tmp_path: Path) -> None:
    task = three(tmp_path / "t", f'multi_step_reward_strategy = "final"\n{THREE}')
    out = states(tmp_path / "out", below="steps", plan="0.0", build="1.0", ship="1.0")
    assert adjudge.score(task, out).reward == 1.0


def test_a_step_below_its_minimum_ends_the_task(tmp_path: Path) -> None:
    task = three(tmp_path / "t")
    result = adjudge.score(task, states(tmp_path / "out", plan="1.0", build="0.4", ship="1.0"))
    assert result.reward == 0.7  # as Harbor counts: the mean of the steps that were done
    assert result.breakdown is not None
    assert "min_reward, 0.5" in result.breakdown["ship"]["evidence"]


def test_a_step_whose_verifier_fails_is_not_left_out_of_the_mean(tmp_path: Path) -> None:
    broken = {"steps/build/tests/test.sh": "#!/bin/bash\nno-such-runner-here\n"}
    result = adjudge.score(
        three(tmp_path / "t", **broken), states(tmp_path / "out", plan="1.0", build="1.0", ship="1.0")
    )
    assert (result.reward, result.validity.verifier_completed) == (0.0, False)
    assert outcome_of(result) is Outcome.MACHINERY_FAILED
    assert any("step 'build'" in error for error in result.validity.errors)


def test_a_step_without_anything_is_the_agents_doing(tmp_path: Path) -> None:
    toml = THREE.replace("min_reward = 0.5\n", "")
    result = adjudge.score(three(tmp_path / "t", toml), states(tmp_path / "out", plan="1.0", ship="0.5"))
    assert (result.reward, result.validity.verifier_completed) == (0.5, True)


def test_one_state_is_scored_for_every_step_and_said(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "value.txt").write_text("0.5")
    result = adjudge.score(three(tmp_path / "t"), out)
    assert result.reward == 0.5
    assert "every step is scored on the same state" in result.validity.errors[0]


def test_a_step_has_its_own_variables_and_time(tmp_path: Path) -> None:
    script = '#!/bin/bash\n[ "$WHO" = build ] && echo 1 > /logs/verifier/reward.txt\n'
    task = three(tmp_path / "t", **{"steps/build/tests/test.sh": script})
    assert adjudge.score(task, states(tmp_path / "o", plan="1.0", build="0.0", ship="1.0")).reward == 1.0


def test_the_record_holds_every_step(tmp_path: Path) -> None:
    record = adjudge.score_trial(
        three(tmp_path / "t"), states(tmp_path / "out", plan="1.0", build="0.5", ship="1.0")
    )
    assert set(record.run.artifacts) == {f"{name}/reward.json" for name in ("plan", "build", "ship")}


def test_what_a_step_lacks_is_seen_before(tmp_path: Path) -> None:
    broken = {
        "steps/ship/tests/test.sh": "#!/bin/bash\nno-such-runner-here\necho 1 > /logs/verifier/reward.txt\n"
    }
    (obstacle,) = look_before([load_task(three(tmp_path / "t", **broken))], choose_sandbox())
    assert [sign.name for sign in obstacle.signs] == ["no-such-runner-here"]


def test_the_caller_says_where_the_answer_is(tmp_path: Path) -> None:
    script = "#!/bin/bash\ncp /app/deep/mine.txt /logs/verifier/reward.txt\n"
    task = write_task(tmp_path / "t", instruction="Write it somewhere.", script=script)
    answer = tmp_path / "anything"
    answer.write_text("0.25")
    done = run_adjudge("score", task, answer, "--output-path", "/app/deep/mine.txt", "--json")
    assert '"reward": 0.25' in done.stdout
    refused = run_adjudge("score", task, answer, "--output-path", "../x")
    assert (refused.code, "path" in refused.stderr) == (2, True)


def test_a_step_without_a_verifier_is_named(tmp_path: Path) -> None:
    folder = three(tmp_path / "t")
    (folder / "steps" / "build" / "tests" / "test.sh").unlink()
    with pytest.raises(TaskError, match=r"steps/build/tests/test\.sh"):
        adjudge.score(folder, states(tmp_path / "out", plan="1.0", build="1.0", ship="1.0"))
