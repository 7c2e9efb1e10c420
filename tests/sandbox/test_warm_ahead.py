"""The next warm trial is built while one runs, and used only if it is as good as a new one."""

from __future__ import annotations

import errno
import math
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from adjudge.gates import OutputFile
from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome, warm_start
from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox
from adjudge.sandbox.warm import server as warm_server
from adjudge.sandbox.warm.server import WarmServer, start_server
from adjudge.sandbox.warm.trial import AskedTrial, ask
from support.patience import wait_until
from support.sandbox_jobs import SMALL


@pytest.fixture
def job(open_folder: Path) -> SandboxJob:
    tests = open_folder / "tests"
    tests.mkdir()
    (tests / "test.sh").write_text("exec python3 -B /tests/v.py\n")
    (tests / "v.py").write_text(
        "import os\n"
        "print(open('/workspace/what').read()[:9], os.listdir('/workspace'), os.statvfs('/').f_blocks)\n"
    )
    return SandboxJob(("bash", "/tests/test.sh"), tests, {}, "/workspace", SMALL)


@pytest.fixture
def server(job: SandboxJob, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Iterator[WarmServer]:
    monkeypatch.setattr(warm_server, "YOUNG_SEC", 3600.0)  # however busy the machine is
    assert isinstance(sandbox, BubblewrapSandbox)
    start = warm_start(sandbox, job)
    assert not isinstance(start, str), start
    server = start_server(sandbox, job, start)
    yield server
    server.close()


def ran(server: WarmServer, job: SandboxJob, what: str) -> SandboxOutcome:
    found = server.run(replace(job, files={"/workspace/what": OutputFile(what.encode())}))
    assert isinstance(found, SandboxOutcome), found
    return found


def trials_of(server: WarmServer) -> set[str]:
    """The first processes of trials that live."""

    def children(pid: str) -> list[str]:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()

    def lives(pid: str) -> bool:
        try:
            return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return False

    (python,) = children(str(server.sandbox.init_pid))
    return {pid for pid in children(python) if lives(pid)}


def test_nothing_is_built_ahead_for_a_trial_that_stays_alone(server: WarmServer, job: SandboxJob) -> None:
    ran(server, job, "first")
    assert server.ahead == []


def test_trials_that_follow_each_other_are_built_ahead(
    server: WarmServer, job: SandboxJob, sandbox: Sandbox
) -> None:
    used: list[AskedTrial] = []
    for number in range(5):
        used += server.ahead
        run = ran(server, job, f"trial {number}")
        cold = sandbox.run(
            replace(job, files={"/workspace/what": OutputFile(f"trial {number}".encode())}),
        )
        assert run.stdout == cold.stdout
        assert len(server.ahead) == (number > 0)
    assert len({id(asked) for asked in used}) == 3


def test_one_of_another_size_is_left_for_others(
    server: WarmServer, job: SandboxJob, sandbox: Sandbox
) -> None:
    for _ in range(2):
        ran(server, job, "small")
    (small,) = server.ahead
    large = ran(server, job, "large" * 100_000)
    cold = sandbox.run(replace(job, files={"/workspace/what": OutputFile(b"large" * 100_000)}))
    assert large.stdout == cold.stdout
    assert small in server.ahead
    ran(server, job, "other")
    assert small not in server.ahead


def test_an_old_one_is_not_used_and_ends(server: WarmServer, job: SandboxJob) -> None:
    for _ in range(2):
        ran(server, job, "x")
    (old,) = server.ahead
    old.since = -math.inf
    assert wait_until(lambda: len(trials_of(server)) == 1)
    (first,) = trials_of(server)
    ran(server, job, "x")
    assert old not in server.ahead
    assert wait_until(lambda: first not in trials_of(server))


def test_a_trial_does_not_fail_because_none_can_be_asked_for(
    server: WarmServer, job: SandboxJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran(server, job, "x")
    asked: list[int] = []

    def once(channel: socket.socket, size: int) -> AskedTrial:
        asked.append(size)
        if len(asked) > 1:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return ask(channel, size)

    monkeypatch.setattr(warm_server, "ask", once)
    assert ran(server, job, "x").exit_code == 0
    assert (len(asked), server.ahead) == (2, [])


def test_descriptors_stay_as_many_as_they_are(server: WarmServer, job: SandboxJob) -> None:
    for _ in range(3):
        ran(server, job, "x")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        ran(server, job, "x")
    assert len(list(Path("/proc/self/fd").iterdir())) == before
