"""How much a sandbox uses right now, read from its own `/proc` and its own file systems.

The sandbox's `/proc` lists exactly its processes, whoever their parents are by now. Memory is what each of
them has of its own or shares (file pages, which the kernel can drop, are left out), its page tables, and what
the kernel may hold for its descriptors and sockets, taken as the most that it can be. Pages that processes
share are counted once for each of them; only if that sum is past the limit are they counted exactly, and for
at most `EXACT_SEC`: a process can make exact counting as slow as it likes. Whoever cannot look because this
machine has no descriptor or memory left raises OSError: a limit that nobody watches is none.

A lock on a part of a file takes memory that neither a process nor a control group is charged for, and a
process can have any number of them. The kernel lists them, but slowly, and nobody on the machine can take or
release one meanwhile: so they are not counted at every look, and only as far as anybody needs them
(`MOST_LOCKS`); more of them count as all the memory that there is.
"""

from __future__ import annotations

import os
import re
import stat
import time
from functools import cache
from pathlib import Path

from msgspec import Struct

from adjudge._files import is_machines_failure
from adjudge._lazy import late_pattern

EXACT_SEC = 0.1
"""Of CPU time."""
_EXACT = (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")
_FIELDS = late_pattern(
    rb"^(State|FDSize|RssAnon|RssShmem|VmPTE|VmSwap|HugetlbPages|Threads):\s+(\S+)", re.MULTILINE
)
_MEMORY = (b"RssAnon", b"RssShmem", b"VmPTE", b"VmSwap", b"HugetlbPages")
_FREE_DESCRIPTORS, _DESCRIPTOR_BYTES = 256, 8192
"""Of each process; a pipe beyond those that a user may have at full size holds two pages."""
_FREE_SOCKETS = 64
MOST_LOCKS = 16_384
_MAX_DEPTH = 64


class Usage(Struct, frozen=True):
    """A sandbox at one moment. Threads count as processes, as they do for the kernel."""

    processes: int
    memory: int
    disk_full: bool
    files: int
    too_many_locks: bool = False


class Place(Struct, frozen=True):
    """What is looked at: descriptors of the sandbox's `/proc` and file systems, and its first process."""

    proc: int
    disks: tuple[int, ...]
    first: int
    """The host's number of the first process, which is bubblewrap and of which only the memory counts."""

    def files(self) -> int:
        return sum(disk.f_files - disk.f_ffree for disk in map(os.fstatvfs, self.disks))

    def bytes_on_disk(self) -> int:
        return sum((disk.f_blocks - disk.f_bfree) * disk.f_frsize for disk in map(os.fstatvfs, self.disks))


class _Process(Struct):
    folder: str
    threads: int
    memory: int


def measure(place: Place, *, memory_limit: int, count_locks: bool = True) -> Usage:
    """Look once. A process that ends meanwhile is left out; a sandbox that has ended uses nothing."""
    os.lseek(place.proc, 0, os.SEEK_SET)
    numbers = [name for name in _names(place.proc) if name.isdecimal() and name != "1"]
    found = [process for number in numbers if (process := _process(place.proc, number)) is not None]
    processes = sum(process.threads for process in found)
    kernel = _sockets(place.first)
    if (first := _process(None, f"/proc/{place.first}")) is not None:
        kernel += first.memory
    memory = kernel + sum(process.memory for process in found)
    if memory > memory_limit:
        memory = min(memory, kernel + _exact_memory(place.proc, found))
    disks = [os.fstatvfs(disk) for disk in place.disks]
    too_many_locks = count_locks and _has_too_many_locks(place.proc)
    if too_many_locks:
        memory = max(memory, memory_limit + 1)
    return Usage(
        processes,
        memory,
        any(disk.f_blocks and disk.f_bavail == 0 for disk in disks),
        place.files(),
        too_many_locks,
    )


def _process(proc: int | None, folder: str) -> _Process | None:
    """One process; None if it is gone. Of a dead leader whose threads live on, a thread tells."""
    if (text := _read(proc, f"{folder}/status")) is None:
        return None
    fields = dict(_FIELDS.findall(text))
    threads = int(fields.get(b"Threads", b"0"))
    if fields.get(b"State") == b"Z" and threads > 1:
        for thread in _threads(proc, folder):
            told = dict(_FIELDS.findall(_read(proc, f"{folder}/task/{thread}/status") or b""))
            if b"RssAnon" in told:
                folder, fields = f"{folder}/task/{thread}", told
                break
    memory = sum(int(fields.get(name, b"0")) for name in _MEMORY) * 1024
    descriptors = int(fields.get(b"FDSize", b"0"))
    return _Process(folder, threads, memory + max(0, descriptors - _FREE_DESCRIPTORS) * _DESCRIPTOR_BYTES)


def _threads(proc: int | None, folder: str) -> list[str]:
    try:
        fd = os.open(f"{folder}/task", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=proc)
    except OSError as error:
        if is_machines_failure(error):
            raise
        return []
    try:
        return _names(fd)
    finally:
        os.close(fd)


def _names(folder: int) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries]
    except OSError as error:
        if is_machines_failure(error):
            raise
        return []  # it ended meanwhile


