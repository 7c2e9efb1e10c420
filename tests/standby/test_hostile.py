"""Other users, planted folders and sockets, bad requests: a command runs all the same, nobody else's does."""

from __future__ import annotations

import array
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.standby.client import NOT_RUN, YES
from support.patience import HANG_SEC, wait_until
from support.standby import PROGRAM, StandbyHome, blocks, children, is_alive

OTHER = 60124


def works(home: StandbyHome) -> None:
    done = home.run("schema", "EvaluationResult")
    assert (done.returncode, done.stderr) == (0, b"")


def refused(home: StandbyHome) -> None:
    done = home.run("standby")
    assert (done.returncode, b"not a folder of yours alone" in done.stderr) == (1, True), done.stderr


def connected(home: StandbyHome) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(HANG_SEC)
    folder = os.open(home.place, os.O_PATH)
    connection.connect(f"/proc/self/fd/{folder}/socket")
    os.close(folder)
    return connection


def test_a_folder_behind_a_link(home: StandbyHome, tmp_path: Path) -> None:
    home.start()
    home.place.rename(tmp_path / "elsewhere")
    home.place.symlink_to(tmp_path / "elsewhere")
    works(home)
    refused(home)
    home.place.unlink()
    (tmp_path / "elsewhere").rename(home.place)
    assert home.served == 0


@pytest.mark.parametrize("mode", [0o750, 0o701, 0o777])
def test_a_folder_that_others_may_enter(home: StandbyHome, mode: int) -> None:
    home.start()
    home.place.chmod(mode)
    works(home)
    refused(home)
    home.place.chmod(0o700)
    assert home.served == 0


def test_something_else_in_the_place_of_the_folder_or_the_socket(home: StandbyHome) -> None:
    home.place.write_text("")
    works(home)
    refused(home)
    home.place.unlink()
    home.place.mkdir(mode=0o700)
    (home.place / "socket").write_text("")
    works(home)
    home.start()
    home.stop()
    (home.place / "lock").unlink()
    (home.place / "lock").symlink_to("/etc/passwd")
    done = home.run("standby")
    assert (done.returncode, b"Traceback" in done.stderr) == (1, False)


def test_a_runtime_folder_that_cannot_be_written_or_named(home: StandbyHome) -> None:
    for place in ("/proc/nothing", "relative", f"{home.folder}/{'x' * 300}"):
        environment = {**home.environment, "XDG_RUNTIME_DIR": place}
        done = home.run("standby", env=environment)
        assert (done.returncode, b"Traceback" in done.stderr) == (1, False), done.stderr
        assert home.run("schema", env=environment).returncode == 0


def test_a_long_path_is_no_hindrance(home: StandbyHome) -> None:
    long = home.folder / ("x" * 200)
    long.mkdir(mode=0o700)
    other = StandbyHome(long, {**home.environment, "XDG_RUNTIME_DIR": str(long)})
    other.start()
    works(other)
    assert other.served == 1
    other.stop()


def test_who_has_no_runtime_folder_has_one_in_the_cache(home: StandbyHome, tmp_path: Path) -> None:
    environment = {name: value for name, value in home.environment.items() if name != "XDG_RUNTIME_DIR"}
    cached = StandbyHome(tmp_path, {**environment, "XDG_CACHE_HOME": str(tmp_path / "cache")})
    cached.start()
    works(cached)
    assert cached.served == 1
    assert (tmp_path / "cache/adjudge/adjudge-standby").stat().st_mode & 0o777 == 0o700
    cached.stop()


needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs root, to be two users")


