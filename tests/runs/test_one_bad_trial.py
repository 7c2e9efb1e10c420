"""One trial never stops a run: it ends with the reason, the others go on, a resume does not stumble again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from adjudge.contracts import Outcome, Task, outcome_of
from adjudge.errors import SandboxUnavailable
from adjudge.gates import AgentOutput, read_output
from adjudge.ledger import Ledger
from adjudge.runs import local_executor, read_outputs_folder
from adjudge.sandbox import SandboxJob, SandboxOutcome, choose_sandbox
from adjudge.tasks import load_tasks
from support.run_folders import ECHO, echo_task, run_manifest, write_manifest


class Surprising:
    """A sandbox that raises what nobody foresaw for one trial of many."""

    name = "surprising"

    def __init__(self, error: Exception, at: int) -> None:
        self.inner = choose_sandbox("auto")
        self.error, self.left = error, at

    def run(self, job: SandboxJob) -> SandboxOutcome:
        self.left -= 1
        if self.left == 0:
            raise self.error
        return self.inner.run(job)


@pytest.mark.parametrize("error", [RecursionError("too deep"), OSError(24, "no descriptors"), KeyError("x")])
def test_an_error_that_nobody_foresaw_costs_its_trial_only(
    tmp_path: Path, ledger: Ledger, error: Exception
) -> None:
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 4)
    tally = run_manifest(ledger, manifest, local_executor(Surprising(error, 2), 1))
    assert (tally.scored, sum(tally.machinery.values())) == (4, 1)
    [failed] = [r for r in ledger.iterate() if outcome_of(r.evaluation) is Outcome.MACHINERY_FAILED]
    assert f"an unexpected error: {type(error).__name__}: " in failed.evaluation.validity.errors[-1]
    assert run_manifest(ledger, manifest).already == 4
    assert run_manifest(ledger, manifest, retry_failed=True).scored == 1


def test_without_any_sandbox_nothing_is_recorded(tmp_path: Path, ledger: Ledger) -> None:
    """It would be true of every trial, and thousands would stand there as failed."""
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 3)
    with pytest.raises(SandboxUnavailable):
        run_manifest(ledger, manifest, local_executor(Surprising(SandboxUnavailable("gone"), 1), 1))
    assert all(outcome_of(r.evaluation) is not Outcome.MACHINERY_FAILED for r in ledger.iterate())


def test_an_output_that_cannot_be_read_for_an_unforeseen_reason_is_recorded_so(
    tmp_path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 3)

    def fails_for_one(task: Task, output: Path | str) -> AgentOutput:
        if Path(output).name == "1.json":
            raise RecursionError("maximum recursion depth exceeded")
        return read_output(task, output)

    with monkeypatch.context() as broken:
        broken.setattr("adjudge.runs.plan.read_output", fails_for_one)
        assert run_manifest(ledger, manifest).scored == 3
        assert run_manifest(ledger, manifest).already == 3
    outcomes = sorted(outcome_of(record.evaluation).value for record in ledger.iterate())
    assert outcomes.count("machinery failed") == 1


DEEP = ECHO + 'd=/logs/verifier; for n in $(seq 300); do mkdir "$d/$n" && cd "$d/$n" && d=.; done\n'
PILED = ECHO + "cd /logs/verifier; for n in $(seq 3000); do : > file$n; done; mkfifo pipe; ln -s / root\n"


@pytest.mark.parametrize("script", [DEEP, PILED], ids=["deep", "piled"])
def test_what_a_verifier_leaves_behind_costs_at_most_its_trial(
    tmp_path: Path, ledger: Ledger, script: str
) -> None:
    echo_task(tmp_path / "tasks/echo", script)
    echo_task(tmp_path / "tasks/plain")
    manifest = write_manifest(tmp_path, 2)
    other = '{"task": "tasks/plain", "output": "outputs/1.json", "agent": "b"}\n'
    manifest.write_text(manifest.read_text() + other)
    assert run_manifest(ledger, manifest).scored == 3
    assert run_manifest(ledger, manifest).already == 3


def test_what_an_agent_piles_up_is_the_agents_doing(tmp_path: Path, ledger: Ledger) -> None:
    """Deep, long, odd: the trial is scored or unusable, and never a failure of the machinery."""
    echo_task(tmp_path / "tasks/echo")
    for kind in ("deep", "long", "odd", "plain"):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "answer.json").write_text('{"r": 0.5}')
    at = os.open(tmp_path / "deep", os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=at)
        inner = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(at)
    at = os.open(tmp_path / "long", os.O_RDONLY)
    for _ in range(40):
        os.mkdir("n" * 200, dir_fd=at)
        inner = os.open("n" * 200, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=at))
    os.close(at)
    os.mkfifo(tmp_path / "odd/pipe")
    (tmp_path / "odd/self").symlink_to("self")
    manifest = tmp_path / "m.jsonl"
    row = '{"task": "tasks/echo", "output": "%s", "agent": "%s"}\n'
    manifest.write_text("".join(row % (kind, kind) for kind in ("deep", "long", "odd", "plain")))
    tally = run_manifest(ledger, manifest)
    found = {record.agent.name: outcome_of(record.evaluation) for record in ledger.iterate()}
    assert set(found) == {"deep", "long", "odd", "plain"}
    assert (found["odd"], found["plain"]) == (Outcome.SCORED, Outcome.SCORED)
    assert Outcome.MACHINERY_FAILED not in found.values(), tally.machinery
    assert run_manifest(ledger, manifest).already == 4


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"metadata": {"x": "\ud800"}}, "half of a surrogate pair"),
        ({"agent": "\udcff"}, "half of a surrogate pair"),
        ({"cost": {"input_tokens": 10**19}}, "input_tokens is too large to be kept"),
        ({"attempt": 2**63}, "attempt: too large"),
    ],
)
def test_a_row_that_cannot_be_kept_is_a_bad_row(
    tmp_path: Path, ledger: Ledger, change: dict[str, object], said: str
) -> None:
    echo_task(tmp_path / "tasks/echo")
    manifest = write_manifest(tmp_path, 2)
    row = {"task": "tasks/echo", "output": "outputs/0.json", "agent": "a", **change}
    manifest.write_text(manifest.read_text() + json.dumps(row) + "\n")
    tally = run_manifest(ledger, manifest)
    assert tally.scored == 2
    [message] = tally.bad_rows
    assert f"{manifest}:3" in message
    assert said in message


def test_an_agents_folder_whose_name_is_no_text_is_a_bad_row(tmp_path: Path) -> None:
    echo_task(tmp_path / "tasks/echo")
    for agent in (b"caf\xe9", b"plain"):
        (tmp_path / "outputs" / os.fsdecode(agent) / "1/echo").mkdir(parents=True)
    tasks = list(load_tasks(tmp_path / "tasks"))
    bad, good = read_outputs_folder(tmp_path / "outputs", tasks)
    assert "is not UTF-8" in bad.message  # type: ignore[union-attr]
    assert good.agent == "plain"  # type: ignore[union-attr]
