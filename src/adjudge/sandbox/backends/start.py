"""Start bubblewrap up to the point where everything is in place and nothing of the job has run yet.

bubblewrap's last step of building is to copy a file from the latch, a socket that was filled before. When it
can be written to again, bubblewrap has come to that step, and it stays there until the latch is shut. This
needs no polling, and no trust in anything inside.

The latch also closes when this process dies. The step after it therefore fails unless a folder is there that
is only made at the very end (`ready`): a sandbox whose maker died early takes itself down, and one whose
maker dies later is the janitor's.

The process may be anybody's, and fork at any moment (`adjudge._spawn`). A process that is forked off gets
copies of our descriptors: it closes those of a latch, and a socket is shut for everybody who has it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from adjudge._spawn import spawn
from adjudge.errors import SandboxError
from adjudge.sandbox.identity import become_sandbox_user, own
from adjudge.sandbox.watching import janitor
from adjudge.sandbox.watching.cgroup import ControlGroup

LATCH = ".latch"
_START_TIMEOUT_SEC = 30.0
_KILL_TIMEOUT_SEC = 30.0


class SandboxProcess(Struct):
    """A sandbox that waits at its latch, then runs, then is dead. Always close it; closing kills."""

    process: subprocess.Popen[bytes]
    name: str
    """By which the janitor knows it."""
    init_pid: int
    """The host's number of the sandbox's first process."""
    init: int
    latch: socket.socket | None
    root: int
    shared_memory: int
    proc: int
    stdout: int
    stderr: int
    dead: bool = False

    def release(self) -> None:
        """Open the latch: bubblewrap goes on and starts the command."""
        if self.latch is not None:
            shut(self.latch)
            self.latch = None

    def ended(self) -> int:
        """A new descriptor that can be read when the command has ended."""
        return os.pidfd_open(self.process.pid)

    def status(self) -> int | None:
        """Of the command, which has ended, as shells tell it."""
        return self.process.wait()

    def kill(self) -> None:
        """End every process of the sandbox, and return when the last one is gone."""
        if not self.dead:
            kill_namespace(self.init, self.init_pid)
            self.process.wait(_KILL_TIMEOUT_SEC)
            janitor.forget(self.name)
            self.dead = True

    def close(self) -> None:
        """Kill, and let go of the sandbox's file system, which vanishes with it."""
        try:
            self.kill()
        finally:
            self.release()
            for fd in (self.root, self.shared_memory, self.proc, self.init, self.stdout, self.stderr):
                os.close(fd)


def kill_namespace(init: int, pid: int) -> None:
    """Kill the first process of a namespace by its descriptor, and wait until all the others are gone."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(init, signal.SIGKILL)
    poller = select.poll()
    poller.register(init, select.POLLIN)
    # The first process of a namespace is gone only when all the others are.
    if not poller.poll(_KILL_TIMEOUT_SEC * 1000):
        raise SandboxError(
            f"a sandboxed process could not be killed within {_KILL_TIMEOUT_SEC:.0f} s",
            found=f"process {pid}",
            remedy="The kernel holds on to it, which points to a failing disk or driver.",
        )


def start(
    program: Path,
    arguments: Sequence[str],
    command: Sequence[str],
    *,
    ready: str,
    then: Sequence[str] = (),
    fds: Iterable[int] = (),
    group: ControlGroup | None = None,
) -> SandboxProcess:
    """Start `program` and wait until it stands at the latch. `fds` are those that the arguments name.

    `ready` is the folder that has to be made last, just before the latch is opened; `then` are arguments that
    bubblewrap obeys after that.
    `group` is the control group that everything in the sandbox belongs to.
    The arguments travel through a descriptor and the environment is empty: both could be read inside the
    sandbox, from its first process. Raises `SandboxError` with bubblewrap's own words if it fails.
    """
    with contextlib.ExitStack() as both, contextlib.ExitStack() as ours, contextlib.ExitStack() as failed:
        latch, other = socket.socketpair()
        _latches.add(latch)
        failed.callback(shut, latch)
        both.callback(other.close)
        out, out_in = _pipe(ours, both)
        err, err_in = _pipe(ours, both)
        for fd in (out, err):
            os.set_blocking(fd, False)
        for fd in (out_in, err_in):
            own(fd)  # else `echo > /dev/stderr`, which opens the pipe anew, would be refused
        # A file, not a pipe: bubblewrap would die of a pipe without a reader, and leave a child behind.
        info = _memory(both, b"")
        latched = [*arguments, *("--info-fd", str(info)), *("--file", str(other.fileno()), f"/{LATCH}")]
        latched += ["--chmod", "0755", ready, *then]
        options = _memory(both, os.fsencode("\0".join([*latched, ""])))
        _fill(latch)
        try:
            process = spawn(
                ["bwrap", "--args", str(options), "--", *command],
                become=lambda: _become(group),
                executable=program,
                stdin=subprocess.DEVNULL,
                stdout=out_in,
                stderr=err_in,
                env={},
                pass_fds=(other.fileno(), info, options, *fds),
                start_new_session=True,
                umask=0o022,
            )
        except OSError as error:
            raise SandboxError("bubblewrap cannot be started", file=program, found=str(error)) from error
        told = os.dup(info)
        ours.callback(os.close, told)
        both.close()
        try:
            prepared = _at_latch(process, latch, told, (out, err), group)
        except BaseException:
            failed.close()
            _give_up(process)
            raise
        ours.pop_all()
        failed.pop_all()
        os.close(told)
        return prepared


def _become(group: ControlGroup | None) -> None:
    """What the thread is that starts bubblewrap: in the group, and the sandbox's user for good."""
    if group is not None:
        group.enter()
    become_sandbox_user()


