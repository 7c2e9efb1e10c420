"""Whatever is not exactly like the resident process runs where it was called, with the same result."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import COMMANDS
from adjudge.standby.client import QUICK, is_quick
from support.standby import PROGRAM, StandbyHome


def is_served(ready: StandbyHome, *words: str, prefix: tuple[str, ...] = (), **options: Any) -> bool:
    """Was the command run by what stands by? It succeeds either way."""
    served = ready.served
    environment = {**ready.environment, **options.pop("variables", {})}
    done = subprocess.run(
        [*prefix, PROGRAM, *(words or ("schema", "EvaluationResult"))],
        env=environment,
        capture_output=True,
        **options,
    )
    assert done.returncode == 0, done.stderr
    return ready.served > served


def test_an_ordinary_command_is_served(ready: StandbyHome) -> None:
    assert is_served(ready)
    assert is_served(ready, variables={"NEW": "1", "TZ": "UTC", "ADJUDGE_LEDGER": "x"})


@pytest.mark.parametrize(
    "variable",
    [
        *("ADJUDGE_STANDBY=0", "PYTHONWARNINGS=ignore", "PYTHONUTF8=1", "PYTHONUNBUFFERED=yes"),
        *("PYTHONDONTWRITEBYTECODE=2", "PYTHONHASHSEED=1", "PYTHONPATH=/nowhere", "LC_ALL=C.UTF-8"),
        *("LANG=xx", "LD_LIBRARY_PATH=/nowhere", "OPENBLAS_NUM_THREADS=3", "HOME=/nowhere"),
        *("MALLOC_ARENA_MAX=1", "PYDANTIC_DISABLE_PLUGINS=0", "XDG_RUNTIME_DIR=/nowhere"),
    ],
)
def test_variables_that_are_read_at_a_start(ready: StandbyHome, variable: str) -> None:
    name, _, value = variable.partition("=")
    assert not is_served(ready, variables={name: value})


def _files() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (500, hard))


def test_few_open_files_are_enough(home: StandbyHome) -> None:
    """As long as those of a command find room, also above all that are open already."""

    def shell(script: str) -> subprocess.CompletedProcess[bytes]:
        words = ["bash", "-c", f"ulimit -n 64; {script}"]
        return subprocess.run(words, env=home.environment, capture_output=True)

    done = shell(f"{PROGRAM} standby")
    assert (done.returncode, done.stderr) == (0, b"")
    for held, served in ((0, 1), (10, 2), (30, 2)):
        opened = " ".join(f"{number}</dev/null" for number in range(10, 10 + held))
        done = shell(f"{PROGRAM} schema EvaluationResult {opened}")
        assert (done.returncode, done.stderr) == (0, b"")
        status = shell(f"{PROGRAM} standby --status --json")
        assert json.loads(status.stdout)["standby"]["served"] == served


def _no_new_privileges() -> None:
    import ctypes

    assert ctypes.CDLL(None).prctl(38, 1, 0, 0, 0) == 0


def _one_core() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def _batch() -> None:
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _victim() -> None:
    Path("/proc/self/oom_score_adj").write_text("700")


def _nice() -> None:
    os.nice(3)


@pytest.mark.parametrize(
    "become",
    [_files, _no_new_privileges, _one_core, _batch, _victim, _nice],
    ids=lambda function: function.__name__,
)
def test_limits_rights_and_scheduling(ready: StandbyHome, become: Callable[[], object]) -> None:
    if become is _one_core and len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core alone")
    assert not is_served(ready, preexec_fn=become)


@pytest.mark.parametrize(
    "kinds",
    ["--user", "--user --mount", "--user --net", "--user --uts", "--user --ipc", "--user --pid --fork"],
)
def test_namespaces(ready: StandbyHome, kinds: str) -> None:
    """Here and with the same number for the user, so that nothing but the namespace differs."""
    prefix = ("unshare", *kinds.split(), "--map-root-user" if os.getuid() == 0 else "--map-current-user")
    tried = subprocess.run([*prefix, "true"], capture_output=True)
    if tried.returncode:
        pytest.skip(f"needs user namespaces: {tried.stderr.decode()}")
    assert not is_served(ready, prefix=prefix)


def test_another_root(ready: StandbyHome, tmp_path: Path) -> None:
    if os.getuid():
        pytest.skip("needs root, for chroot")
    script = "import os, sys; os.chroot('/proc/self/root/..'); os.execv(sys.argv[1], sys.argv[1:])"
    assert is_served(ready, prefix=(sys.executable, "-c", script))  # the same root, by another name
    bound = subprocess.run(
        [
            "unshare",
            "--mount",
            "sh",
            "-c",
            f"mount --rbind / {tmp_path} && chroot {tmp_path} {PROGRAM} schema",
        ],
        env=ready.environment,
        capture_output=True,
    )
    if bound.returncode:
        pytest.skip(f"needs bind mounts: {bound.stderr.decode()[-200:]}")


def test_other_groups_and_rights(ready: StandbyHome) -> None:
    if os.getuid():
        pytest.skip("needs root, to take away what it has")
    assert not is_served(ready, prefix=("setpriv", "--groups", "12345"))
    assert not is_served(ready, prefix=("setpriv", "--regid", "12345", "--keep-groups"))
    assert not is_served(ready, prefix=("setpriv", "--bounding-set", "-sys_boot"))


def test_an_interpreter_with_other_options_or_another_program(ready: StandbyHome) -> None:
    served = ready.served
    for words in (
        [sys.executable, "-O", PROGRAM],
        [sys.executable, "-W", "ignore", PROGRAM],
        [sys.executable, "-X", "dev", PROGRAM],
        [sys.executable, "-I", PROGRAM],
        [sys.executable, "-m", "adjudge"],
    ):
        done = subprocess.run(
            [*words, "schema", "EvaluationResult"], env=ready.environment, capture_output=True
        )
        assert done.returncode == 0, done.stderr
    assert ready.served == served


@pytest.mark.parametrize(
    "variable",
    [
        *("PYTHONVERBOSE", "PYTHONINSPECT", "PYTHONDEVMODE", "PYTHONPROFILEIMPORTTIME"),
        *("PYTHONMALLOCSTATS", "PYTHONFAULTHANDLER"),
    ],
)
def test_a_python_that_tells_of_its_start_or_end(home: StandbyHome, variable: str) -> None:
    """A fork has neither, also if the resident process is told the same."""
    environment = {**home.environment, variable: "1"}
    home.run("standby", env=environment)
    home.run("schema", "EvaluationResult", env=environment)
    told = json.loads(home.run("standby", "--status", "--json", env=environment).stdout)["standby"]
    assert told["served"] == 0
    assert {variable, variable.removeprefix("PYTHON").lower(), "dev_mode"} & set(told["differs"])


def test_a_traceback_is_that_of_the_command_alone(ready: StandbyHome) -> None:
    variables = {**ready.environment, "ADJUDGE_TRACEBACK": "1"}
    told = []
    for plain in (True, False):
        with Path("/dev/full").open("wb") as full:
            done = ready.run(
                "schema",
                plain=plain,
                env=variables,
                capture_output=False,
                stdout=full,
                stderr=subprocess.PIPE,
            )
        told.append(done.stderr)
    assert told[0] == told[1]
    assert b"Traceback" in told[0]


def test_a_command_that_is_traced(ready: StandbyHome) -> None:
    script = (
        "import sys; sys.settrace(lambda *_: None); sys.argv[0] = sys.argv.pop(1)\n"
        "from adjudge.cli import main; main()"
    )
    assert not is_served(ready, prefix=(sys.executable, "-c", script))


def test_only_quick_commands_are_offered() -> None:
    assert set(COMMANDS) >= QUICK
    slow = {"run", "serve", "audit", "judge", "redteam", "harbor", "standby", "ingest", "rescore", "users"}
    assert not slow & QUICK
    assert not any(is_quick([name, "--workers", "2"]) for name in slow)
    assert is_quick(["--help"])
    assert is_quick(["run", "--help"])
    assert not any(map(is_quick, ([], ["standby", "--help"], ["harbor", "run", "--help"], ["--version"])))


def test_a_thread_of_another_program(ready: StandbyHome) -> None:
    """No signal reaches it, so it cannot wait for one."""
    script = (
        "import sys, threading; from adjudge.cli import main\n"
        "sys.argv = ['adjudge', 'schema', 'EvaluationResult']\n"
        "thread = threading.Thread(target=main); thread.start(); thread.join()"
    )
    done = subprocess.run([sys.executable, "-c", script], env=ready.environment, capture_output=True)
    assert (b'"title": "EvaluationResult"' in done.stdout, done.stderr) == (True, b"")


def in_terminal(ready: StandbyHome, line: str, *typed: bytes) -> tuple[bytes, bool]:
    """What a shell at a terminal shows once it has run this, and whether anything was served."""
    served = ready.served
    shell, terminal = pty.fork()
    if not shell:
        os.execve(  # noqa: S606 - becomes the shell
            "/bin/bash",
            ["bash", "--norc", "-c", f"set -m; {line}; stty -tostop; echo at its end"],
            ready.environment,
        )
    for keys in typed:
        os.write(terminal, keys)
    shown = b""
    with contextlib.suppress(OSError):  # how a terminal says that nobody writes to it any more
        while part := os.read(terminal, 4096):
            shown += part
    os.close(terminal)
    os.waitpid(shell, 0)
    assert b"at its end" in shown
    return shown, ready.served > served


def test_a_command_that_reads_its_terminal(ready: StandbyHome, book: Path) -> None:
    """By its name, or as what it is called with: a process of another session would not wait for its turn."""
    row = b'{"trial_id": "nothing", "reviewer_id": "me"}\n\x04'
    for source in ("-", "/dev/stdin", "/dev/tty", "/proc/self/fd/0"):
        shown, served = in_terminal(ready, f"{PROGRAM} annotate import {source} --ledger {book}", row)
        assert (b"nothing" in shown, served) == (True, False)
    assert in_terminal(ready, f"{PROGRAM} trials --ledger {book} --output=/dev/fd/1")[1] is False
    for source in ("<(echo '{}')", "/dev/null"):
        assert in_terminal(ready, f"{PROGRAM} annotate import {source} --ledger {book}")[1]


def test_a_command_in_the_background_of_its_terminal(ready: StandbyHome, book: Path) -> None:
    """The terminal stops it as soon as it writes there, if it was told to."""
    shown, served = in_terminal(
        ready, f"stty tostop; {PROGRAM} trials --ledger {book} & wait $!; jobs; kill -KILL %1; stty -tostop"
    )
    assert (b"Stopped" in shown, served) == (True, False)
    assert in_terminal(ready, f"{PROGRAM} trials --ledger {book}")[1]


def test_a_client_imports_little() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys, re, adjudge.cli, adjudge.standby.client; print(*sys.modules)"],
        capture_output=True,
        text=True,
    )
    loaded = set(done.stdout.split())
    assert "adjudge.standby.client" in loaded
    assert not loaded & {"click", "typing", "socket", "contextlib", "pathlib", "subprocess", "json", "struct"}


def test_without_anything_that_stands_by_a_command_looks_once(home: StandbyHome) -> None:
    """One folder that is not there: no module of the client is imported."""
    script = (
        "import sys; sys.argv = ['adjudge', '--version']\nfrom adjudge.cli import main\nmain()\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=home.environment, capture_output=True, text=True
    )
    loaded = set(done.stdout.split())
    assert "adjudge.standby" in loaded
    assert not loaded & {"adjudge.standby.client", "socket", "_socket", "fcntl"}
