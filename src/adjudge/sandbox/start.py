"""Start bubblewrap up to the point where everything is in place and nothing of the job has run yet.

bubblewrap's last step of building is to copy a file from the gate, a pipe of one page that was filled before.
When the pipe can be written to again, bubblewrap has come to that step, and it stays there until the gate is
closed. This needs no polling, and no trust in anything inside.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from adjudge.errors import SandboxError, show
from adjudge.sandbox.identity import own, spawn_options

GATE = ".gate"
_START_TIMEOUT_SEC = 30.0
_KILL_TIMEOUT_SEC = 30.0


class Prepared:
    """A sandbox at its gate, then running, then dead. Close it whatever happens; closing kills."""

    def __init__(self, process: subprocess.Popen[bytes], init_pid: int, gate: int, streams: tuple[int, int]):
        self.process = process
        self.init_pid = init_pid
        """The host's number of the sandbox's first process."""
        self.stdout, self.stderr = streams
        self._init = os.pidfd_open(init_pid)
        self._gate: int | None = gate
        self.root = os.open(f"/proc/{init_pid}/root/newroot", os.O_RDONLY | os.O_DIRECTORY)
        self.proc = os.open("proc", os.O_RDONLY | os.O_DIRECTORY, dir_fd=self.root)

    def release(self) -> None:
        """Open the gate: bubblewrap goes on and starts the command."""
        if self._gate is not None:
            os.close(self._gate)
            self._gate = None

    def kill(self) -> None:
        """End every process of the sandbox, and return when the last one is gone."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._init, signal.SIGKILL)
        poller = select.poll()
        poller.register(self._init, select.POLLIN)
        # The first process of a namespace is gone only when all the others are.
        if not poller.poll(_KILL_TIMEOUT_SEC * 1000):
            raise SandboxError(
                f"a sandboxed process could not be killed within {_KILL_TIMEOUT_SEC:.0f} s",
                found=f"process {self.init_pid}",
                remedy="The kernel holds on to it, which points to a failing disk or driver.",
            )
        self.process.wait(_KILL_TIMEOUT_SEC)

    def close(self) -> None:
        """Kill, and let go of the sandbox's file system, which vanishes with it."""
        try:
            self.kill()
        finally:
            self.release()
            for fd in (self.root, self.proc, self._init, self.stdout, self.stderr):
                os.close(fd)


def start(program: Path, arguments: Sequence[str], command: Sequence[str], fds: Iterable[int]) -> Prepared:
    """Start `program` and wait until it stands at the gate. `fds` are those that the arguments name.

    The arguments travel through a descriptor and the environment is empty: both could be read inside the
    sandbox, from its first process. Raises `SandboxError` with bubblewrap's own words where it fails.
    """
    with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
        gate_in, gate = os.pipe()
        theirs.callback(os.close, gate_in)
        ours.callback(os.close, gate)
        _fill(gate)
        info, info_in = os.pipe()
        theirs.callback(os.close, info_in)
        out, out_in = os.pipe()
        theirs.callback(os.close, out_in)
        err, err_in = os.pipe()
        theirs.callback(os.close, err_in)
        for fd in (out, err):
            os.set_blocking(fd, False)
            ours.callback(os.close, fd)
        for fd in (out_in, err_in):
            own(fd)  # else `echo > /dev/stderr`, which opens the pipe anew, would be refused
        options = os.memfd_create("arguments")
        theirs.callback(os.close, options)
        gated = [*arguments, "--info-fd", str(info_in), "--file", str(gate_in), f"/{GATE}"]
        os.write(options, b"\0".join(os.fsencode(argument) for argument in gated) + b"\0")
        os.lseek(options, 0, os.SEEK_SET)
        try:
            process = subprocess.Popen(
                ["bwrap", "--args", str(options), "--", *command],
                executable=program,
                stdin=subprocess.DEVNULL,
                stdout=out_in,
                stderr=err_in,
                env={},
                pass_fds=(gate_in, info_in, options, *fds),
                **spawn_options(),
            )
        except OSError as error:
            os.close(info)
            raise SandboxError("bubblewrap cannot be started", file=program, found=str(error)) from error
        theirs.close()
        ours.callback(process.wait)
        ours.callback(process.kill)
        with os.fdopen(info, "rb") as file:
            told = file.read()
        if not told or not _at_gate(gate):
            process.kill()
            process.wait()
            raise SandboxError("bubblewrap cannot build a sandbox", found=_words(err, process.returncode))
        prepared = Prepared(process, int(json.loads(told)["child-pid"]), gate, (out, err))
        ours.pop_all()
        return prepared


def _fill(gate: int) -> None:
    fcntl.fcntl(gate, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(gate, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(gate, bytes(4096))


def _at_gate(gate: int) -> bool:
    """Wait until bubblewrap reads from the gate; False where it ended, or nothing happened for too long."""
    poller = select.poll()
    poller.register(gate, select.POLLOUT)
    until = time.monotonic() + _START_TIMEOUT_SEC
    while (left := until - time.monotonic()) > 0:
        for _, event in poller.poll(left * 1000):
            return not event & select.POLLERR
    return False


def _words(err: int, code: int) -> str:
    try:
        text = os.read(err, 4096).decode("utf-8", "replace").strip()
    except BlockingIOError:
        text = ""
    return text or f"no message, exit code {show(code)}"