@needs_root
def test_a_folder_or_a_socket_of_another_user(home: StandbyHome) -> None:
    home.place.mkdir(mode=0o700)
    os.chown(home.place, OTHER, OTHER)
    works(home)
    refused(home)
    os.chown(home.place, 0, 0)
    listens = (
        f"import os, socket, sys; os.setuid({OTHER})\n"
        "s = socket.socket(fileno=3); s.listen()\nprint(flush=True)\n"
        "while True:\n c, _ = s.accept(); c.recv(4); c.recv(1 << 20)\n"
        f" c.send({YES!r}); print(c.recv(1), flush=True)"
    )
    with socket.socket(socket.AF_UNIX) as planted:
        planted.bind(str(home.place / "socket"))
        process = subprocess.Popen(
            [sys.executable, "-c", f"import os; os.dup2({planted.fileno()}, 3)\n{listens}"],
            pass_fds=[planted.fileno()],
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        process.stdout.readline()
        works(home)  # it is not said go
        done = home.run("standby", "--status")
        assert (done.returncode, b"somebody else" in done.stderr) == (1, True)
        process.kill()
        assert process.communicate()[0].replace(b"b''\n", b"") == b""


@needs_root
def test_an_ordinary_user_is_served(home: StandbyHome) -> None:
    """Who has no rights sees less of other processes in `/proc`, their own included."""
    os.chown(home.folder, OTHER, OTHER)
    home.folder.parent.chmod(0o711)
    words = ("--reuid", OTHER, "--regid", OTHER, "--clear-groups")
    rights = ("--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search")  # to read this checkout
    become = ["setpriv", *map(str, words), *rights]

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        environment = {**home.environment, "HOME": str(home.folder)}
        return subprocess.run(
            [*become, PROGRAM, *command], env=environment, capture_output=True, text=True, cwd="/"
        )

    started = run("standby")
    if started.returncode == 1:
        pytest.skip(f"needs setpriv, and a Python that others may run: {started.stderr}")
    assert "differ" not in started.stdout
    assert run("schema").returncode == 0
    assert json.loads(run("standby", "--status", "--json").stdout)["standby"]["served"] == 1
    assert run("standby", "--stop").stdout == "It has ended.\n"


@needs_root
def test_another_user_is_not_served(home: StandbyHome) -> None:
    """Even one who may enter the folder."""
    home.start()
    home.folder.chmod(0o711)
    asks = (
        f"import os, socket\nfolder = os.open({str(home.place)!r}, os.O_PATH)\n"
        f"s = socket.socket(socket.AF_UNIX); os.setgroups([]); os.setgid({OTHER}); os.setuid({OTHER})\n"
        "try:\n s.connect(f'/proc/self/fd/{folder}/socket'); s.send(bytes(4)); print(s.recv(100))\n"
        "except OSError as error: print(type(error).__name__)"
    )
    said = subprocess.run([sys.executable, "-c", asks], capture_output=True, text=True, check=True).stdout
    assert said.strip() in ("b''", "ConnectionResetError", "BrokenPipeError", "PermissionError")


def test_bad_requests_harm_nobody(home: StandbyHome) -> None:
    server = home.start()["process"]
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2, 2]))]
    for message in (
        b"",
        b"x",
        b"\xff" * 4,
        b"\x7f\xff\xff\xff" + b"x" * 100,
        b"\0\0\0\5(((((",
        b"\0\0\0\4None",
        b"\0\0\0\2{}",
        b"\0\0\0\x0d__import__(1)",
        (20_000).to_bytes(4, "big") + b"[" * 20_000,
        b"\0\0\0\4\xff\xff\xff\xff",
    ):
        for passed in ([], rights, [(*rights[0][:2], array.array("i", range(3)))]):
            with connected(home) as connection:
                if message:
                    connection.sendmsg([message[:4]], passed)
                    connection.sendall(message[4:])
                connection.shutdown(socket.SHUT_WR)
                with contextlib.suppress(ConnectionError):
                    assert connection.recv(100) == b""
    assert is_alive(server)
    works(home)
    assert home.served == 1


