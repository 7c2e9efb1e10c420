"""Follow a running sandbox to its end: drain its streams, measure what it uses, stop it at a limit.

Time, file size and the number of processes are also limited by the kernel, and so is memory if there is a
control group. Within that, memory of all processes together is limited here, by looking every 20 ms, or less
often if many processes make looking slow: it takes at most a third of a CPU. A sandbox cannot allocate faster
than memory can be written, so it is caught within some tens of megabytes of its limit.
"""

from __future__ import annotations

import os
import select
import sys
import time
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from adjudge.contracts import Limit, Limits
from adjudge.sandbox.watching.capture import Capture
from adjudge.sandbox.watching.cgroup import ControlGroup
from adjudge.sandbox.watching.usage import Place, Usage, measure

MIB = 1 << 20
_FIRST_LOOK_SEC, _LOOK_SEC, _REST = 0.01, 0.02, 2.0
_FIRST_LOOK_AT_GROUP_SEC = 0.04
"""With a control group the kernel itself holds the sandbox, so one that is short is not looked at."""
_LOCKS_SEC = 0.1
"""Between two counts of locks: a process can take some tens of megabytes of them in that time."""
_CHUNK = 1 << 16
FILES_PER_MB = 256
"""Files allowed for each megabyte of disk: an empty file costs the kernel memory too."""


class RunningSandbox(Protocol):
    """What is followed: a sandbox of its own, or one trial of a warm server."""

    @property
    def init_pid(self) -> int: ...
    @property
    def root(self) -> int: ...
    @property
    def shared_memory(self) -> int: ...
    @property
    def proc(self) -> int: ...

    def ended(self) -> int: ...
    def status(self) -> int | None: ...


class Ending(Struct):
    """How it ended; `status` is None if it was stopped at a limit."""

    status: int | None
    duration_sec: float
    limits_hit: set[Limit]


def watch(
    running: RunningSandbox,
    limits: Limits,
    streams: dict[int, Capture],
    group: ControlGroup | None = None,
    *,
    since: float,
) -> Ending:
    """Return when the command has ended or must be ended; nothing is killed here.

    `since` is when it was released: the caller may have done something else until now.
    """
    hit: set[Limit] = set()
    look_at = _Look(running, limits, group)
    ended = running.ended()
    poller = select.poll()
    for fd in (ended, *streams):
        poller.register(fd, select.POLLIN)
    try:
        begin = since
        deadline = begin + limits.wall_time_sec
        look = begin + (_FIRST_LOOK_SEC if group is None else _FIRST_LOOK_AT_GROUP_SEC)
        while True:
            now = time.monotonic()
            if now >= deadline and all(fd != ended for fd, _ in poller.poll(0)):
                return Ending(None, now - begin, hit | {Limit.WALL_TIME})
            if now >= look:
                usage = look_at()
                hit |= exceeded(usage, limits)
                if hit & {Limit.MEMORY, Limit.PROCESSES} or usage.files > limits.disk_mb * FILES_PER_MB:
                    return Ending(None, time.monotonic() - begin, hit)
                after = time.monotonic()
                look = after + max(_LOOK_SEC, (after - now) * _REST)
                now = after
            wait_ms = max(0.0, min(look, deadline) - now) * 1000
            for fd, _ in poller.poll(wait_ms):
                if fd == ended:
                    duration = time.monotonic() - begin
                    return Ending(running.status(), duration, hit)
                if not drain(fd, streams[fd], chunks=1):
                    poller.unregister(fd)
    finally:
        os.close(ended)


class _Look:
    """One sandbox, looked at again and again. With a control group its count of memory is the true one."""

    def __init__(self, running: RunningSandbox, limits: Limits, group: ControlGroup | None) -> None:
        self._place = Place(running.proc, (running.root, running.shared_memory), running.init_pid)
        self._limit = limits.memory_mb * MIB
        self._group = group
        # What was placed is not what the verifier wrote: an agent's thousand files are not its doing.
        self._files_placed = self._place.files()
        self._bytes_placed = self._place.bytes_on_disk()
        self._count_locks_at = time.monotonic() + _LOCKS_SEC

    def __call__(self) -> Usage:
        limit = self._limit if self._group is None else sys.maxsize
        count_locks = time.monotonic() >= self._count_locks_at
        usage = measure(self._place, memory_limit=limit, count_locks=count_locks)
        if count_locks:
            self._count_locks_at = time.monotonic() + _LOCKS_SEC
        usage = replace(usage, files=max(0, usage.files - self._files_placed))
        if self._group is None:
            return usage
        written = max(0, self._place.bytes_on_disk() - self._bytes_placed)
        memory = self._group.used(on_disk=written)
        past = self._group.killed() or usage.too_many_locks
        return replace(usage, memory=self._limit + 1 if past else memory)


def exceeded(usage: Usage, limits: Limits) -> set[Limit]:
    """The limits that one measurement shows to be reached."""
    hit: set[Limit] = set()
    if usage.memory > limits.memory_mb * MIB:
        hit.add(Limit.MEMORY)
    if usage.processes > limits.processes:
        hit.add(Limit.PROCESSES)
    if usage.disk_full or usage.files > limits.disk_mb * FILES_PER_MB:
        hit.add(Limit.DISK)
    return hit


def drain(fd: int, capture: Capture, *, chunks: int | None = None) -> bool:
    """Take what is there without waiting; False at the end of the stream."""
    while chunks is None or chunks > 0:
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return True
        if not data:
            return False
        capture.add(data)
        chunks = None if chunks is None else chunks - 1
    return True
