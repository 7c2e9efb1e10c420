"""Signals reach a command wherever it runs, and it ends with whoever called it."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from adjudge.ledger import open_ledger
from support.patience import HANG_SEC, wait_until
from support.run_folders import echo_task
from support.standby import PROGRAM, StandbyHome, blocks, command_of, is_alive, waits
from support.trial_samples import trial


def started(home: StandbyHome, words: list[str], *, plain: bool = False) -> subprocess.Popen[bytes]:
    off = {"ADJUDGE_STANDBY": "0"} if plain else {}
    return subprocess.Popen(
        [PROGRAM, *words],
        env={**home.environment, **off},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def has_started(process: int) -> bool:
    """Has it begun to wait for its verifier? Then it has children."""
    return bool(Path(f"/proc/{process}/task/{process}/children").read_text().split())


@pytest.fixture
def server(home: StandbyHome) -> int:
    return int(home.start()["process"])


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGIO]
)
@pytest.mark.parametrize("whole_group", [True, False])
def test_a_signal_ends_a_command_as_it_does_without(
    home: StandbyHome, server: int, tmp_path: Path, number: signal.Signals, whole_group: bool
) -> None:
    ends = []
    words = waits(tmp_path)
    for plain in (True, False):
        process = started(home, words, plain=plain)
        command = process.pid if plain else command_of(server)
        assert wait_until(lambda command=command: has_started(command))  # type: ignore[misc]
        (os.killpg if whole_group else os.kill)(process.pid, number)
        out, err = process.communicate(timeout=HANG_SEC)
        ends.append((process.returncode, out, err))
        assert wait_until(lambda command=command: not is_alive(command))  # type: ignore[misc]
    assert ends[0] == ends[1]
    assert ends[0][0] == (130 if number == signal.SIGINT else -number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_that_comes_before_the_command_has_begun_is_not_lost(
    home: StandbyHome, server: int, tmp_path: Path, number: signal.Signals
) -> None:
    """It is passed on with the go, while the fork still has to become the command."""
    task = echo_task(tmp_path / "task", script="#!/bin/bash\nsleep 1\necho 1 > /logs/verifier/reward.txt\n")
    (tmp_path / "answer").write_text("{}")
    ended = 130 if number == signal.SIGINT else -number
    for _ in range(5):
        os.kill(server, signal.SIGSTOP)
        process = started(home, ["score", str(task), str(tmp_path / "answer")])
        assert wait_until(lambda process=process: blocks(process.pid, number))  # type: ignore[misc]
        process.send_signal(number)
        os.kill(server, signal.SIGCONT)
        _, err = process.communicate(timeout=HANG_SEC)
        assert (process.returncode, b"Traceback" in err) == (ended, False), err


def test_a_command_dies_with_a_client_that_is_killed(home: StandbyHome, server: int, tmp_path: Path) -> None:
    process = started(home, waits(tmp_path))
    command = command_of(server)
    process.kill()
    assert wait_until(lambda: not is_alive(command))
    process.communicate()


def test_a_command_dies_with_its_attendant_and_the_client_says_so(
    home: StandbyHome, server: int, tmp_path: Path
) -> None:
    process = started(home, waits(tmp_path))
    command = command_of(server)
    assert wait_until(lambda: has_started(command))  # as root, it has been another user by then
    attendant = int(Path(f"/proc/{command}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(attendant, signal.SIGKILL)
    _, err = process.communicate(timeout=HANG_SEC)
    assert (process.returncode, b"was killed" in err, b"Traceback" in err) == (1, True, False)
    assert wait_until(lambda: not is_alive(command))


def test_a_command_that_is_killed_itself(home: StandbyHome, server: int, tmp_path: Path) -> None:
    process = started(home, waits(tmp_path))
    os.kill(command_of(server), signal.SIGKILL)
    process.communicate(timeout=HANG_SEC)
    assert process.returncode == -signal.SIGKILL


def test_a_command_stops_and_goes_on_with_its_client(home: StandbyHome, server: int, tmp_path: Path) -> None:
    """Ctrl-Z and `fg`. The group must have a parent in its session, or the system lets nothing in it stop."""
    words = waits(tmp_path)
    process = subprocess.Popen([PROGRAM, *words], env=home.environment, process_group=0)
    client, command = process.pid, command_of(server)

    def state(process: int) -> str:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]

    assert wait_until(lambda: has_started(command))
    for _ in range(3):
        os.killpg(client, signal.SIGTSTP)
        assert wait_until(lambda: state(client) == "T" == state(command))
        os.killpg(client, signal.SIGCONT)
        assert wait_until(lambda: "T" not in (state(client), state(command)))
    os.killpg(client, signal.SIGKILL)
    assert wait_until(lambda: not is_alive(command))
    process.wait()


def test_signals_that_the_caller_ignores(home: StandbyHome, server: int, tmp_path: Path) -> None:
    """`nohup`: the command goes on."""
    task = echo_task(tmp_path / "task", script="#!/bin/bash\nsleep 1\necho 1 > /logs/verifier/reward.txt\n")
    (tmp_path / "answer").write_text("{}")
    process = subprocess.Popen(
        ["nohup", PROGRAM, "score", task, tmp_path / "answer", "--json"],
        env=home.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    command_of(server)
    process.send_signal(signal.SIGHUP)
    out, err = process.communicate(timeout=HANG_SEC)
    assert (process.returncode, json.loads(out)["reward"]) == (0, 1.0), err


def test_ending_what_stands_by_leaves_commands_alone(home: StandbyHome, server: int, tmp_path: Path) -> None:
    words = waits(tmp_path)
    process = started(home, words)
    command = command_of(server)
    home.stop()
    assert not is_alive(server)
    assert is_alive(command)
    assert home.run("schema", "EvaluationResult").returncode == 0
    process.send_signal(signal.SIGINT)
    assert process.wait(HANG_SEC) == 130
    process.communicate()


def test_a_server_that_is_killed_leaves_commands_alone_and_is_started_anew(
    home: StandbyHome, server: int, tmp_path: Path
) -> None:
    process = started(home, waits(tmp_path))
    command = command_of(server)
    os.kill(server, signal.SIGKILL)
    assert wait_until(lambda: not is_alive(server))
    assert is_alive(command)
    assert home.run("schema", "EvaluationResult").returncode == 0  # nobody answers: it runs by itself
    assert home.start()["process"] != server
    assert home.served == 0
    process.terminate()
    assert process.wait(HANG_SEC) == -signal.SIGTERM
    process.communicate()


def test_a_kill_at_any_moment_loses_and_doubles_nothing(home: StandbyHome, tmp_path: Path) -> None:
    """An annotation is there once if its command succeeded, and at most once if it was killed."""
    home.start()
    ledger = tmp_path / "ledger.db"
    with open_ledger(ledger) as book:
        one = trial(1)
        book.record(one)
    done = set()
    for number in range(24):
        process = started(
            home,
            [
                *("annotate", "add", one.record.trial_id, "--reviewer", f"r{number}", "--judgment", "pass"),
                *("--ledger", str(ledger)),
            ],
        )
        try:
            process.wait(0.006 * number)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        if process.returncode == 0:
            done.add(f"r{number}")
    assert home.run("ledger", "verify", "--ledger", ledger).returncode == 0
    shown = home.run("annotate", "export", "-", "--ledger", ledger).stdout.splitlines()
    reviewers = [json.loads(line)["reviewer_id"] for line in shown]
    assert len(reviewers) == len(set(reviewers))
    assert done <= set(reviewers)


def test_ctrl_c_and_a_terminal_that_closes(home: StandbyHome, server: int, tmp_path: Path) -> None:
    """The terminal sends these itself, to all processes in its foreground."""
    words = waits(tmp_path)
    for key, ended in ((b"\x03", 130), (b"\x1c", -signal.SIGQUIT), (None, -signal.SIGHUP)):
        codes = []
        for off in ("0", "1"):
            client, terminal = pty.fork()
            if not client:
                os.execve(PROGRAM, [PROGRAM, *words], {**home.environment, "ADJUDGE_STANDBY": off})  # noqa: S606
            command = client if off == "0" else command_of(server)
            assert wait_until(lambda command=command: has_started(command))  # type: ignore[misc]
            if key is None:
                os.close(terminal)
            else:
                os.write(terminal, key)
            _, status = os.waitpid(client, 0)
            codes.append(os.waitstatus_to_exitcode(status))
            assert wait_until(lambda command=command: not is_alive(command))  # type: ignore[misc]
            if key is not None:
                os.close(terminal)
        assert codes == [ended, ended]
