"""A sandbox that stays: one root, many commands, and one way to end every process in it.

A session is a set of namespaces that a process holds (`holder.py`), and a folder on disk that has all that is
written (`frame.py`). Each command joins the namespaces from outside (`inside.py`). Nothing lives anywhere
but in the folder, so `restart` - end every process, then hold new namespaces over the same folder - loses
no file and leaves no process. Verification begins that way, and a limit that is passed ends that way.

The root is a folder of its own around the host's `/usr`, which is read-only, and what else decides which
programs run is put right at each start, so that an agent cannot change the programs its verifier will use;
or it is a root filesystem below a writable layer, and then an agent can. Neither base is ever written.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Any

from msgspec import Struct, field

from adjudge.errors import SandboxError
from adjudge.sandbox.backends.seccomp import filter_program
from adjudge.sandbox.files.claimed import claim_folder, remove
from adjudge.sandbox.job import SHARED_MEMORY_MB
from adjudge.sandbox.session.files import PREFIX, disk_usage, pack, unpack_file, unpack_folder
from adjudge.sandbox.session.frame import ETC_FOLDERS, empty, lay_out, put_right
from adjudge.sandbox.session.holder import Holder, hold
from adjudge.sandbox.session.leftovers import AgentsFolder, import_covers, sort_out
from adjudge.sandbox.session.output_stream import OutputStream
from adjudge.sandbox.watching.usage import Place, measure

HELPER = Path(__file__).with_name("inside.py")
CANNOT_START = 125
MAX_TRANSFER_BYTES = 4 * 2**30
MAX_TRANSFER_FILES = 200_000
PROCESSES = 4096
HOLDERS = 8
"""Room for the processes that hold the session, so that the kernel refuses one only after we have seen it."""
WATCH_SEC = 0.2
DRAIN_SEC = 0.5
_PATIENCE_SEC = 30
"""For the helper to kill a command and see it gone, on however busy a machine."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class SessionLimits(Struct, frozen=True):
    """What the whole session may use; None is no limit."""

    memory_mb: int | None = None
    storage_mb: int | None = None
    cpus: int | None = None
    processes: int = PROCESSES


class CommandResult(Struct, frozen=True):
    """How a command ended. `code` is 128+N if signal N ended it; `note` says what adjudge did to it."""

    code: int
    stdout: bytes
    stderr: bytes
    note: str | None = None