def _at_latch(
    process: subprocess.Popen[bytes],
    latch: socket.socket,
    told: int,
    streams: tuple[int, int],
    group: ControlGroup | None,
) -> SandboxProcess:
    """Wait until bubblewrap reads from the latch, and take hold of the sandbox."""
    poller = select.poll()
    poller.register(latch, select.POLLOUT)
    events = poller.poll(_START_TIMEOUT_SEC * 1000)
    if not events or events[0][1] & (select.POLLERR | select.POLLHUP):
        raise SandboxError("bubblewrap cannot build a sandbox", found=_words(process, streams[1]))
    init_pid = int(json.loads(os.pread(told, 4096, 0))["child-pid"])
    name = janitor.keep(init_pid, None if group is None else group.folder)
    with contextlib.ExitStack() as opened:
        if group is not None:
            group.take(init_pid)
        init = os.pidfd_open(init_pid)
        opened.callback(os.close, init)
        root = os.open(f"/proc/{init_pid}/root/newroot", os.O_RDONLY | os.O_DIRECTORY)
        opened.callback(os.close, root)
        shared = os.open("dev/shm", os.O_RDONLY | os.O_DIRECTORY, dir_fd=root)
        opened.callback(os.close, shared)
        proc = os.open("proc", os.O_RDONLY | os.O_DIRECTORY, dir_fd=root)
        opened.pop_all()
    return SandboxProcess(process, name, init_pid, init, latch, root, shared, proc, *streams)


def _give_up(process: subprocess.Popen[bytes]) -> None:
    """Let bubblewrap, its latch shut, run into the missing folder; it is only killed if it does not."""
    try:
        process.wait(_KILL_TIMEOUT_SEC)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _pipe(reader: contextlib.ExitStack, writer: contextlib.ExitStack) -> tuple[int, int]:
    """A pipe whose ends are closed by the stacks of those they are for."""
    reading, writing = os.pipe()
    reader.callback(os.close, reading)
    writer.callback(os.close, writing)
    return reading, writing


def _memory(stack: contextlib.ExitStack, content: bytes) -> int:
    fd = os.memfd_create("adjudge")
    stack.callback(os.close, fd)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _fill(latch: socket.socket) -> None:
    latch.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 0)  # as little as there can be
    latch.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            latch.send(bytes(1024))


_latches: weakref.WeakSet[socket.socket] = weakref.WeakSet()


def shut(latch: socket.socket) -> None:
    """For every process that has it: also for one that was forked off while it was open."""
    with contextlib.suppress(OSError):  # bubblewrap is gone
        latch.shutdown(socket.SHUT_RDWR)
    latch.close()


def _after_fork() -> None:
    """A forked process has sandboxes of its own; its parent's must see when its parent dies."""
    for latch in tuple(_latches):
        latch.close()


os.register_at_fork(after_in_child=_after_fork)


def _words(process: subprocess.Popen[bytes], err: int) -> str:
    """What bubblewrap said before it ended."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1)
    try:
        text = os.read(err, 4096).decode("utf-8", "replace").strip()
    except BlockingIOError:
        text = ""
    return text or f"no message, exit code {process.returncode}"
