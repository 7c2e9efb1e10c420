"""`adjudge run` and its kin as a person meets them: summaries, exit codes, Ctrl-C."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from adjudge.ledger import open_ledger
from support.patience import HANG_SEC, wait_until
from support.run_folders import ECHO, HALVED, echo_task, write_manifest

ADJUDGE = [sys.executable, "-m", "adjudge"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("ADJUDGE_LEDGER", raising=False)
    monkeypatch.delenv("ADJUDGE_BLOBS", raising=False)
    echo_task(tmp_path / "tasks/echo")
    return tmp_path


def adjudge(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ADJUDGE, *arguments], cwd=home, capture_output=True, text=True, timeout=HANG_SEC)


def test_a_run_ends_with_a_summary(home: Path) -> None:
    write_manifest(home, 4)
    done = adjudge(home, "run", "manifest.jsonl", "--experiment", "one")
    assert done.returncode == 0, done.stderr
    assert "4 verified" in done.stdout
    assert "mean reward 0.1500 over 4 recorded now (3 scored, 1 wrong)" in done.stdout  # (0+.1+.2+.3)/4
    again = adjudge(home, "run", "manifest.jsonl", "--experiment", "one")
    assert "0 verified, 4 already there" in again.stdout


def test_a_bad_row_is_shown_with_its_line_and_the_exit_code_says_so(home: Path) -> None:
    manifest = write_manifest(home, 1)
    manifest.write_text(manifest.read_text() + "{}\n")
    done = adjudge(home, "run", "manifest.jsonl", "--experiment", "one")
    assert done.returncode == 1
    assert "1 verified, 1 bad row\n" in done.stdout
    assert "manifest.jsonl:2: task: this field is missing" in done.stdout


def test_a_folder_is_read_by_convention(home: Path) -> None:
    place = home / "outputs/abacus/attempt-2/echo"
    place.mkdir(parents=True)
    (place / "answer.json").write_text('{"r": 0.5}')
    done = adjudge(home, "run", "outputs", "--tasks", "tasks", "--experiment", "one")
    assert done.returncode == 0, done.stdout + done.stderr
    with open_ledger(str(home / "adjudge.db")) as ledger:
        (record,) = ledger.iterate()
    assert (record.agent.name, record.attempt, record.evaluation.reward) == ("abacus", 2, 0.5)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["run", "none.jsonl", "--experiment", "x"], 2, "the manifest cannot be read"),
        (["run", "tasks", "--experiment", "x"], 2, "Add --tasks ROOT"),
        (["run", "empty.jsonl", "--experiment", "x"], 2, "the manifest has no rows"),
        (["rescore", "--tasks", "outputs-none"], 2, "no such folder"),
        (["ingest", "none", "--experiment", "x"], 2, "no such folder"),
        (["run", "one.jsonl", "--experiment", ""], 2, "--experiment: is empty"),
        (["ingest", "tasks", "--experiment", "x", "--agent", ""], 2, "--agent: is empty"),
        (["ingest", "tasks", "--experiment", "x", "--layout", "{nobody}/{task}"], 2, "--layout"),
        (["run", "one.jsonl", "--experiment", "x", "--ledger", "tasks"], 1, "tasks"),
        (["run", "one.jsonl", "-e", "x", "--ray-address", "127.0.0.1:1"], 2, "--executor ray only"),
        (["run", "one.jsonl", "-e", "x", "--executor", "ray", "--sandbox", "none"], 2, "no such sandbox"),
    ],
)
def test_what_cannot_be_done_is_said_without_a_traceback(
    home: Path, arguments: list[str], code: int, said: str
) -> None:
    write_manifest(home, 1).rename(home / "one.jsonl")
    (home / "empty.jsonl").write_text("\n")
    done = adjudge(home, *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_finishes_what_is_in_flight_and_says_how_to_resume(home: Path) -> None:
    echo_task(home / "tasks/echo", ECHO + "sleep 0.3\n")
    write_manifest(home, 120)
    command = ["run", "manifest.jsonl", "--experiment", "one", "--workers", "2"]
    with subprocess.Popen(
        [*ADJUDGE, *command], cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert wait_until(lambda: _recorded(home) > 0)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=HANG_SEC)
    assert process.returncode == 130
    assert "to resume: adjudge run manifest.jsonl --experiment one --workers 2" in err
    recorded = _recorded(home)
    assert 0 < recorded < 120
    assert f"{recorded} verified" in out
    resumed = adjudge(home, *command[:-1], "16")
    assert f"{120 - recorded} verified, {recorded} already there" in resumed.stdout


def test_a_second_ctrl_c_stops_at_once(home: Path) -> None:
    """On a terminal, where the progress is drawn meanwhile; the cursor is never hidden."""
    echo_task(home / "tasks/echo", ECHO + "sleep 600\n")
    write_manifest(home, 4)
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*ADJUDGE, "run", "manifest.jsonl", "--experiment", "one"],
        cwd=home,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    ) as process:
        os.close(theirs)
        try:
            shown = _read_until(ours, b"0/4")
            os.kill(process.pid, signal.SIGINT)
            shown += _read_until(ours, b"press Ctrl-C again")
            os.kill(process.pid, signal.SIGINT)
            shown += _read_until(ours, b"run the same command again")
            assert process.wait(HANG_SEC) == 130
        finally:
            process.kill()
    os.close(ours)
    assert b"\x1b[?25l" not in shown


def _read_until(terminal: int, words: bytes) -> bytes:
    shown = b""
    deadline = time.monotonic() + HANG_SEC
    while words not in shown and time.monotonic() < deadline:
        if select.select([terminal], [], [], 1.0)[0]:
            shown += os.read(terminal, 65536)
    assert words in shown, shown
    return shown


def _recorded(home: Path) -> int:
    if not (home / "adjudge.db").exists():
        return 0
    with open_ledger(str(home / "adjudge.db")) as ledger:
        return ledger.count()


def test_a_rescore_prints_what_changed_and_why(home: Path) -> None:
    write_manifest(home, 2)
    adjudge(home, "run", "manifest.jsonl", "--experiment", "one")
    echo_task(home / "tasks/echo", HALVED)
    done = adjudge(home, "rescore")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "echo  a0" in done.stdout
    assert "0.0000 -> 0.5000 (wrong -> scored): value 0.00 -> 0.50" in done.stdout
    assert "0.1000 -> 0.5000: value 0.10 -> 0.50" in done.stdout
    assert "no trial matches" in adjudge(home, "rescore", "--experiment", "another").stdout


def test_a_rescore_into_a_pipe_breaks_no_names(home: Path) -> None:
    task = home / "tasks/mechanical/a-task-whose-name-is-rather-long-but-still-a-name"
    echo_task(task)
    write_manifest(home, 1, task=str(task.relative_to(home)))
    adjudge(home, "run", "manifest.jsonl", "--experiment", "one")
    wide = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run(
        [*ADJUDGE, "rescore", "--again"],
        cwd=home,
        env=wide,
        capture_output=True,
        text=True,
        timeout=HANG_SEC,
    )
    assert f"mechanical/{task.name}  a0 " in done.stdout


def test_ingest_counts_in_and_out(home: Path) -> None:
    for name in ("good", "bad"):
        (home / "old" / name).mkdir(parents=True)
        (home / "old" / name / "reward.json").write_text('{"reward": 1}')
    (home / "old/bad/trial.json").write_text("[]")
    done = adjudge(home, "ingest", "old", "--experiment", "old")
    assert done.returncode == 1
    assert "2 folders: 1 recorded, 1 quarantined" in done.stdout
    assert "quarantined old/bad: trial.json" in done.stdout
