"""`adjudge check`: a line for each remark, JSON for machines, and the exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from audit.gallery.exhibit import Exhibit, build
from support.patience import HANG_SEC
from support.task_folders import write_task

ADJUDGE = Path(sys.executable).with_name("adjudge")


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    command = [str(ADJUDGE), "check", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=HANG_SEC)


def test_remarks_counts_and_exit_codes(tmp_path: Path) -> None:
    """Only what is at or above --fail-on (high) makes an exit code of 3."""
    folder = build(Exhibit("task", golden=False), tmp_path)
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "1 task checked: 1 low"
    assert done.stdout.startswith("low: task: there is no golden that passes and no reference solution.")
    assert run(tmp_path, "--fail-on", "low").returncode == 3
    (folder / "tests" / "test.sh").write_text("fi\n")
    done = run(tmp_path, "--json")
    assert done.returncode == 3
    found = json.loads(done.stdout)
    assert found["tasks"] == 1
    assert [finding["severity"] for finding in found["findings"]] == ["high", "low", "low"]


def test_a_folder_without_tasks_is_wrong_usage(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 2
    assert "no tasks there" in done.stderr


def test_each_task_is_told_its_own_packages(tmp_path: Path) -> None:
    """Two tasks that lack the same program, and name different packages besides."""
    for name, package in (("one", "no-such-first"), ("two", "no-such-second")):
        script = f"pip install no-such-runner {package}\nno-such-runner /tests\n"
        write_task(tmp_path / name, script=f"{script}echo 1 > /logs/verifier/reward.txt\n")
    told = {finding["task"]: finding["remedy"] for finding in _lacking(run(tmp_path, "--json"))}
    assert "no-such-first" in told["one"]
    assert "no-such-second" not in told["one"]
    assert "no-such-second" in told["two"]


def _lacking(done: subprocess.CompletedProcess[str]) -> list[dict[str, str]]:
    findings: list[dict[str, str]] = json.loads(done.stdout)["findings"]
    return [finding for finding in findings if "pass here" in finding["what"]]
