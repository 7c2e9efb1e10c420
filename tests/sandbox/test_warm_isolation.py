"""Nothing passes from one warm trial to the next, nor between two at once; a trial is as a cold run is."""

from __future__ import annotations

import json
import mmap
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from adjudge.gates import OutputFile
from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome, run_warm, warm_start
from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox
from adjudge.sandbox.backends.start import kill_namespace
from adjudge.sandbox.warm import servers
from adjudge.sandbox.warm.server import WarmServer, start_server
from adjudge.sandbox.warm.trial import WarmTrial
from support.patience import wait_until
from support.sandbox_jobs import SMALL

PROBE = """
import os, sys, json, re, random, math, functools, signal, resource, threading, linecache, decimal, warnings
import socket, gc, subprocess, tempfile, fcntl

FOLDERS = ("/", "/tmp", "/var/tmp", "/run", "/run/verifier", "/dev/shm", "/workspace", "/logs")

def listing(folder):
    try:
        return sorted(os.listdir(folder))
    except OSError as error:
        return type(error).__name__

def state():
    return {
        "json.dumps": json.dumps.__module__, "math.pi": math.pi,
        "marks": [hasattr(sys, "mark"), hasattr(json, "mark")],
        "builtins": hasattr(__builtins__, "mark"), "modules": sorted(sys.modules), "path": sys.path,
        "hooks": [len(sys.path_hooks), len(sys.meta_path)], "importers": sorted(sys.path_importer_cache),
        "environment": dict(os.environ), "folder": os.getcwd(), "argv": sys.argv, "flags": str(sys.flags),
        "umask": os.umask(0o022), "nice": os.nice(0), "switch": sys.getswitchinterval(),
        "recursion": sys.getrecursionlimit(), "trace": str(sys.gettrace()),
        "excepthook": sys.excepthook is sys.__excepthook__,
        "handlers": {n: str(signal.getsignal(n)) for n in range(1, 65)},
        "mask": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
        "alarm": signal.getitimer(signal.ITIMER_REAL),
        "threads": threading.active_count(), "processes": [n for n in listing("/proc") if n.isdecimal()],
        "ids": [os.getpid(), os.getppid(), os.getsid(0), os.getpgrp(), os.getuid(), os.getgroups()],
        "descriptors": [n for n in listing("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{n}")],
        "limits": [resource.getrlimit(getattr(resource, n)) for n in dir(resource) if "RLIMIT_" in n],
        "cpus": sorted(os.sched_getaffinity(0)), "caches": [len(re._cache), len(linecache.cache)],
        "decimal": str(decimal.getcontext()), "warnings": len(warnings.filters), "hash": hash("word"),
        "folders": {f: listing(f) for f in FOLDERS + ("/dev/pts", "/tests", "/etc", "/opt/adjudge")},
        "disk": [os.statvfs(p).f_bfree for p in ("/", "/dev/shm")],
        "files": [os.statvfs(p).f_ffree for p in ("/dev/shm",)],
        "network": open("/proc/net/unix").read().count("adjudge-left"),
        "ipc": [len(open(f"/proc/sysvipc/{kind}").readlines()) for kind in ("shm", "sem", "msg")],
        "host": os.uname().nodename, "sockets": [1 for x in gc.get_objects() if type(x).__name__ == "socket"],
        "streams": [sys.stdout.encoding, sys.stdout.line_buffering, sys.stdout.newlines, sys.stdin.read()],
        "input": [fcntl.fcntl(0, what) for what in (fcntl.F_GETFL, fcntl.F_GETFD, 11)],  # 11: F_GETSIG
        "temporary": [tempfile.tempdir, tempfile._name_sequence is None],
    }
"""
DIRTY = """
import builtins, ctypes, time, atexit
def spoil():
    sys.mark = json.mark = builtins.mark = 1
    math.pi, json.dumps = 3, lambda *a, **k: "{}"
    sys.path.insert(0, "/workspace"); sys.modules["decimal"] = sys.modules["re"] = json
    sys.path_hooks.clear(); sys.meta_path.clear(); sys.path_importer_cache.clear()
    os.environ.clear(); os.environ["LEFT"] = "x"; os.putenv("LEFT", "x")
    os.umask(0); os.nice(5); sys.setswitchinterval(1); sys.setrecursionlimit(50_000)
    sys.settrace(lambda *a: None)
    sys.excepthook = print
    for n in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGCHLD): signal.signal(n, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2]); signal.setitimer(signal.ITIMER_VIRTUAL, 1000)
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    for folder in (*FOLDERS, "/logs/verifier"):
        open(folder + "/left", "w").write("x" * 100_000)
    os.symlink("/tests", "/tmp/tests"); os.mkfifo("/tmp/pipe"); os.chmod("/tmp", 0)
    global left; left = socket.socket(socket.AF_UNIX); left.bind("\\0adjudge-left"); left.listen()
    os.set_inheritable(left.fileno(), True)
    fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK | os.O_APPEND); fcntl.fcntl(0, 10, 42)  # 10: F_SETSIG
    os.openpty()
    for n in range(40): os.dup2(0, 100 + n, inheritable=True)
    resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20))
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    random.seed(7); decimal.getcontext().prec = 3; warnings.simplefilter("error"); linecache.cache["x"] = 1
    re._cache.clear(); gc.disable(); tempfile.tempdir = "/logs"
    ctypes.CDLL(None).prctl(15, b"left")
    if os.fork() == 0:
        os.setsid(); time.sleep(600)
    os.kill(1, signal.SIGTERM)
    os.chdir("/tmp" if os.access("/tmp", os.X_OK) else "/")
"""
MAIN = """
what = open("/workspace/what").read()
if what == "probe":
    print(json.dumps(state(), default=str), file=open("/logs/verifier/state.json", "w"))
elif what == "random":
    print(random.random(), os.urandom(4).hex(), file=open("/logs/verifier/random", "w"))
elif what == "dirty":
    spoil(); os._exit(0)
elif what == "dirty and stay":
    spoil(); open("/logs/verifier/ready", "w").close(); sys.stderr.write("ready"); sys.stderr.flush()
    time.sleep(600)
else:
    exec(what)
"""


