"""One output, end to end, in the real sandbox."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import adjudge
from adjudge.contracts import Agent, Cost, ErrorSource, TrialIdentity, TrialRecord
from adjudge.errors import ArtifactError, SandboxError, TaskError
from adjudge.gates import read_output
from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome, choose_sandbox
from adjudge.scoring import (
    NOT_RUN,
    OUTPUT_MISSING,
    OUTPUT_UNUSABLE,
    VERIFIER_FAILURE,
    VERIFIER_SUSPECTED,
    Outcome,
    Scored,
    outcome_of,
    score,
    score_output,
    score_trial,
)
from support.patience import with_time_enough
from support.task_folders import write_task

GOOD = '{"flow": 4.2}'


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return choose_sandbox()


def scored(folder: Path, sandbox: Sandbox, script: str, answer: str | None = GOOD, toml: str = "") -> Scored:
    """Score one answer with one verifier script."""
    task = adjudge.load_task(write_task(folder / "task", script=script, toml=toml))
    output = folder / "answer.json"
    if answer is not None:
        output.write_text(answer)
    return score_output(task, read_output(task, output), sandbox)


def categories(result: adjudge.EvaluationResult) -> list[str]:
    return [tag.category for tag in result.error_taxonomy or ()]


def test_whoever_scores_is_told_when_the_verifier_runs(tmp_path: Path, sandbox: Sandbox) -> None:
    """Bubblewrap tells it, once; the result is the same. What is not verified is never told."""
    told: list[str] = []
    expected = ["it runs"] if sandbox.name == "bubblewrap" else []
    task = adjudge.load_task(
        write_task(tmp_path / "task", script="echo '{\"reward\": 1}' > /logs/verifier/reward.json")
    )
    (tmp_path / "answer.json").write_text(GOOD)
    read = read_output(task, tmp_path / "answer.json")
    found = score_output(task, read, sandbox, meanwhile=lambda: told.append("it runs"))
    assert told == expected
    assert found.result == score_output(task, read, sandbox).result
    score_output(
        task, read_output(task, tmp_path / "none"), sandbox, meanwhile=lambda: told.append("nothing runs")
    )
    assert told == expected


def test_the_verifier_sees_the_output_and_its_word_counts(tmp_path: Path, sandbox: Sandbox) -> None:
    """Reads the answer at its path, writes all three artifacts, prints on both streams."""
    script = """
        grep -q 4.2 /workspace/answer.json && echo '{"reward": 0.5}' > /logs/verifier/reward.json
        echo '{"flow": {"score": 0.5, "max_score": 1, "evidence": "half"}}' > /logs/verifier/details.json
        echo '[{"category": "rounding"}]' > /logs/verifier/errors.json
        echo said; echo warned >&2; pwd
    """
    found = scored(tmp_path, sandbox, script)
    assert found.result.reward == 0.5
    assert found.result.breakdown == {"flow": {"score": 0.5, "max_score": 1, "evidence": "half"}}
    assert categories(found.result) == ["rounding"]
    assert found.run.backend == sandbox.name
    assert (found.run.exit_code, found.run.stdout, found.run.stderr) == (0, "said\n/workspace\n", "warned\n")
    assert set(found.run.artifacts) == {"reward.json", "details.json", "errors.json"} == set(found.artifacts)
    assert found.output.sha256 is not None
    assert found.files["/workspace/answer.json"].data == GOOD.encode()


def test_an_output_that_does_not_parse_is_still_shown(tmp_path: Path, sandbox: Sandbox) -> None:
    """Its details are evidence; its reward is 0.0, and what was claimed is told."""
    script = """
        cat /workspace/answer.json
        echo '{"reward": 1.0}' > /logs/verifier/reward.json
        echo '{"flow": 1.0}' > /logs/verifier/details.json
    """
    toml = '[output]\npath = "/workspace/answer.json"\nformat = "json"\n'
    found = scored(tmp_path, sandbox, script, answer="flow is 4.2", toml=toml)
    assert found.run.stdout == "flow is 4.2"
    assert (found.result.reward, found.result.validity.verifier_completed) == (0.0, True)
    assert found.result.breakdown == {"flow": 1.0}
    assert "found 1.0" in found.result.validity.errors[-1]
    assert outcome_of(found.result) is Outcome.NOTHING_USABLE


NEVER = "echo '{\"reward\": 1.0}' > /logs/verifier/reward.json"


def test_a_missing_output_is_not_verified(tmp_path: Path, sandbox: Sandbox) -> None:
    found = scored(tmp_path, sandbox, NEVER, answer=None)
    validity = found.result.validity
    assert (found.result.reward, validity.output_parseable, validity.verifier_completed) == (
        0.0,
        False,
        False,
    )
    assert found.run.backend == NOT_RUN
    assert found.run.exit_code is None
    assert categories(found.result) == [OUTPUT_MISSING]
    assert (found.result.error_taxonomy or [])[0].source is ErrorSource.MECHANICAL
    assert outcome_of(found.result) is Outcome.NOTHING_USABLE


def test_an_empty_workspace_is_a_missing_output(tmp_path: Path, sandbox: Sandbox) -> None:
    task = adjudge.load_task(write_task(tmp_path / "task", script=NEVER))
    (tmp_path / "workspace").mkdir()
    found = score_output(task, read_output(task, tmp_path / "workspace"), sandbox)
    assert categories(found.result) == [OUTPUT_MISSING]


@pytest.mark.parametrize("kind", ["link", "pipe", "giant"])
def test_an_unusable_output_is_not_verified(tmp_path: Path, sandbox: Sandbox, kind: str) -> None:
    task = adjudge.load_task(write_task(tmp_path / "task", script=NEVER))
    output = tmp_path / "answer.json"
    if kind == "link":
        (tmp_path / "real.json").write_text(GOOD)
        output.symlink_to(tmp_path / "real.json")
    elif kind == "pipe":
        os.mkfifo(output)
    else:
        with output.open("wb") as file:
            file.truncate(1 << 40)
    found = score_output(task, read_output(task, output), sandbox)
    assert (found.result.reward, found.run.backend) == (0.0, NOT_RUN)
    assert categories(found.result) == [OUTPUT_UNUSABLE]


def test_a_folder_stands_for_the_whole_workspace(tmp_path: Path, sandbox: Sandbox) -> None:
    script = "cat notes.txt; cp answer.json /logs/verifier/reward.json"
    task = adjudge.load_task(write_task(tmp_path / "task", script=script))
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "answer.json").write_text('{"reward": 0.25}')
    (tmp_path / "ws" / "notes.txt").write_text("a note")
    found = score_output(task, read_output(task, tmp_path / "ws"), sandbox)
    assert (found.result.reward, found.run.stdout) == (0.25, "a note")


def test_a_verifier_without_a_reward_has_failed(tmp_path: Path, sandbox: Sandbox) -> None:
    found = scored(tmp_path, sandbox, "python3 -c 'import nothing_of_the_kind'")
    assert (found.result.reward, found.result.validity.verifier_completed) == (0.0, False)
    [tag] = found.result.error_taxonomy or []
    assert tag.category == VERIFIER_FAILURE
    assert "No module named" in (tag.description or "")
    assert outcome_of(found.result) is Outcome.MACHINERY_FAILED


def test_a_verifier_that_traps_its_exit_is_suspected(tmp_path: Path, sandbox: Sandbox) -> None:
    """As most verifiers in the wild do it: the zero stays, and the command that was not found is told."""
    script = """
        cd /logs/verifier
        trap '[ -f reward.json ] || echo "{\\"reward\\": 0.0}" > reward.json' EXIT
        set -e
        no-such-program /workspace/answer.json
    """
    found = scored(tmp_path, sandbox, script)
    assert (found.result.reward, found.result.validity.verifier_completed) == (0.0, True)
    assert categories(found.result) == [VERIFIER_SUSPECTED]
    assert "127" in ((found.result.error_taxonomy or [])[0].description or "")


def test_a_verifier_that_runs_out_of_time(tmp_path: Path, sandbox: Sandbox) -> None:
    """The reward it had written does not count; the details it had written are kept."""
    script = """
        echo '{"reward": 1.0}' > /logs/verifier/reward.json
        echo '{"flow": 1.0}' > /logs/verifier/details.json
        sleep 600
    """
    found = with_time_enough(
        lambda limit: scored(tmp_path, sandbox, script, toml=f"[verifier]\ntimeout_sec = {limit}\n"),
        lambda found: "details.json" in found.artifacts,
    )
    assert (found.result.reward, found.result.validity.verifier_completed) == (0.0, False)
    assert "ran out of time" in found.result.validity.errors[0]
    assert found.result.breakdown == {"flow": 1.0}
    assert found.artifacts["reward.json"] == b'{"reward": 1.0}\n'
    assert found.run.limits_hit == ["wall_time"]


def test_a_planted_link_is_not_followed(tmp_path: Path, sandbox: Sandbox) -> None:
    script = "echo '{\"reward\": 1.0}' > /tmp/r; ln -s /tmp/r /logs/verifier/reward.json"
    found = scored(tmp_path, sandbox, script)
    assert found.result.reward == 0.0
    assert "found 'link'" in found.result.validity.errors[0]


def test_score_takes_a_path_and_a_name(tmp_path: Path) -> None:
    """`adjudge.score(path, path)` with the sandbox that works here."""
    write_task(tmp_path / "task", script=NEVER)
    (tmp_path / "answer.json").write_text(GOOD)
    assert score(str(tmp_path / "task"), str(tmp_path / "answer.json")).reward == 1.0
    assert adjudge.score is score


def test_strict_raises_for_a_bad_artifact(tmp_path: Path, sandbox: Sandbox) -> None:
    task = adjudge.load_task(write_task(tmp_path / "task", script="echo '{}' > /logs/verifier/reward.json"))
    (tmp_path / "answer.json").write_text(GOOD)
    with pytest.raises(ArtifactError, match="the key is missing"):
        score(task, tmp_path / "answer.json", sandbox=sandbox, strict=True)


class Broken:
    """A sandbox whose machine fails."""

    name = "broken"

    def run(self, job: SandboxJob) -> SandboxOutcome:
        raise SandboxError("the machine failed")


def test_a_broken_machine_never_becomes_a_reward(tmp_path: Path) -> None:
    with pytest.raises(SandboxError):
        scored(tmp_path, Broken(), NEVER)


def test_a_task_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(TaskError):
        score(tmp_path / "no-task", tmp_path / "answer.json")


def test_a_trial_record(tmp_path: Path, sandbox: Sandbox) -> None:
    task = adjudge.load_task(write_task(tmp_path / "task", script=NEVER))
    (tmp_path / "answer.json").write_text(GOOD)
    record = score_trial(
        task,
        tmp_path / "answer.json",
        experiment="e",
        agent="slide-rule",
        model="m",
        attempt=2,
        cost=Cost(usd=0.1),
        metadata={"seed": 7},
        sandbox=sandbox,
    )
    assert (
        record.trial_id
        == TrialIdentity(
            experiment="e",
            task_id=task.id,
            output_sha256=record.output.sha256,
            agent="slide-rule",
            model="m",
            attempt=2,
        ).trial_id
    )
    assert (record.task_id, record.task_digest, record.evaluation.reward) == (task.id, task.digest, 1.0)
    assert (record.agent, record.metadata) == (Agent(name="slide-rule", model="m"), {"seed": 7})
    assert record.run.backend == sandbox.name
    assert TrialRecord.model_validate_json(record.model_dump_json()) == record


def test_a_trial_of_a_missing_output(tmp_path: Path, sandbox: Sandbox) -> None:
    task = adjudge.load_task(write_task(tmp_path / "task", script=NEVER))
    record = score_trial(task, tmp_path / "nothing", trial_id="mine", sandbox=sandbox)
    assert (record.trial_id, record.experiment, record.agent.name) == ("mine", "adhoc", "unknown")
    assert (record.output.sha256, record.run.backend) == (None, NOT_RUN)


def test_a_verifier_with_paths_of_its_own(tmp_path: Path, sandbox: Sandbox) -> None:
    """`VerifierSpec` may name other paths; both must lie in one folder."""
    script = "echo '{\"reward\": 0.5}' > /out/r.json; echo '{\"a\": 0.5}' > /out/d.json"
    task = adjudge.load_task(write_task(tmp_path / "task", script=script))
    (tmp_path / "answer.json").write_text(GOOD)
    own = task.verifier.model_copy(update={"reward_path": "/out/r.json", "details_path": "/out/d.json"})
    result = score(task.model_copy(update={"verifier": own}), tmp_path / "answer.json", sandbox=sandbox)
    assert (result.reward, result.breakdown) == (0.5, {"a": 0.5})
    apart = own.model_copy(update={"details_path": "/elsewhere/d.json"})
    with pytest.raises(TaskError, match="details_path"):
        score(task.model_copy(update={"verifier": apart}), tmp_path / "answer.json", sandbox=sandbox)