def _exact_memory(proc: int, found: list[_Process]) -> int:
    """The sum with shared pages counted once. Those not reached in time count with all they have."""
    deadline = time.thread_time() + EXACT_SEC  # of work: a busy machine must not make it less exact
    total = 0
    for process in found:
        total += process.memory if time.thread_time() > deadline else _exact_of_one(proc, process)
    return total


def _exact_of_one(proc: int, process: _Process) -> int:
    text = _read(proc, f"{process.folder}/smaps_rollup") or b""
    parts = dict(line.split(maxsplit=1) for line in text.splitlines()[1:])
    wanted = [parts[name] for name in _EXACT if name in parts] or [parts.get(b"Pss:", b"0 kB")]
    status = dict(_FIELDS.findall(_read(proc, f"{process.folder}/status") or b""))
    tables = int(status.get(b"VmPTE", b"0")) + int(status.get(b"HugetlbPages", b"0"))
    descriptors = max(0, int(status.get(b"FDSize", b"0")) - _FREE_DESCRIPTORS) * _DESCRIPTOR_BYTES
    return sum(int(value.split()[0]) * 1024 for value in wanted) + tables * 1024 + descriptors


def _sockets(first: int) -> int:
    """The most that the buffers of all sockets of the sandbox can hold; those of a few are let off."""
    text = _read(None, f"/proc/{first}/net/sockstat") or b""
    words = text.split(maxsplit=3)
    used = int(words[2]) if len(words) > 2 and words[0] == b"sockets:" else 0
    return max(0, used - _FREE_SOCKETS) * _socket_bytes()


def _has_too_many_locks(proc: int) -> bool:
    """Of all processes of the sandbox together; its own `/proc` lists no others."""
    try:
        fd = os.open("locks", os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
    except OSError as error:
        if is_machines_failure(error):
            raise
        return False
    count = 0
    try:
        while count < MOST_LOCKS and (text := os.read(fd, 1 << 16)):
            count += text.count(b"\n")
    except OSError as error:
        if is_machines_failure(error):
            raise
    finally:
        os.close(fd)
    return count >= MOST_LOCKS


@cache
def _socket_bytes() -> int:
    """The kernel doubles what a program asks for."""
    try:
        return 2 * int(Path("/proc/sys/net/core/wmem_max").read_text())
    except (OSError, ValueError):
        return 2 * 212_992


def _read(folder: int | None, name: str) -> bytes | None:
    try:
        fd = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:
        if is_machines_failure(error):
            raise
        return None
    try:
        return os.read(fd, 16384)
    except OSError as error:
        if is_machines_failure(error):
            raise
        return None
    finally:
        os.close(fd)


def holds_file_of(root: int, size: int, *, at_most: int = 10_000) -> bool:
    """Is there a plain file of exactly this size in the sandbox's own file system, and not too deep in it?"""
    device = os.fstat(root).st_dev
    for path, folders, files, fd in os.fwalk(".", dir_fd=root, follow_symlinks=False):
        for name in files:
            at_most -= 1
            try:
                status = os.stat(name, dir_fd=fd, follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode) and status.st_size == size:
                return True
        folders[:] = [
            name for name in folders if os.stat(name, dir_fd=fd, follow_symlinks=False).st_dev == device
        ]
        if path.count("/") >= _MAX_DEPTH:
            folders.clear()
        at_most -= len(folders)
        if at_most <= 0:
            break
    return False