@pytest.fixture(params=["exec ", ""], ids=["in the shell's place", "below the shell"])
def job(open_folder: Path, request: pytest.FixtureRequest) -> SandboxJob:
    tests = open_folder / "tests"
    tests.mkdir()
    (tests / "test.sh").write_text(
        f"#!/bin/bash\nset -e\nexport MODE=test\n{request.param}python3 -B /tests/v.py one two\n"
    )
    (tests / "v.py").write_text(PROBE + DIRTY + MAIN)
    return SandboxJob(("bash", "/tests/test.sh"), tests, {}, "/workspace", SMALL)


@pytest.fixture
def server(job: SandboxJob, sandbox: Sandbox) -> Iterator[WarmServer]:
    assert isinstance(sandbox, BubblewrapSandbox)
    start = warm_start(sandbox, job)
    assert not isinstance(start, str), start
    server = start_server(sandbox, job, start)
    yield server
    server.close()


def asked(job: SandboxJob, what: str) -> SandboxJob:
    return replace(job, files={"/workspace/what": OutputFile(what.encode())})


def state_of(outcome: SandboxOutcome | str) -> dict[str, Any]:
    assert isinstance(outcome, SandboxOutcome), outcome
    data = outcome.artifacts["state.json"].data
    assert data is not None, outcome.stderr
    found: dict[str, Any] = json.loads(data)
    return found


def test_nothing_passes_from_one_trial_to_the_next(server: WarmServer, job: SandboxJob) -> None:
    before = state_of(server.run(asked(job, "probe")))
    spoiled = server.run(asked(job, "dirty"))
    assert isinstance(spoiled, SandboxOutcome)
    assert (spoiled.exit_code, spoiled.stderr) == (0, b"")
    assert "left" in spoiled.artifacts  # it did what it meant to
    assert state_of(server.run(asked(job, "probe"))) == before


def test_a_warm_trial_finds_what_a_cold_one_finds(
    server: WarmServer, job: SandboxJob, sandbox: Sandbox
) -> None:
    cold = state_of(sandbox.run(asked(job, "probe")))
    assert state_of(server.run(asked(job, "probe"))) == cold


def test_two_trials_at_once_see_nothing_of_each_other(server: WarmServer, job: SandboxJob) -> None:
    before = state_of(server.run(asked(job, "probe")))
    limits = job.limits.model_copy(update={"wall_time_sec": 3})
    staying = replace(asked(job, "dirty and stay"), limits=limits)
    ended: list[SandboxOutcome] = []
    thread = threading.Thread(target=lambda: ended.append(server.attempt(staying)[0]))
    thread.start()
    seen = [state_of(server.run(asked(job, "probe"))) for _ in range(5)]
    thread.join()
    assert seen == [before] * 5
    assert "ready" in ended[0].artifacts
    assert ended[0].exit_code is None  # it was stopped at its time


def test_random_numbers_differ_from_trial_to_trial(server: WarmServer, job: SandboxJob) -> None:
    found = [server.run(asked(job, "random")) for _ in range(3)]
    data = {one.artifacts["random"].data for one in found if isinstance(one, SandboxOutcome)}
    assert len(data) == 3


