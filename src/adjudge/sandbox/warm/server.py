"""A warm server: a sandbox in which the verifier's Python has started and waits; each trial is a fork of it.

The server's own sandbox is made like any other, but may nest others, and holds no output. For a trial it
gets three descriptors and the size of a disk. The trial's first process builds namespaces of its own (see
`inside.py`), sends descriptors of its root back and waits; from there on everything is done as in a cold run,
by the same functions: files are placed through the descriptor of the root, the verifier is released, followed
and killed, and the artifacts are read when all of its processes are dead.

If trials follow each other, the next is built while one runs (`_ask_ahead`). Building takes no output, so it
differs in nothing but in when it is done.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import socket
import threading
import time

from msgspec import Struct, field
from msgspec.structs import replace

from adjudge.errors import SandboxError
from adjudge.sandbox.backends.binary import startable
from adjudge.sandbox.backends.bubblewrap import (
    BubblewrapSandbox,
    disk_size,
    furnish,
    limit,
    run_to_end,
    shared_memory_size,
)
from adjudge.sandbox.backends.seccomp import filter_program
from adjudge.sandbox.backends.start import LATCH, SandboxProcess, start
from adjudge.sandbox.files.admission import admit
from adjudge.sandbox.files.gathered import gathered
from adjudge.sandbox.files.import_order import covers_with, python_covers
from adjudge.sandbox.files.layout import TESTS, Mount, covered, environment, isolation, programs, root_folder
from adjudge.sandbox.files.own_tests import OwnTests, own_tests
from adjudge.sandbox.files.place import open_folder
from adjudge.sandbox.identity import as_sandbox_user
from adjudge.sandbox.job import SandboxJob, SandboxOutcome
from adjudge.sandbox.warm.plan import COLD, TRIAL_ROOT, server_text, shown_to_trials
from adjudge.sandbox.warm.script import PythonStart
from adjudge.sandbox.warm.trial import START_SEC, AskedTrial, WarmTrial, ask

LAST_OWN_CODE = 128
"""Codes above are a shell's for signals."""
YOUNG_SEC = 1.0
"""A trial that was built longer ago is not used: what it holds of the time of its start would be old."""
MOST_AHEAD = 8
_ROOM = 16 << 20
"""Of the server's own root, which nothing is written to."""


