"""`adjudge score`: what is printed, and the exit codes, by running the real command."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.contracts import EvaluationResult
from support.patience import HANG_SEC
from support.task_folders import write_task

ADJUDGE = Path(sys.executable).with_name("adjudge")
SCRIPT = """
printf '{"reward": 0.67}' > /logs/verifier/reward.json
printf '{"flow": {"score": 1, "evidence": "right"}, "head": {"score": 0.34, "evidence": "off"}}' \\
  > /logs/verifier/details.json
printf 'checked\\033[31m'
"""


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_task(tmp_path_factory.mktemp("tasks") / "pump", script=SCRIPT)


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("outputs") / "answer.json"
    path.write_text('{"flow": 4.2}')
    return path


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command, with no terminal and a clean environment."""
    env = {**os.environ, "COLUMNS": "72", **environment}
    command = [str(ADJUDGE), "score", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=HANG_SEC)


def test_a_readable_result(task: Path, answer: Path) -> None:
    done = run(task, answer, PYTHONIOENCODING="ascii")
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert lines[0].split() == ["pump", "reward", "0.67"]
    assert lines[1].startswith("parseable yes   schema yes   verifier completed")
    assert lines[1].endswith(" ms")
    assert lines[2] == "flow        ##########  1.00  right"
    assert lines[3] == "head        ###.......  0.34  off"
    assert lines[4] == "stdout      checked\\x1b[31m"


def test_json_and_nothing_else(task: Path, answer: Path) -> None:
    done = run(task, answer, "--json")
    result = EvaluationResult.model_validate_json(done.stdout)
    assert (done.returncode, done.stderr, result.reward) == (0, "", 0.67)
    assert set(json.loads(done.stdout)) == set(EvaluationResult.model_fields)


def test_a_folder_as_the_workspace(task: Path, answer: Path) -> None:
    assert json.loads(run(task, answer.parent, "--json").stdout)["reward"] == 0.67


@pytest.mark.parametrize(("bar", "code"), [("0.67", 0), ("0.68", 3), ("0", 0)])
def test_fail_under(task: Path, answer: Path, bar: str, code: int) -> None:
    """Exit 3 below the bar, with the result printed all the same."""
    done = run(task, answer, "--fail-under", bar)
    assert done.returncode == code
    assert "reward 0.67" in done.stdout


def test_a_missing_output_is_a_result(task: Path, tmp_path: Path) -> None:
    """An agent that wrote nothing scores 0.0; the path that was looked at is shown, should it be a slip."""
    done = run(task, tmp_path / "nothing.json", COLUMNS="500")
    assert done.returncode == 0
    assert "reward 0.00" in done.stdout
    assert "output missing (mechanical)" in done.stdout
    assert "nothing.json" in done.stdout
    assert run(task, tmp_path / "nothing.json", "--fail-under", "0.5").returncode == 3


def test_a_wrong_answer_is_a_result(tmp_path: Path, answer: Path) -> None:
    task = write_task(tmp_path / "t", script="echo '{\"reward\": 0}' > /logs/verifier/reward.json")
    assert run(task, answer).returncode == 0


@pytest.mark.parametrize(
    ("script", "toml", "says"),
    [
        ("exit 0", "", "the verifier wrote no reward"),
        ("echo '{\"reward\": true}' > /logs/verifier/reward.json", "", "is a bool, not a number"),
        ("sleep 600", "[verifier]\ntimeout_sec = 0.3\n", "ran out of time"),
    ],
)
def test_a_verifier_that_gives_no_reward_exits_with_1(
    tmp_path: Path, answer: Path, script: str, toml: str, says: str
) -> None:
    """Could not be scored: the result is printed, and it says that the machinery failed."""
    task = write_task(tmp_path / "t", script=script, toml=toml)
    done = run(task, answer)
    assert done.returncode == 1
    assert "machinery failed" in done.stdout
    assert says in " ".join(done.stdout.split())
    assert run(task, answer, "--json", "--fail-under", "0.5").returncode == 1


def test_strict_stops_at_a_bad_artifact(tmp_path: Path, answer: Path) -> None:
    task = write_task(
        tmp_path / "t",
        script="cd /logs/verifier; echo '{\"reward\": 1}' > reward.json; echo nonsense > details.json",
    )
    assert run(task, answer).returncode == 0
    done = run(task, answer, "--strict")
    assert (done.returncode, done.stdout) == (1, "")
    assert "error: breakdown is null: details.json" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("no-such-task", "x"),
        ("--sandbox", "magic", "TASK", "x"),
        ("TASK",),
        ("TASK", "x", "--fail-under", "2"),
    ],
)
def test_wrong_usage_exits_with_2(task: Path, arguments: tuple[str, ...]) -> None:
    done = run(*(task if argument == "TASK" else argument for argument in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_no_harm(task: Path, answer: Path, closed: str) -> None:
    """Else the sandbox's own descriptors would take their numbers, and the sandbox could not be built."""
    command = f"{ADJUDGE} score {task} {answer} --fail-under 0.9 {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=HANG_SEC)
    assert (done.returncode, done.stderr) == (3, "")
    assert (done.stdout == "") == (">&-" in closed.split())


def test_a_full_disk_is_not_called_a_bug(task: Path, answer: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{ADJUDGE} score {task} {answer} > /dev/full"],
        capture_output=True,
        text=True,
        timeout=HANG_SEC,
    )
    assert (done.returncode, done.stderr) == (1, "error: No space left on device\n")


def test_a_long_wait_says_what_is_happening(tmp_path: Path, answer: Path) -> None:
    """On a terminal only, on stderr only, and gone afterwards."""
    task = write_task(
        tmp_path / "slow", script="sleep 1; echo '{\"reward\": 1}' > /logs/verifier/reward.json"
    )
    leader, follower = pty.openpty()
    command = [str(ADJUDGE), "score", str(task), str(answer)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=follower, text=True) as process:
        out, _ = process.communicate(timeout=HANG_SEC)
    os.close(follower)
    shown = os.read(leader, 65536).decode()
    os.close(leader)
    assert "verifying slow" in shown
    assert shown.endswith("\r\x1b[K")
    assert "verifying" not in out


def test_colour_is_for_terminals(task: Path, answer: Path) -> None:
    assert "\x1b" not in run(task, answer).stdout
    assert "\x1b[" in run(task, answer, FORCE_COLOR="1").stdout
    assert "\x1b" not in run(task, answer, FORCE_COLOR="1", NO_COLOR="1").stdout
