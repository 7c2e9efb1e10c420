"""The warm servers of this process: one for each task and place, started when first asked for, few at a time.

A server is used for exactly one set of tests, variables, folders and limits. It dies with this process; one
that fails is ended, and after a few failures none is started for that place again.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading

from msgspec import Struct, field
from msgspec.structs import replace

from adjudge.errors import SandboxError
from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox, FilesNotPlacedError
from adjudge.sandbox.installed import pythons
from adjudge.sandbox.job import Sandbox, SandboxJob, SandboxOutcome
from adjudge.sandbox.warm.eligible import warm_start
from adjudge.sandbox.warm.script import PythonStart
from adjudge.sandbox.warm.server import WarmServer, start_server

MOST_SERVERS = 8
_MOST_FAILURES = 3


class _Stand(Struct):
    """The place of one server, whether it runs or not."""

    server: WarmServer | None = None
    start: PythonStart | str | None = None
    """What `warm_start` said of it; None if it was not asked yet."""
    users: int = 0
    failures: int = 0
    starting: threading.Lock = field(default_factory=threading.Lock)


_guard = threading.Lock()
_stands: dict[tuple[object, ...], _Stand] = {}
"""The least recently used first."""


def run_warm(sandbox: Sandbox, job: SandboxJob) -> SandboxOutcome | str:
    """Run a job on the server of its task; else why it has to be run cold, in words."""
    if not isinstance(sandbox, BubblewrapSandbox):
        return "only bubblewrap's sandboxes can stand"
    try:
        stand = _borrow(_key(sandbox, job))
    except OSError as error:
        return f"its tests cannot be read: {error}"
    server: WarmServer | str = ""
    try:
        server = _server_of(stand, sandbox, job)
        outcome = server if isinstance(server, str) else server.run(job)
    except FilesNotPlacedError as error:  # an output's doing, which must not end the trials of others
        outcome = str(error)
    except (SandboxError, OSError) as error:
        _drop(stand, server)
        outcome = f"a warm run failed: {error}"
    finally:
        with _guard:
            stand.users -= 1
    return replace(outcome, way="warm") if isinstance(outcome, SandboxOutcome) else outcome


def _server_of(stand: _Stand, sandbox: BubblewrapSandbox, job: SandboxJob) -> WarmServer | str:
    """The server that runs, else a new one; else why there can be none."""
    with stand.starting:
        if stand.failures >= _MOST_FAILURES:
            return "no warm run could be begun here"
        if stand.start is None:
            stand.start = warm_start(sandbox, job)
        if isinstance(stand.start, str):
            return stand.start
        if stand.server is None:
            stand.server = start_server(sandbox, job, stand.start)
        return stand.server


def close_servers() -> None:
    """End all servers that nobody uses."""
    with _guard:
        idle = [key for key, stand in _stands.items() if not stand.users]
        closing = [_stands.pop(key).server for key in idle]
    for server in closing:
        _close(server)


def _key(sandbox: BubblewrapSandbox, job: SandboxJob) -> tuple[object, ...]:
    """Everything that a server is started with. A copy of the tests that is made anew is another folder."""
    folder = job.tests.stat()
    return (
        *(sandbox.program, sandbox.rootfs, job.command, job.workdir, job.collect, job.uid),
        *(job.tests, folder.st_dev, folder.st_ino, folder.st_ctime_ns),
        *(tuple(sorted(job.shown.items())), tuple(sorted(job.env.items())), job.limits_inside()),
        *(job.hide, job.cpus, pythons(sandbox)),
    )


def _borrow(key: tuple[object, ...]) -> _Stand:
    closing: list[WarmServer | None] = []
    with _guard:
        stand = _stands[key] = _stands.pop(key) if key in _stands else _Stand()
        stand.users += 1
        idle = [other for other, one in _stands.items() if not one.users]
        for other in idle[: max(0, len(_stands) - MOST_SERVERS)]:
            closing.append(_stands.pop(other).server)
    for server in closing:
        _close(server)
    return stand


def _drop(stand: _Stand, server: WarmServer | str) -> None:
    """A server that failed is not used again; trials of it that still run fail with it."""
    with stand.starting:
        stand.failures += 1
        if stand.server is not None and stand.server is server:
            closing, stand.server = stand.server, None
            _close(closing)


def _close(server: WarmServer | None) -> None:
    if server is not None:
        with contextlib.suppress(SandboxError, OSError):
            server.close()


def _after_fork() -> None:
    """A forked process has servers of its own; its parent's must see when its parent dies."""
    global _guard  # noqa: PLW0603 - its parent may hold the old one
    for stand in _stands.values():
        if stand.server is not None:
            stand.server.let_go()
    _guard = threading.Lock()
    _stands.clear()


atexit.register(close_servers)
os.register_at_fork(after_in_child=_after_fork)
