"""A job that is still running: its agent has one name, and a machine that cannot read is no missing file."""

from __future__ import annotations

import contextlib
import json
import os
import resource
from pathlib import Path

import pytest

from adjudge.errors import MachineryError
from adjudge.integrations.harbor import import_jobs
from adjudge.integrations.harbor.files import read_file, read_tree
from adjudge.integrations.harbor.jobs import find_jobs
from adjudge.ledger import open_ledger

AGENT = {"name": None, "import_path": "bench.agents:Solver", "model_name": "maker/model-1"}


def running(folder: Path) -> Path:
    job = folder / "job"
    for name, done in (("one__aaaaaaa", True), ("two__bbbbbbb", False)):
        trial = job / name
        (trial / "verifier").mkdir(parents=True)
        (trial / "trial.log").touch()
        config = {"task": {"path": name[:3]}, "trial_name": name, "agent": AGENT}
        (trial / "config.json").write_text(json.dumps(config))
        if done:
            (trial / "verifier" / "reward.txt").write_text("1")
            result = {
                "task_name": name[:3],
                "trial_name": name,
                "config": config,
                "agent_info": {
                    "name": "solver",
                    "version": "2",
                    "model_info": {"name": "model-1", "provider": "maker"},
                },
                "verifier_result": {"rewards": {"reward": 1.0}},
                "verifier": {"started_at": None, "finished_at": None},
            }
            (trial / "result.json").write_text(json.dumps(result))
    (job / "job.log").touch()
    (job / "config.json").write_text("{}")
    (job / "result.json").write_text(json.dumps({"n_total_trials": 2}))
    return job


def test_the_agent_of_an_unfinished_trial_is_that_of_its_siblings(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db") as ledger:
        import_jobs(ledger, [running(tmp_path)])
        agents = {(r.agent.name, r.agent.model) for r in ledger.iterate()}
    assert agents == {("solver", "maker/model-1")}


def test_no_free_descriptor_is_the_machines_failure(tmp_path: Path) -> None:
    job = running(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(entry.name) for entry in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1, hard))
    taken: list[int] = []
    try:
        with contextlib.suppress(OSError):
            while True:
                taken.append(os.open("/dev/null", os.O_RDONLY))
        for read in (
            lambda: read_file(str(job / "result.json"), 1000),
            lambda: read_tree(str(job)),
            lambda: find_jobs([job]),
        ):
            with pytest.raises(MachineryError, match="this machine cannot read"):
                read()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for descriptor in taken:
            os.close(descriptor)