def test_clients_that_say_nothing_keep_nobody_from_being_served(home: StandbyHome) -> None:
    server = home.start()["process"]
    silent = [connected(home) for _ in range(20)]
    assert wait_until(lambda: len(children(server)) == 20)
    works(home)
    assert home.served == 1
    many = [connected(home) for _ in range(60)]  # more than it attends at once
    works(home)
    for connection in (*silent, *many):
        connection.close()
    assert wait_until(lambda: len(children(server)) == 0)
    works(home)
    assert home.served >= 2


def test_a_client_that_goes_on_saying_nothing_is_let_go(home: StandbyHome) -> None:
    server = home.start()["process"]
    with connected(home):
        assert wait_until(lambda: len(children(server)) == 1)
        assert wait_until(lambda: len(children(server)) == 0)


def test_a_command_that_could_not_be_started_there_is_run_here(home: StandbyHome) -> None:
    """No process left: whoever said yes may hand the command back, before it has begun."""
    home.place.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(home.place / "socket"))
        listening.listen()
        process = subprocess.Popen(
            [PROGRAM, "schema", "EvaluationResult"],
            env=home.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        connection, _ = listening.accept()
        with connection:
            length = int.from_bytes(connection.recv(4), "big")
            connection.recv(length, socket.MSG_WAITALL)
            connection.sendall(YES)
            connection.recv(1)
            connection.sendall(NOT_RUN)
            out, err = process.communicate(timeout=HANG_SEC)
    assert (process.returncode, b'"title": "EvaluationResult"' in out, err) == (0, True, b"")


def test_ctrl_c_while_a_server_hangs(home: StandbyHome) -> None:
    server = home.start()["process"]
    os.kill(server, signal.SIGSTOP)
    process = subprocess.Popen([PROGRAM, "trials"], env=home.environment, stderr=subprocess.PIPE)
    assert wait_until(lambda: blocks(process.pid, signal.SIGINT))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=HANG_SEC)
    os.kill(server, signal.SIGCONT)
    assert (process.returncode, err) == (130, b"interrupted\n")


def test_a_server_that_hangs_costs_a_moment(home: StandbyHome) -> None:
    server = home.start()["process"]
    os.kill(server, signal.SIGSTOP)
    works(home)  # and nothing of it is left open in the other's queue
    os.kill(server, signal.SIGCONT)
    assert wait_until(lambda: len(children(server)) == 0)
    assert home.served == 0


def test_from_a_sandbox_that_sees_the_socket_nothing_is_served(home: StandbyHome) -> None:
    """The same user, by number, in namespaces of its own: its command is not run outside of them."""
    home.start()
    tried = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", PROGRAM, "schema"],
        env=home.environment,
        capture_output=True,
    )
    if tried.returncode:
        pytest.skip(f"needs user namespaces: {tried.stderr.decode()}")
    assert home.served == 0


def test_who_listens_in_a_sandbox_is_handed_nothing(home: StandbyHome, tmp_path: Path) -> None:
    """The same user, by number, who sees the folder: no command, no variables, no folder to get out by."""
    home.place.mkdir(mode=0o700)
    listens = (
        "import os, socket, sys\ns = socket.socket(socket.AF_UNIX)\n"
        f"s.bind({str(home.place / 'socket')!r}); s.listen(); print(flush=True)\n"
        "while True:\n c, _ = s.accept(); print(c.recv(1 << 20), flush=True); c.close()\n"
    )
    process = subprocess.Popen(
        [
            *("unshare", "--user", "--map-root-user", "--mount", "--kill-child", "--fork"),
            *(sys.executable, "-c", listens),
        ],
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    if not process.stdout.readline():
        process.wait()
        pytest.skip("needs user namespaces")
    works(home)
    for words in (["standby", "--status"], ["standby"]):
        done = home.run(*words)
        assert (done.returncode, b"in another sandbox" in done.stderr) == (1, True), done.stderr
    process.kill()
    assert set(process.communicate()[0].splitlines()) <= {b"b''"}
