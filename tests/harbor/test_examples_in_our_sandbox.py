"""Oracle and nop over every example task, by real Harbor, in our sandbox, into our ledger; one command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harbor_runs import EXAMPLES, adjudge, results, write_config

from adjudge.contracts import TrialRecord
from adjudge.integrations.harbor import import_jobs
from adjudge.ledger import open_ledger

TASKS = sorted(path.parent for path in EXAMPLES.rglob("task.toml"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder with `jobs/first` and `ledger.db`, and what the command printed."""
    folder = tmp_path_factory.mktemp("examples")
    config = write_config(folder, ["oracle", "nop"], TASKS, n_concurrent_trials=os.cpu_count())
    done = adjudge(
        folder,
        *("harbor", "run", "--tasks", str(EXAMPLES), "--ledger", "ledger.db", "-c", str(config)),
        *("--job-name", "first", "-o", "jobs", "-q"),
    )
    return folder, done.stdout + done.stderr


@pytest.fixture(scope="module")
def records(run: tuple[Path, str]) -> list[TrialRecord]:
    with open_ledger(run[0] / "ledger.db", create=False) as ledger:
        return list(ledger.iterate())


def test_the_reference_solution_solves_every_task(records: list[TrialRecord]) -> None:
    rewards = {r.task_id: r.evaluation.reward for r in records if r.agent.name == "oracle"}
    assert rewards == {task.relative_to(EXAMPLES).as_posix(): 1.0 for task in TASKS}


def test_doing_nothing_earns_nothing(records: list[TrialRecord]) -> None:
    """And it is known why: there was no output."""
    nothing = [r for r in records if r.agent.name == "nop"]
    assert len(nothing) == len(TASKS)
    assert {r.evaluation.reward for r in nothing} == {0.0}
    assert not any(r.evaluation.validity.output_parseable for r in nothing)


def test_the_ledger_equals_the_job_folders_trial_by_trial(
    run: tuple[Path, str], records: list[TrialRecord]
) -> None:
    """Against Harbor's own results, and against an import of the finished folder into another ledger."""
    told = results(run[0] / "jobs" / "first")
    assert {r.metadata["harbor"]["trial"] for r in records} == set(told)
    for record in records:
        result = told[record.metadata["harbor"]["trial"]]
        assert record.evaluation.reward == result["verifier_result"]["rewards"]["reward"]
        assert record.metadata["harbor"]["trial_id"] == result["id"]
        assert record.agent.name == result["agent_info"]["name"]
    with open_ledger(run[0] / "other.db") as other:
        summary = import_jobs(other, [run[0] / "jobs" / "first"], tasks=EXAMPLES)
        again = {record.trial_id: record for record in other.iterate()}
    assert summary.trials == len(records)
    assert {r.trial_id: r.model_dump_json() for r in records} == {
        k: r.model_dump_json() for k, r in again.items()
    }


def test_importing_the_folder_afterwards_adds_nothing(run: tuple[Path, str]) -> None:
    folder = run[0]
    done = adjudge(
        folder,
        *("import", "harbor", "jobs/first", "-e", "first", "--tasks", str(EXAMPLES), "--ledger", "ledger.db"),
    )
    assert f"0 trials imported from 1 job, {2 * len(TASKS)} were there already" in done.stdout


def test_progress_and_summary_are_printed(run: tuple[Path, str]) -> None:
    assert f"{2 * len(TASKS)}/{2 * len(TASKS)} recorded, 0 without a verifier result" in run[1]
    assert f"oracle: {len(TASKS)} trials, mean reward 1.0000, 0 without a verifier result" in run[1]


def test_outputs_were_kept_and_can_be_scored_again(run: tuple[Path, str]) -> None:
    """From shared mode too, since the wrapper asks Harbor to keep the workspace."""
    done = adjudge(
        run[0],
        *("rescore", "--ledger", "ledger.db", "--tasks", str(EXAMPLES), "--agent", "oracle"),
        *("--task", "electrical/voltage-drop"),
    )
    assert "1 verified" in done.stdout
    with open_ledger(run[0] / "ledger.db", create=False) as ledger:
        record = next(
            r for r in ledger.iterate() if r.agent.name == "oracle" and r.task_id == "electrical/voltage-drop"
        )
        history = ledger.history(record.trial_id)
    assert [r.evaluation.reward for r in history] == [1.0, 1.0]
    assert [r.run.backend for r in history] == ["bubblewrap", "imported"]
