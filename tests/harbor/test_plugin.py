"""The job plug-in: retries leave a trace, a killed job is not lost, a wrong ledger stops the job at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from harbor_runs import ENVIRONMENT, PLUGIN, harbor, surroundings
from record_fixtures import GRADE, OURS, SEPARATE, write_task

from adjudge.integrations.harbor import import_jobs
from adjudge.ledger import open_ledger

BEHIND, BUSY, JOB = (f"73{number}.{os.getpid()}" for number in (11, 12, 13))
"""Numbers that no other test run on this machine has in its command lines."""
GOOD = "echo 1 > /logs/verifier/reward.txt"


def arguments(name: str, *more: str) -> list[str]:
    return [
        *("run", "-p", "tasks", "--env", ENVIRONMENT, "--plugin", PLUGIN, "-o", "jobs", "-q"),
        *("--pk", f"{PLUGIN}.ledger=ledger.db", "--job-name", name, *more),
    ]


def test_a_try_that_harbor_deleted_is_in_the_history(tmp_path: Path) -> None:
    """The first try raises, Harbor deletes its folder and tries again; the job's folder shows one trial."""
    write_task(tmp_path / "tasks", "plain", GOOD)
    write_task(tmp_path / "tasks", "needs-image", GOOD)
    (tmp_path / "tasks" / "needs-image" / "environment" / "Dockerfile").write_text("FROM node:22\n")
    done = harbor(tmp_path, *arguments("retried", "-a", "harbor_agents:FlakyAgent", "-r", "2", "-n", "1"))
    assert "cannot serve" in done.stderr
    assert "not a plain base" in done.stderr
    with open_ledger(tmp_path / "ledger.db", create=False) as ledger:
        record = next(r for r in ledger.iterate() if r.task_id == "plain")
        history = ledger.history(record.trial_id)
        again = import_jobs(ledger, [tmp_path / "jobs" / "retried"], experiment="retried")
    assert [r.evaluation.reward for r in history] == [1.0, 0.0]
    assert [r.evaluation.validity.verifier_completed for r in history] == [True, False]
    assert "ConnectionError" in str(history[1].evaluation.error_taxonomy)
    assert "the first try fails" not in history[1].model_dump_json()  # a message may hold a secret
    assert (again.trials, again.evaluations) == (0, 0)


def test_a_job_killed_in_the_middle(tmp_path: Path) -> None:
    """What had finished is in the ledger already; the import adds what was cut off, as what it is."""
    for name, solve in (("a-quick", "true"), ("b-slow", "sleep 7000")):
        write_task(tmp_path / "tasks", name, GOOD, solve=solve)
    command = [str(Path(sys.executable).with_name("harbor")), *arguments("killed", "-a", "oracle", "-n", "1")]
    pipe = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=tmp_path, env=surroundings(tmp_path), stdout=pipe, stderr=pipe
    ) as process:
        assert wait_for(lambda: bool(list(tmp_path.glob("jobs/killed/b-slow__*/agent"))))
        assert wait_for(lambda: recorded(tmp_path / "ledger.db") > 0)
        process.send_signal(signal.SIGKILL)
    with open_ledger(tmp_path / "ledger.db", create=False) as ledger:
        before = {r.task_id: r.evaluation.reward for r in ledger.iterate()}
        summary = import_jobs(ledger, [tmp_path / "jobs" / "killed"], experiment="killed")
        after = {r.task_id: r.evaluation for r in ledger.iterate()}
    assert before == {"a-quick": 1.0}
    assert (summary.trials, summary.already) == (1, 1)
    assert after["a-quick"].reward == 1.0
    assert not after["b-slow"].validity.verifier_completed


def test_harbor_ends_with_a_killed_wrapper(tmp_path: Path) -> None:
    """And with Harbor every process of its sessions."""
    write_task(
        tmp_path / "tasks",
        "slow",
        GOOD,
        solve=f"(setsid nohup sleep {BEHIND} >/dev/null 2>&1 &) ; sleep {BUSY}",
    )
    program = str(Path(sys.executable).with_name("adjudge"))
    command = [program, "harbor", "run", "-p", "tasks", "-a", "oracle", "--job-name", f"wrapped-{JOB}"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=tmp_path, env=surroundings(tmp_path), stdout=quiet, stderr=quiet
    ) as process:
        assert wait_for(lambda: f"sleep {BUSY}" in running())
        process.send_signal(signal.SIGKILL)
    assert wait_for(lambda: not any(word in running() for word in (BEHIND, BUSY, JOB)))


def recorded(path: Path) -> int:
    """How many trials are in a ledger that somebody else is writing."""
    if not path.exists():
        return 0
    with open_ledger(path, create=False) as ledger:
        return len(list(ledger.iterate()))


def running() -> str:
    return subprocess.check_output(["ps", "axww", "-o", "args"], text=True)


def wait_for(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + 180
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


def test_a_verifier_in_an_environment_of_its_own_sees_only_artifacts(tmp_path: Path) -> None:
    """Separate mode: the answer arrives, a file beside it that nobody declared does not."""
    see = GRADE.replace("EXTRA", OURS) + "ls /app > /logs/verifier/seen.txt"
    solve = "echo '{\"voltage_drop_v\": 3.1}' > /app/answer.json; touch /app/private"
    write_task(tmp_path / "tasks", "separate", see, solve=solve, toml=SEPARATE)
    harbor(tmp_path, *arguments("separate", "-a", "oracle"))
    (trial,) = tmp_path.glob("jobs/separate/separate__*")
    assert (trial / "verifier" / "seen.txt").read_text() == "answer.json\n"
    with open_ledger(tmp_path / "ledger.db", create=False) as ledger:
        (record,) = ledger.iterate()
    assert record.evaluation.reward == 1.0
    assert record.metadata["harbor"]["verifier_mode"] == "separate"
    assert json.loads((trial / "result.json").read_text())["exception_info"] is None


def test_a_ledger_that_cannot_be_opened_stops_the_job_before_it_costs_anything(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "plain", GOOD)
    (tmp_path / "ledger.db").mkdir()
    done = harbor(tmp_path, *arguments("never", "-a", "oracle"), check=False)
    assert done.returncode != 0
    assert not list(tmp_path.glob("jobs/never/*/result.json"))
