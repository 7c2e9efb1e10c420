"""One trial of a warm server: asked for, then built in its namespaces, then run like a sandbox of its own.

A trial may be asked for before there is an output for it, so that it is built while another one runs. Until
it is met it holds nothing of anybody's; one that is let go of ends by itself, because its verifier is never
released. Who the trial's first process is says the kernel (the sender of a message), not the message.
"""

from __future__ import annotations

import array
import contextlib
import os
import socket
import struct
import time

from msgspec import Struct, field

from adjudge.errors import SandboxError
from adjudge.sandbox.backends.start import kill_namespace
from adjudge.sandbox.identity import own

START_SEC = 20.0
_CREDENTIALS = struct.Struct("3i")


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


class AskedTrial(Struct):
    """A trial that a server was asked for, and that may not stand yet. Meet it, or let go of it."""

    control: socket.socket
    stdout: int
    stderr: int
    size: int
    since: float = field(default_factory=time.monotonic)

    def meet(self) -> WarmTrial:
        """Wait until its first process stands ready, and take hold of it. Raises SandboxError."""
        try:
            return _meet(self)
        except BaseException:
            self.let_go()
            raise

    def let_go(self) -> None:
        self.control.close()
        os.close(self.stdout)
        os.close(self.stderr)


def ask(channel: socket.socket, size: int) -> AskedTrial:
    """Ask a server for a trial with so much disk. Raises OSError if it, or this process, cannot."""
    with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
        control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.callback(control.close)
        theirs.callback(other.close)
        control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        control.settimeout(START_SEC)
        out, out_in = _pipe(ours, theirs)
        err, err_in = _pipe(ours, theirs)
        socket.send_fds(channel, [size.to_bytes(8, "little")], [other.fileno(), out_in, err_in])
        ours.pop_all()
        return AskedTrial(control, out, err, size)


def _pipe(reader: contextlib.ExitStack, writer: contextlib.ExitStack) -> tuple[int, int]:
    reading, writing = os.pipe()
    reader.callback(os.close, reading)
    writer.callback(os.close, writing)
    os.set_blocking(reading, False)
    own(writing)
    return reading, writing


def _meet(asked: AskedTrial) -> WarmTrial:
    control = asked.control
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
    return WarmTrial(control, asked.stdout, asked.stderr, pid, init, *fds)
