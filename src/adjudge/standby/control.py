"""Start and end the resident process of this user, and ask how it stands.

Whoever starts one holds a lock until it serves, so two who start at once start one. A socket that nobody
answers at is what a killed process left, and is removed by the next start.
"""

from __future__ import annotations

import ast
import fcntl
import os
import select
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from adjudge.errors import MachineryError
from adjudge.standby import IS_POSSIBLE, folder_path, open_folder, socket_in
from adjudge.standby.attendant import STATUS
from adjudge.standby.client import in_what_it_differs, peer_of, request_of
from adjudge.standby.command import Main
from adjudge.standby.rights import has_own_filter, status_of
from adjudge.standby.server import LOCK, clear, serve, started_at

_ANSWERS_WITHIN_SEC = 10.0
_ENDS_WITHIN_SEC = 30.0


class StandbyStatus(NamedTuple):
    """A resident process that serves."""

    process: int
    since: float
    served: int
    idle_sec: float
    memory_bytes: int
    is_current: bool
    """Or was adjudge, or something it needs, changed since? Then it serves none, and ends at the next."""
    differs: list[str]
    """In what the process that asked differs. If in anything, its commands run where they are called."""


def standing() -> StandbyStatus | None:
    """How the resident process of this user stands; None if there is none.

    MachineryError if there is one that does not answer.
    """
    path = folder_path() if IS_POSSIBLE else None
    folder = None if path is None else open_folder(path)
    if folder is None:
        return None
    try:
        return _ask(folder)
    finally:
        os.close(folder)


def start(idle_sec: float, main: Main) -> tuple[StandbyStatus, bool]:
    """The resident process, and whether it was started just now. It runs `main` for each command.

    One that serves no more, since what it has loaded was changed, is ended first. MachineryError if it cannot
    be started, with the reason.
    """
    if not IS_POSSIBLE or not _has_handles():
        raise MachineryError("standing by needs Linux 5.3 or newer")
    if has_own_filter(os.getpid()):
        raise MachineryError(
            "nothing can stand by for a process with a filter of system calls of its own, as in a sandbox",
            remedy="Start it outside of the sandbox.",
        )
    with _folder() as folder:
        lock = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600, dir_fd=folder)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if (found := _ask(folder)) is not None:
                if found.is_current:
                    return found, False
                _end(folder)
            clear(folder)
            if why := _fork_server(folder, idle_sec, main):
                raise MachineryError(f"the process that stands by could not get ready: {why}")
            made = _ask(folder)
        finally:
            os.close(lock)
    if made is None:
        raise MachineryError("the process that stands by has ended again")
    return made, True


def stop() -> bool:
    """End the resident process; False if there is none. Commands that it runs are not ended.

    MachineryError if it does not end.
    """
    path = folder_path() if IS_POSSIBLE else None
    folder = None if path is None else open_folder(path)
    if folder is None:
        return False
    try:
        return _end(folder)
    finally:
        os.close(folder)


def _end(folder: int) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        if not _connect(connection, folder):
            return False
        process, _ = peer_of(connection)
        try:
            handle = os.pidfd_open(process)
        except ProcessLookupError:
            return True
    try:
        signal.pidfd_send_signal(handle, signal.SIGTERM)
        waiting = select.poll()
        waiting.register(handle, select.POLLIN)
        if not waiting.poll(1000 * _ENDS_WITHIN_SEC):
            raise MachineryError(f"process {process}, which stands by, does not end")
    except ProcessLookupError:
        return True
    finally:
        os.close(handle)
    return True


def _has_handles() -> bool:
    """Does the system give handles of processes? Python may know the call, and an older Linux refuse it."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return True


@contextmanager
def _folder() -> Iterator[int]:
    """The folder of the socket, made if it is not there. MachineryError if it is not this user's alone."""
    path = folder_path()
    if path is None:
        raise MachineryError(
            "there is no folder for the socket", remedy="Set XDG_RUNTIME_DIR or HOME to a folder of yours."
        )
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)  # noqa: PTH102
    folder = open_folder(path)
    if folder is None:
        raise MachineryError(
            "this is not a folder of yours alone (a folder, no link, closed to all others)",
            file=path,
            remedy="Remove it, then run the same command again.",
        )
    try:
        yield folder
    finally:
        os.close(folder)


def _connect(connection: socket.socket, folder: int) -> bool:
    """Is there somebody? MachineryError for anybody but this user."""
    connection.settimeout(_ANSWERS_WITHIN_SEC)
    try:
        connection.connect(socket_in(folder))
    except (FileNotFoundError, ConnectionRefusedError):
        return False
    except OSError as error:
        raise MachineryError(f"the process that stands by does not answer: {error}") from error
    if peer_of(connection)[1] != os.geteuid():
        raise MachineryError("somebody else listens in the folder of the process that stands by")
    return True


def _ask(folder: int) -> StandbyStatus | None:
    with socket.socket(socket.AF_UNIX) as connection:
        if not _connect(connection, folder):
            return None
        process, _ = peer_of(connection)
        _refuse_if_unlike(connection, process)
        try:
            connection.sendall(STATUS + request_of(set(), [0, 1, 2]))
            with connection.makefile("rb") as answer:
                told: dict[str, Any] = ast.literal_eval(answer.read(1 << 16).decode())
            memory = int(status_of(process)["VmRSS"].split()[0]) << 10
            return StandbyStatus(process=process, memory_bytes=memory, **told)
        except ConnectionError:
            return None
        except (OSError, ValueError, SyntaxError, TypeError, KeyError) as error:
            raise MachineryError(
                f"the process that stands by does not answer: {error}", remedy=f"End process {process}."
            ) from error


def _refuse_if_unlike(connection: socket.socket, process: int) -> None:
    """MachineryError for a process in another sandbox: what is asked of it would tell it too much."""
    try:
        differs = ", ".join(in_what_it_differs(connection))
    except OSError as error:
        differs = str(error)
    if differs:
        raise MachineryError(
            f"process {process}, which stands by, has other rights than this one, or is in another sandbox",
            found=differs,
            remedy="Commands that are called here run without it. To end it: adjudge standby --stop",
        )


def _fork_server(folder: int, idle_sec: float, main: Main) -> str:
    """Fork it off, in a session of its own, and wait until it serves: nothing, or why it does not."""
    reads, ready = os.pipe()
    started = started_at()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        try:
            os.close(reads)
            os.setsid()
            if os.fork():
                os._exit(0)
            serve(folder, ready, idle_sec, main, started)
        finally:
            os._exit(1)
    os.close(ready)
    os.waitpid(child, 0)
    with os.fdopen(reads, "rb") as pipe:
        return pipe.read().decode("utf-8", "replace")