class WarmServer(Struct):
    """A Python that waits in its sandbox. `run` may be called from many threads."""

    sandbox: SandboxProcess
    channel: socket.socket
    tests: OwnTests | None
    """Of which each trial has a copy; None if the tests are shown read-only."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    ahead: list[AskedTrial] = field(default_factory=list)
    latest: float = -math.inf
    """When a trial was released last."""

    def run(self, job: SandboxJob) -> SandboxOutcome | str:
        """Run one job; if its end leaves any doubt, so that it has to be run cold, say which.

        Only a verifier that ended by itself, with an exit code of its own and within all limits, leaves none.
        """
        outcome, told = self.attempt(job)
        if outcome.limits_hit:
            return f"a warm run of it came to a limit ({', '.join(outcome.limits_hit)})"
        if told is None or told > LAST_OWN_CODE:
            return "a warm run of it did not end by itself"
        return outcome

    def attempt(self, job: SandboxJob) -> tuple[SandboxOutcome, int | None]:
        """Run one job however it ends; the status is what its first process reported, if it did."""
        admission = job.admission()
        with contextlib.ExitStack() as stack:
            size = disk_size(job, admission) + (0 if self.tests is None else self.tests.size)
            trial = self._trial(size)
            stack.callback(trial.close)
            with as_sandbox_user():
                furnish(trial.root, job, admission, self.tests)
                os.close(open_folder(trial.root, job.collect, create=True))

            def meanwhile() -> None:
                self._ask_ahead(size)
                if job.meanwhile is not None:
                    job.meanwhile()

            return run_to_end(trial, replace(job, meanwhile=meanwhile), admission, None), trial.told

    def _trial(self, size: int) -> WarmTrial:
        """One that was asked for ahead, if it is of that size and young; else a new one.

        Raises SandboxError with what the server said if it cannot be had.
        """
        now = time.monotonic()
        with self.lock:
            old = [asked for asked in self.ahead if asked.since < now - YOUNG_SEC]
            fitting = [asked for asked in self.ahead if asked.size == size and asked not in old]
            self.ahead = [asked for asked in self.ahead if asked not in old and asked not in fitting[:1]]
        for asked in old:
            asked.let_go()
        return (fitting[0] if fitting else ask(self.channel, size)).meet()

    def _ask_ahead(self, size: int) -> None:
        """Have the next trial built while this one runs, if trials come one after the other."""
        now = time.monotonic()
        with self.lock:
            follows, self.latest = now - self.latest < YOUNG_SEC, now
            if follows and len(self.ahead) < MOST_AHEAD:
                with contextlib.suppress(OSError):  # the next trial will see, if there is one
                    self.ahead.append(ask(self.channel, size))

    def close(self) -> None:
        """End the server and every trial of it."""
        self.let_go()
        self.sandbox.close()

    def let_go(self) -> None:
        """Keep no descriptor by which trials are asked for, or run."""
        self.channel.close()
        for asked in self.ahead:
            asked.let_go()
        self.ahead = []


def start_server(sandbox: BubblewrapSandbox, job: SandboxJob, begin: PythonStart) -> WarmServer:
    """Start the Python of a job's verifier and wait until it stands before its first line.

    Nothing of the job's output is used. Raises SandboxError if this machine, or this Python, does not do it.
    """
    refused = filter_program(building=True)
    if refused is None:
        raise SandboxError("this machine's system calls are not known", found=os.uname().machine)
    with contextlib.ExitStack() as stack, contextlib.ExitStack() as failed:
        fds: list[int] = []

        def descriptor(content: bytes) -> int:
            fd = os.memfd_create("content")
            stack.callback(os.close, fd)
            os.write(fd, content)
            os.lseek(fd, 0, os.SEEK_SET)
            fds.append(fd)
            return fd

        channel, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        failed.callback(channel.close)
        stack.callback(other.close)
        fds.append(other.fileno())
        tests = Mount(TESTS, source=job.tests.resolve())
        own = own_tests(job)
        mounts = [
            *gathered(programs(sandbox.rootfs)),
            *([tests] if own is None else []),  # else each trial has its own
            *(Mount(target, source=source) for target, source in job.shown.items()),
        ]
        cold = [(f"{COLD}{path}", content) for path, content in python_covers(sandbox.rootfs)]
        warm = covers_with(sandbox.rootfs, server_text(job, begin, mounts, channel=other.fileno()))
        arguments = [
            *isolation(uid=job.uid, nesting=True),
            *root_folder(
                size=_ROOM,
                shared_memory=shared_memory_size(job.limits),
                mounts=[*mounts, *([] if tests in mounts else [tests]), *shown_to_trials(mounts)],
                nesting=True,
            ),
            *("--dir", TRIAL_ROOT),
            *covered([*cold, *warm], descriptor),
            *environment(job.environment()),
            *("--chdir", job.workdir),
            *("--seccomp", str(descriptor(refused))),
        ]
        process = start(startable(sandbox.program), arguments, job.command, ready=job.collect, fds=fds)
        failed.callback(process.close)
        nobodys = admit({}, workdir=job.workdir, collect=job.collect, tests=job.tests, asked_for=())
        with as_sandbox_user():
            os.unlink(LATCH, dir_fd=process.root)
        furnish(process.root, job, nobodys)
        with as_sandbox_user():
            limit(process.init_pid, job, count_processes=False)
            os.close(open_folder(process.root, job.collect, create=True))
        process.release()
        other.close()
        channel.settimeout(START_SEC)
        try:
            ready = channel.recv(1)
        except OSError:
            ready = b""
        if ready != b"W":
            raise SandboxError("this verifier's Python does not wait", found=_words(process))
        failed.pop_all()
        return WarmServer(process, channel, own)


def _words(process: SandboxProcess) -> str:
    select.select([process.stderr], [], [], 0.2)
    try:
        return os.read(process.stderr, 2000).decode("utf-8", "replace").strip() or "no message"
    except BlockingIOError:
        return "no message"
