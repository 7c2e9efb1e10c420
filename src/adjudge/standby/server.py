"""The resident process: it listens, forks an attendant for each connection, and counts.

It reads nothing that a client sends, so that no client can harm it or make it wait. It has one thread, no
terminal, no open file of whoever started it, and ends when it is told to, when nobody has used it for long,
when its files were changed, or when its socket is gone.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

from adjudge.standby import socket_in
from adjudge.standby.alike import Loaded, facts, same_variables
from adjudge.standby.attendant import OUTDATED, SERVED, Server, attend
from adjudge.standby.client import peer_of
from adjudge.standby.command import Main

MOST_AT_ONCE = 64
_LOOKS_EVERY_SEC = 60.0
_CLOCK_TICK_SEC = 0.01
_NAME = "socket"
LOCK = "lock"


def serve(folder: int, ready: int, idle_sec: float, main: Main, started: float) -> NoReturn:
    """Get ready, say so on the pipe `ready` (nothing, or why not), and serve until it is time to end."""
    code = 1
    try:
        _let_go_of_terminal({folder, ready})
        asked = dict(os.environb)
        from adjudge.standby.preload import preload

        preload()
        says, told = os.pipe()
        for end in (says, told):
            os.set_blocking(end, False)
        process = os.getpid()
        server = Server(
            *(process, main, Loaded(started), facts(process), same_variables(asked)),
            *(told, time.time(), idle_sec, 0),
        )
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
            os.umask(0o077)
            if not _is_awaited(ready):
                raise InterruptedError("nobody waits for it any more")
            listening.bind(socket_in(folder))
            listening.listen(MOST_AT_ONCE)
            listening.setblocking(False)
            os.close(ready)
            own = os.stat(_NAME, dir_fd=folder)
            _serve(listening, says, server, lambda: _stands_at(folder, own))
            _remove_socket(folder, own)
        code = 0
    except Exception as error:  # whoever started it says so; there is nobody else to tell
        with contextlib.suppress(OSError):
            os.write(ready, f"{type(error).__name__}: {error}".encode()[:4000])
    finally:
        os._exit(code)


def _is_awaited(ready: int) -> bool:
    """Does whoever started it wait? Who was interrupted wants none, and others may have started one."""
    waiting = select.poll()
    waiting.register(ready, 0)
    return not waiting.poll(0)


def _let_go_of_terminal(kept: set[int]) -> None:
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        if (number := int(name)) > 2 and number not in kept:
            os.closerange(number, number + 1)


def _serve(listening: socket.socket, says: int, server: Server, has_place: Callable[[], bool]) -> None:
    """Serve until it is time to end: told to, unused, changed, or without the socket in its place."""
    wakes = _wake_by_signals()
    waiting = select.poll()
    for number in (listening.fileno(), says, wakes):
        waiting.register(number, select.POLLIN)
    used = time.monotonic()
    attendants: set[int] = set()
    commands: dict[int, int] = {}
    while time.monotonic() - used < server.idle_sec:
        waiting.poll(1000 * min(_LOOKS_EVERY_SEC, server.idle_sec))
        if signal.SIGTERM in _read(wakes) or not has_place():
            break
        ended = dict(_buried())
        for told in map(bytes.split, _read(says).splitlines()):
            if told == [OUTDATED]:
                return
            if told[0] == SERVED:
                commands[int(told[1])] = int(told[2])
                server = server._replace(served=server.served + 1)
                used = time.monotonic()
        for attendant, status in ended.items():
            attendants.discard(attendant)
            command = commands.pop(attendant, None)
            if command is not None and os.WIFSIGNALED(status):
                _kill_orphan(command)
        if attendant := _answer(listening, server, len(attendants) < MOST_AT_ONCE):
            attendants.add(attendant)


def _remove_socket(folder: int, own: os.stat_result) -> None:
    with contextlib.suppress(OSError):
        lock = os.open(LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, dir_fd=folder)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # held by who starts another, and clears up first
        if _stands_at(folder, own):
            os.unlink(_NAME, dir_fd=folder)


def _answer(listening: socket.socket, server: Server, has_room: bool) -> int:
    """Fork an attendant if somebody calls: its number, or 0."""
    try:
        connection, _ = listening.accept()
    except OSError:
        return 0
    with connection:
        connection.setblocking(True)
        if not has_room or peer_of(connection)[1] != os.geteuid():
            return 0
        try:
            child = os.fork()
        except OSError:  # no process to be had: the command is run where it was called
            return 0
        if not child:
            _forget_signals()
            listening.close()
            attend(connection, server)
        return child


def _kill_orphan(command: int) -> None:
    """End a command whose attendant was killed.

    The system does it, too, but for a command that has taken on another user for a moment, as root's do.
    """
    with contextlib.suppress(OSError):
        if os.getsid(command) == os.getsid(0) and os.getpgid(command) == command:
            os.kill(command, signal.SIGKILL)


def _wake_by_signals() -> int:
    """A descriptor that can be read once a signal came: a child ended, or this process is to end.

    Also if whoever started this process blocked or ignored them, which programs inherit.
    """
    wakes, woken = os.pipe()
    for end in (wakes, woken):
        os.set_blocking(end, False)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, lambda _number, _frame: None)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    return wakes


def _forget_signals() -> None:
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGCHLD, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)


def _read(number: int) -> bytes:
    try:
        return os.read(number, 4096)
    except BlockingIOError:
        return b""


def _stands_at(folder: int, own: os.stat_result) -> bool:
    """Is the socket in the folder the one of this process?"""
    try:
        return os.path.samestat(os.stat(_NAME, dir_fd=folder), own)
    except OSError:
        return False


def _buried() -> Iterator[tuple[int, int]]:
    """Attendants that have ended, and how."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            yield ended


def clear(folder: int) -> None:
    """Remove the socket of a server that was killed. Whoever calls holds the lock."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(_NAME, dir_fd=folder)


def started_at() -> float:
    """When this process started, in seconds since 1970: at the latest, before it had read a file of ours."""
    fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    ago = time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return time.time() - ago + _CLOCK_TICK_SEC
