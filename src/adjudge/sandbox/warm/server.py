"""A warm server: a sandbox in which the verifier's Python has started and waits; each trial is a fork of it.

The server's own sandbox is made like any other, but may nest others, and holds no output. For a trial it
gets three descriptors and the size of a disk. The trial's first process builds namespaces of its own (see
`inside.py`), sends descriptors of its root back and waits; from there on everything is done as in a cold run,
by the same functions: files are placed through the descriptor of the root, the verifier is released, followed
and killed, and the artifacts are read when all of its processes are dead.

Who the trial's first process is says the kernel (the sender of a message), not the message.
"""

from __future__ import annotations

import array
import contextlib
import os
import select
import socket
import struct

from msgspec import Struct

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
from adjudge.sandbox.backends.start import LATCH, SandboxProcess, kill_namespace, start
from adjudge.sandbox.files.admission import admit
from adjudge.sandbox.files.import_order import covers_with, python_covers
from adjudge.sandbox.files.layout import TESTS, Mount, covered, environment, isolation, programs, root_folder
from adjudge.sandbox.files.own_tests import copied_size
from adjudge.sandbox.files.place import copy_folder, open_folder
from adjudge.sandbox.identity import as_sandbox_user, own
from adjudge.sandbox.job import SandboxJob, SandboxOutcome
from adjudge.sandbox.warm.plan import COLD, TRIAL_ROOT, server_text, shown_to_trials
from adjudge.sandbox.warm.script import PythonStart

LAST_OWN_CODE = 128
"""Codes above are a shell's for signals."""
_START_SEC = 20.0
_CREDENTIALS = struct.Struct("3i")
_ROOM = 16 << 20
"""Of the server's own root, which nothing is written to."""


class WarmTrial(Struct):
    """One trial of a server, from its first process on; the same face as a sandbox of its own."""

    control: socket.socket
    stdout: int
    stderr: int
    init_pid: int
    init: int
    root: int
    shared_memory: int
    proc: int
    told: int | None = None
    """The status that the first process reported, as shells tell it; None if it did not."""

    def release(self) -> None:
        self.control.send(b"G")

    def ended(self) -> int:
        return os.dup(self.control.fileno())

    def status(self) -> int | None:
        try:
            message = self.control.recv(512)
        except OSError:
            message = b""
        if message[:1] == b"S":
            code = os.waitstatus_to_exitcode(int.from_bytes(message[1:], "little"))
            self.told = code if code >= 0 else 128 - code
        return self.told

    def kill(self) -> None:
        kill_namespace(self.init, self.init_pid)

    def close(self) -> None:
        try:
            self.kill()
        finally:
            self.control.close()
            for fd in (self.stdout, self.stderr, self.init, self.root, self.shared_memory, self.proc):
                os.close(fd)


class WarmServer(Struct):
    """A Python that waits in its sandbox. `run` may be called from many threads."""

    sandbox: SandboxProcess
    channel: socket.socket

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
            tests = job.tests.resolve()
            writable = copied_size(job)
            trial = self._fork(disk_size(job, admission) + (writable or 0))
            stack.callback(trial.close)
            if writable is not None:
                copy_folder(tests, trial.root, TESTS)
            furnish(trial.root, job, admission)
            with as_sandbox_user():
                os.close(open_folder(trial.root, job.collect, create=True))
            return run_to_end(trial, job, admission, None), trial.told

    def _fork(self, size: int) -> WarmTrial:
        """Have a trial's namespaces built. Raises SandboxError with what the server said if that fails."""
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
            control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            ours.callback(control.close)
            theirs.callback(other.close)
            control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            control.settimeout(_START_SEC)
            out, out_in = _pipe(ours, theirs)
            err, err_in = _pipe(ours, theirs)
            socket.send_fds(self.channel, [size.to_bytes(8, "little")], [other.fileno(), out_in, err_in])
            theirs.close()
            trial = _meet(control, out, err)
            ours.pop_all()
            return trial

    def close(self) -> None:
        """End the server and every trial of it."""
        self.channel.close()
        self.sandbox.close()


def _pipe(reader: contextlib.ExitStack, writer: contextlib.ExitStack) -> tuple[int, int]:
    reading, writing = os.pipe()
    reader.callback(os.close, reading)
    writer.callback(os.close, writing)
    os.set_blocking(reading, False)
    own(writing)
    return reading, writing


def _meet(control: socket.socket, out: int, err: int) -> WarmTrial:
    """Wait until the trial's first process stands ready, and take hold of it."""
    try:
        message, ancillary, _, _ = control.recvmsg(
            512, socket.CMSG_SPACE(12) + socket.CMSG_SPACE(_CREDENTIALS.size), socket.MSG_CMSG_CLOEXEC
        )
    except OSError as error:
        raise SandboxError("a warm server does not answer", found=str(error)) from error
    fds = array.array("i")
    pid = 0
    for _, kind, data in ancillary:
        if kind == socket.SCM_RIGHTS:
            fds.frombytes(data[: len(data) - len(data) % fds.itemsize])
        elif kind == socket.SCM_CREDENTIALS:
            pid = _CREDENTIALS.unpack(data[: _CREDENTIALS.size])[0]
    if message != b"R" or len(fds) != 3 or not pid:
        for fd in fds:
            os.close(fd)
        raise SandboxError("a warm run cannot be begun", found=message[1:].decode("utf-8", "replace"))
    try:
        init = os.pidfd_open(pid)
    except OSError:
        for fd in fds:
            os.close(fd)
        raise
    control.settimeout(None)
    return WarmTrial(control, out, err, pid, init, *fds)


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
        mounts = [
            *programs(sandbox.rootfs),
            *([tests] if copied_size(job) is None else []),  # else each trial has its own
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
        channel.settimeout(_START_SEC)
        try:
            ready = channel.recv(1)
        except OSError:
            ready = b""
        if ready != b"W":
            raise SandboxError("this verifier's Python does not wait", found=_words(process))
        failed.pop_all()
        return WarmServer(process, channel)


def _words(process: SandboxProcess) -> str:
    select.select([process.stderr], [], [], 0.2)
    try:
        return os.read(process.stderr, 2000).decode("utf-8", "replace").strip() or "no message"
    except BlockingIOError:
        return "no message"
