"""How much a sandbox uses right now, read from its own `/proc` and its own file system.

The sandbox's `/proc` lists exactly its processes, whoever their parents are by now. Memory is first taken as
the sum of resident sizes, which is cheap and never too low by much; only if that comes near the limit
is it counted exactly, with pages that processes share counted once.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

_PAGE = os.sysconf("SC_PAGE_SIZE")
_EXACT = (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")


@dataclass(frozen=True)
class Usage:
    """A sandbox at one moment. Threads count as processes, as they do for the kernel."""

    processes: int
    memory: int
    disk_full: bool
    files: int


def measure(proc: int, root: int, *, memory_limit: int) -> Usage:
    """Look once. A process that ends meanwhile is left out; a sandbox that has ended uses nothing."""
    os.lseek(proc, 0, os.SEEK_SET)
    numbers = [name for name in os.listdir(proc) if name.isdecimal() and name != "1"]  # 1 is bubblewrap's
    processes = memory = 0
    for number in numbers:
        if (status := _read(proc, f"{number}/stat")) is None:
            continue
        fields = status[status.rindex(b")") + 2 :].split()
        processes += int(fields[17])
        memory += int(fields[21]) * _PAGE
    if memory > memory_limit // 2:
        memory = sum(_exact_memory(proc, number) for number in numbers)
    disk = os.fstatvfs(root)
    return Usage(processes, memory, disk.f_bavail == 0, disk.f_files - disk.f_ffree)


def _exact_memory(proc: int, number: str) -> int:
    """Bytes of one process, its part of what it shares; file pages, which the kernel can drop, left out."""
    text = _read(proc, f"{number}/smaps_rollup") or b""
    parts = dict(line.split(maxsplit=1) for line in text.splitlines()[1:])
    wanted = [parts[name] for name in _EXACT if name in parts] or [parts.get(b"Pss:", b"0 kB")]
    return sum(int(value.split()[0]) * 1024 for value in wanted)


def _read(folder: int, name: str) -> bytes | None:
    try:
        fd = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return None
    try:
        return os.read(fd, 16384)
    except OSError:
        return None
    finally:
        os.close(fd)


def holds_file_of(root: int, size: int, *, at_most: int = 10_000) -> bool:
    """Is there a plain file of exactly this size in the sandbox's own file system?"""
    device = os.fstat(root).st_dev
    for _, folders, files, fd in os.fwalk(".", dir_fd=root, follow_symlinks=False):
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
        at_most -= len(folders)
        if at_most <= 0:
            break
    return False
