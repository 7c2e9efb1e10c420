"""Follow an ordinary process to its end or its deadline, keeping what it prints in bounded memory."""

from __future__ import annotations

import os
import select
import subprocess
import time

from msgspec import Struct

from adjudge.sandbox.watching.capture import Capture
from adjudge.sandbox.watching.watch import drain


class Followed(Struct, frozen=True):
    """`status` is None if the deadline came first; the process is then still running."""

    status: int | None
    duration_sec: float


def follow(process: subprocess.Popen[bytes], streams: dict[int, Capture], seconds: float) -> Followed:
    """Drain `streams` (descriptors of pipes) until the process ends or the time is up."""
    ended = os.pidfd_open(process.pid)
    poller = select.poll()
    for fd in (ended, *streams):
        poller.register(fd, select.POLLIN)
    for fd in streams:
        os.set_blocking(fd, False)
    begin = time.monotonic()
    try:
        while (left := begin + seconds - time.monotonic()) > 0:
            for fd, _ in poller.poll(left * 1000):
                if fd == ended:
                    duration = time.monotonic() - begin
                    status = process.wait()
                    for stream, capture in streams.items():
                        drain(stream, capture)
                    return Followed(status, duration)
                if not drain(fd, streams[fd], chunks=1):
                    poller.unregister(fd)
        return Followed(None, time.monotonic() - begin)
    finally:
        os.close(ended)
