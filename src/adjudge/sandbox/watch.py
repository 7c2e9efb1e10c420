"""Follow a running sandbox to its end: drain its streams, measure what it uses, stop it at a limit.

Time, file size and the number of processes are also limited by the kernel; memory of all processes together
is limited here, by looking every 20 ms, or less often if looking is so much work that it would cost more
than a twentieth of a CPU. A sandbox cannot allocate faster than memory can be written, so it is caught
within some tens of megabytes of its limit.
"""

from __future__ import annotations

import os
import select
import time
from dataclasses import dataclass

from adjudge.contracts import Limit, Limits
from adjudge.sandbox.capture import Capture
from adjudge.sandbox.start import SandboxProcess
from adjudge.sandbox.usage import Usage, measure

MIB = 1 << 20
_FIRST_LOOK_SEC, _LOOK_SEC, _LOOK_SHARE = 0.01, 0.02, 0.05
_CHUNK = 1 << 16
FILES_PER_MB = 256
"""Files allowed for each megabyte of disk: an empty file costs the kernel memory too."""


@dataclass
class Ending:
    """How it ended; `status` is None if it was stopped at a limit."""

    status: int | None
    duration_sec: float
    limits_hit: set[Limit]


def watch(running: SandboxProcess, limits: Limits, streams: dict[int, Capture]) -> Ending:
    """Return when the command has ended or must be ended; nothing is killed here."""
    hit: set[Limit] = set()
    ended = os.pidfd_open(running.process.pid)
    poller = select.poll()
    for fd in (ended, *streams):
        poller.register(fd, select.POLLIN)
    try:
        begin = time.monotonic()
        deadline = begin + limits.wall_time_sec
        look = begin + _FIRST_LOOK_SEC
        while True:
            now = time.monotonic()
            if now >= deadline:
                return Ending(None, now - begin, hit | {Limit.WALL_TIME})
            if now >= look:
                usage = measure(running.proc, running.root, memory_limit=limits.memory_mb * MIB)
                hit |= exceeded(usage, limits)
                if hit & {Limit.MEMORY, Limit.PROCESSES} or usage.files > limits.disk_mb * FILES_PER_MB:
                    return Ending(None, time.monotonic() - begin, hit)
                after = time.monotonic()
                look = after + max(_LOOK_SEC, (after - now) / _LOOK_SHARE)
                now = after
            wait_ms = max(0.0, min(look, deadline) - now) * 1000
            for fd, _ in poller.poll(wait_ms):
                if fd == ended:
                    duration = time.monotonic() - begin
                    return Ending(running.process.wait(), duration, hit)
                if not drain(fd, streams[fd], chunks=1):
                    poller.unregister(fd)
    finally:
        os.close(ended)


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