class Session(Struct):
    """Start it, run commands, stop it; see the module's docstring for what a restart does."""

    rootfs: Path | None = None
    network: bool = False
    limits: SessionLimits = field(default_factory=SessionLimits)
    _claim: tuple[Path, int] = field(default_factory=lambda: claim_folder(PREFIX))
    _holder: Holder | None = None
    _watch: asyncio.Task[None] | None = None
    _note: str | None = None
    _covers: list[str] = field(default_factory=list)
    """What Python is shown of itself, from when verification began."""
    _changing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while the namespaces come or go, so that no command falls between two of them."""

    @property
    def folder(self) -> Path:
        return self._claim[0]

    async def start(self) -> None:
        """Raises SandboxError, with what bubblewrap said, if the namespaces cannot be made."""
        async with self._changing:
            await self._start()

    async def stop(self) -> None:
        """End every process and remove every file. Harmless if nothing was started."""
        async with self._changing:
            await self._end()
        await asyncio.to_thread(remove, self.folder)
        os.close(self._claim[1])

    async def restart(
        self, *, emptied: Sequence[str] = (), agents: AgentsFolder | None = None
    ) -> dict[str, str]:
        """End every process and keep every file, but for the folders that are to be `emptied`.

        With `agents`, what the agent left is held to the rules of a verification from here on; returns what
        was taken out of the root, and why.
        """
        left_out: dict[str, str] = {}
        async with self._changing:
            await self._end()
            if self.rootfs is None:
                empty(self.folder, (name.lstrip("/") for name in emptied))
            if agents is not None:
                left_out = await asyncio.to_thread(sort_out, self.folder, agents)
                self._covers = import_covers(self.folder, self.rootfs)
            await self._start()
        if self.rootfs is not None and emptied:
            await self._empty(emptied)
        return left_out

    async def run(
        self,
        command: str,
        *,
        cwd: str = "/",
        env: Mapping[str, str] | None = None,
        user: str | int | None = None,
        timeout_sec: float | None = None,
    ) -> CommandResult:
        """Run a shell command. On time-out or cancellation its process group is killed."""
        limits = {"RLIMIT_CORE": 0, "RLIMIT_NPROC": self.limits.processes + HOLDERS}
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
            "filter": base64.b64encode(filter_program(sockets_only=True) or b"").decode(),
        }
        self._note = note = None
        streams = OutputStream(), OutputStream()
        try:
            try:
                process = await self._inside(request, stdout=streams[0].writer, stderr=streams[1].writer)
            finally:
                for stream in streams:
                    stream.close_writer()
            assert process.stdin is not None  # noqa: S101
            process.stdin.close()
            try:
                code = await asyncio.wait_for(process.wait(), timeout_sec)
            except TimeoutError:
                note = f"stopped after {timeout_sec:g} s"
                code = 124
            finally:
                await _terminate(process)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.gather(*(s.ended() for s in streams)), DRAIN_SEC)
        finally:
            stdout, stderr = (stream.finish() for stream in streams)
        return CommandResult(code, stdout, stderr, self._note or note)

    async def upload(self, source: Path, target: str) -> None:
        """Copy a file to a path, or what a folder holds into a folder. Links are copied as links."""
        with tempfile.TemporaryFile() as packed:
            await asyncio.to_thread(pack, source, packed)
            request = {"operation": "unpack", "path": target, "single": source.is_file(), "name": source.name}
            await self._transfer(request, packed, None)

    async def download_file(self, source: str, target: Path) -> None:
        """Copy a file to a path."""
        await self._download("pack_file", source, target, unpack_file)

    async def download_folder(self, source: str, target: Path) -> None:
        """Copy what a folder holds into a folder.

        Links that lead out of it, and everything that is neither file, folder nor link, stay behind.
        """
        await self._download("pack_folder", source, target, unpack_folder)

    async def _empty(self, paths: Sequence[str]) -> None:
        """From inside, because part of a layered root is in the base, which stays as it is."""
        commands = ["set -e"]
        for path in map(PurePosixPath, paths):
            for above in reversed(path.parents[:-1]):
                place = shlex.quote(str(above))
                commands.append(f"if [ -L {place} ] || [ ! -d {place} ]; then rm -rf {place}; fi")
            place = shlex.quote(str(path))
            commands.append(f"rm -rf {place}; mkdir -p {place}; chmod 777 {place}")
        done = await self.run("\n".join(commands))
        if done.code != 0:
            reason = done.stderr.decode("utf-8", "replace").strip()
            raise SandboxError(f"cannot empty {', '.join(paths)}: {reason or f'exit code {done.code}'}")

    async def _download(
        self, operation: str, source: str, target: Path, unpack: Callable[[IO[bytes], Path], None]
    ) -> None:
        with tempfile.TemporaryFile() as packed:
            request = {
                "operation": operation,
                "path": source,
                "max_bytes": MAX_TRANSFER_BYTES,
                "max_files": MAX_TRANSFER_FILES,
            }
            await self._transfer(request, None, packed)
            packed.seek(0)
            await asyncio.to_thread(unpack, packed, target)

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
                reason = said.decode("utf-8", "replace").strip().removeprefix("adjudge: ")
                what = f"cannot {request['operation'].partition('_')[0]} {request['path']}"
                raise SandboxError(f"{what}: {reason or 'the session ended'}")
        finally:
            await _terminate(process)

    async def _inside(
        self, request: dict[str, Any], *, stdout: Any, stderr: int = asyncio.subprocess.PIPE
    ) -> asyncio.subprocess.Process:
        async with self._changing:
            if self._holder is None:
                raise SandboxError("the session is not running")
            if not self._holder.alive:  # whoever did it, the agent or the kernel: files are all there
                await self._end()
                await self._start()
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-I", "-S", str(HELPER), str(self._holder.init)),
                stdin=asyncio.subprocess.PIPE,
                stdout=stdout,
                stderr=stderr,
                pass_fds=(self._holder.init,),
                env={},
            )
        assert process.stdin is not None  # noqa: S101
        process.stdin.write(json.dumps(request).encode() + b"\n")
        return process

    async def _start(self) -> None:
        if not (self.folder / "root").exists():
            lay_out(self.folder, plain=self.rootfs is None)
        elif self.rootfs is None:
            put_right(self.folder)
        self._holder = await hold(self._options())
        self._watch = asyncio.create_task(self._keep_limits(self._holder))

    async def _end(self) -> None:
        if self._watch is not None and self._watch is not asyncio.current_task():
            self._watch.cancel()
        holder, self._watch, self._holder = self._holder, None, None
        if holder is not None:
            await holder.kill()

    async def _keep_limits(self, holder: Holder) -> None:
        """End everything, and say why, if a limit is passed. The files stay."""
        memory_limit = self.limits.memory_mb * 2**20 if self.limits.memory_mb is not None else sys.maxsize
        loops = 0
        while True:
            await asyncio.sleep(WATCH_SEC)
            loops += 1
            used = measure(Place(holder.proc, (), holder.pid), memory_limit=memory_limit)
            note = None
            if used.memory > memory_limit:
                note = f"memory limit of {self.limits.memory_mb} MB passed ({used.memory >> 20} MB in use)"
            elif used.processes >= self.limits.processes:
                note = f"limit of {self.limits.processes} processes reached"
            elif self.limits.storage_mb is not None and loops % 10 == 0:
                disk = await asyncio.to_thread(disk_usage, self.folder)
                if disk > self.limits.storage_mb * 2**20:
                    note = f"storage limit of {self.limits.storage_mb} MB passed ({disk >> 20} MB in use)"
            if note is not None:
                async with self._changing:
                    self._note = f"{note}; every process was stopped"
                    await self._end()
                    await self._start()
                return

    def _options(self) -> list[str]:
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
            *self._covers,
            *("--proc", "/proc", "--dev", "/dev"),
            *("--size", str(SHARED_MEMORY_MB * 2**20), "--tmpfs", "/dev/shm"),  # noqa: S108 - inside
            *("--remount-ro", "/dev", "--chdir", "/"),
        ]


async def _terminate(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()  # the helper kills the command's process group, then ends
        try:
            await asyncio.wait_for(process.wait(), _PATIENCE_SEC)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