@pytest.mark.parametrize(
    "code",
    [
        "raise SystemExit(3)",
        "sys.exit('words')",
        "sys.exit()",
        "raise ValueError('wrong\\nlines')",
        "1 / 0",
        "os._exit(7)",
        "atexit.register(print, 'at the end'); print('before'); sys.exit(128)",
        "import ctypes, socket, struct, array; print(ctypes.sizeof(ctypes.c_long), socket.socket())",
        "subprocess.run(['python3', '-c', 'import encodings; print(dir(encodings))'], check=True)",
        "exec('def f(): return g()\\ndef g(): raise KeyError(1)\\nf()')",
        "sys.stdout.write('no line end'); sys.stderr.write('é')",
        "os.close(1); print('x')",
        "print(open('/proc/self/cgroup').read(), open('/proc/self/oom_score_adj').read())",
        "print(open('/proc/self/status').read().partition('CapInh')[2].partition('Seccomp_filters')[0])",
        "raise KeyboardInterrupt",
        "import threading; threading.Thread(target=lambda: 1/0).start()",
    ],
)
def test_it_ends_as_a_cold_run_ends(server: WarmServer, job: SandboxJob, sandbox: Sandbox, code: str) -> None:
    cold, (warm, told) = sandbox.run(asked(job, code)), server.attempt(asked(job, code))
    assert told is not None
    assert (warm.exit_code, warm.stdout, warm.artifacts) == (cold.exit_code, cold.stdout, cold.artifacts)
    assert warm.stderr == cold.stderr or b"pc_thread" in cold.stderr


@pytest.mark.parametrize(
    "code",
    [
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os.abort()",
        "sys.exit(137)",
        "os.kill(os.getppid(), signal.SIGKILL) if os.getppid() != 1 else os.kill(os.getpid(), 9)",
        "x = bytearray(300_000_000)",
        "open('/tmp/x', 'wb').write(bytes(40_000_000))",
        "print('x' * 1_000_000)",
    ],
)
def test_an_end_that_leaves_a_doubt_does_not_count(server: WarmServer, job: SandboxJob, code: str) -> None:
    assert isinstance(server.run(asked(job, code)), str)
    assert isinstance(server.run(asked(job, "probe")), SandboxOutcome)  # the server goes on


def test_the_first_process_cannot_be_reached(server: WarmServer, job: SandboxJob) -> None:
    """It is a copy of the server: it must not be seen, signalled, limited into reporting another code."""
    code = """
found = [sorted(os.listdir("/proc/1"))]
for n in range(1, 65):
    try: os.kill(1, n)
    except OSError as error: found.append(str(error))
for path in ("/proc/1/mem", "/proc/1/fd/3", "/proc/1/root"):
    try: open(path, "r+b")
    except OSError as error: found.append(error.strerror)
print(found); sys.exit(5)
"""
    outcome = server.run(asked(job, code))
    assert isinstance(outcome, SandboxOutcome)
    assert outcome.exit_code == 5
    assert b"[[]" in outcome.stdout
    assert outcome.stdout.count(b"No such file") == 3


def test_what_is_left_behind_is_ended_when_the_end_is_told(
    server: WarmServer, job: SandboxJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the trial's first process, before anybody outside has heard of the end and kills the rest."""
    seen: list[bool] = []

    def kill(trial: WarmTrial) -> None:
        if not seen:
            children = Path(f"/proc/{trial.init_pid}/task/{trial.init_pid}/children")
            seen.append(wait_until(lambda: not children.read_text().split()))
        kill_namespace(trial.init, trial.init_pid)

    monkeypatch.setattr(WarmTrial, "kill", kill)
    code = "if os.fork() == 0:\n    os.setsid()\n    while True: signal.pause()\nos._exit(0)"
    assert isinstance(server.run(asked(job, code)), SandboxOutcome)
    assert seen == [True]


def test_files_that_cannot_be_placed_do_not_end_the_trials_of_others(
    job: SandboxJob, sandbox: Sandbox
) -> None:
    def standing() -> list[WarmServer | None]:
        return [stand.server for stand in servers._stands.values()]

    assert isinstance(run_warm(sandbox, asked(job, "probe")), SandboxOutcome)
    before = standing()
    odd = {"/workspace/a": OutputFile(b""), "/workspace/a/b": OutputFile(b"")}
    told = run_warm(sandbox, replace(job, files=odd))
    assert isinstance(told, str)
    assert "cannot be placed" in told
    assert standing() == before
    servers.close_servers()


def test_memory_that_forks_would_share_is_seen() -> None:
    code = "import mmap, runpy, sys; held = mmap.mmap(-1, 4096, flags=int(sys.argv[2])); "
    code += "print(runpy.run_path(sys.argv[1])['shares_memory']())"
    path = str(Path(servers.__file__).with_name("inside.py"))
    told = [
        subprocess.run([sys.executable, "-c", code, path, str(kind)], capture_output=True, check=True).stdout
        for kind in (mmap.MAP_SHARED, mmap.MAP_PRIVATE)
    ]
    assert told == [b"True\n", b"False\n"]
