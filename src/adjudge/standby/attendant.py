"""One connection to the resident process, in a fork of it: reads what is asked, answers, attends the command.

It says yes only to a process that is like itself (`alike.py`), and only once it hears go does it fork the
command off. Then it holds none of the command's streams; it passes signals on to the command, kills it as
soon as the connection closes, and says how it ended. If this process is killed, so is the command.

Whatever does not keep to the form, or takes too long, ends this process and nothing else: the other then runs
its command itself.
"""

from __future__ import annotations

import array
import ast
import contextlib
import os
import select
import signal
import socket
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from adjudge.standby.alike import GROUPS, Facts, Loaded, facts, same_variables, status_of
from adjudge.standby.client import ALL_OF_IT, ENDED, GO, KILLED, PASSED_ON, YES, interpreter, peer_of
from adjudge.standby.command import Called, become
from adjudge.standby.groups import join

LONGEST_REQUEST = 8 << 20
_READ_WITHIN_SEC = 10
STATUS_ASKED = bytes(4)
"""In place of a request's length: how does the server stand?"""
SERVED, OUTDATED = b"1", b"o"
_PASSED = 4


class Server(NamedTuple):
    """What an attendant knows of the process that it was forked from."""

    process: int
    main: Callable[[], None]
    loaded: Loaded
    facts: Facts
    variables: dict[bytes, bytes]
    says: int
    """The pipe on which attendants tell the server what it counts."""
    since: float
    idle_sec: float
    served: int


def attend(connection: socket.socket, server: Server) -> NoReturn:
    """Serve one connection, and end."""
    code = 1
    try:
        signal.alarm(_READ_WITHIN_SEC)
        _serve(connection, server)
        code = 0
    except (OSError, ValueError, SyntaxError, KeyError, TypeError, MemoryError, RecursionError):
        pass  # not in the form of a request, or not like this process: it is run elsewhere
    finally:
        os._exit(code)


def _serve(connection: socket.socket, server: Server) -> None:
    called = _request(connection)
    if called is None:
        told = {"since": server.since, "served": server.served, "idle_sec": server.idle_sec}
        connection.sendall(repr({**told, "is_current": server.loaded.is_current()}).encode())
        return
    if not server.loaded.is_current():
        os.write(server.says, OUTDATED)
        return
    process = peer_of(connection)[0]
    if not process or not _is_alike(process, called, server):
        return
    connection.sendall(YES)
    passed = _passed_with_go(connection)
    signal.alarm(0)
    os.write(server.says, SERVED)
    _conduct(connection, called, passed, server.main)


def _is_alike(process: int, called: Called, server: Server) -> bool:
    if called.interpreter != interpreter() or same_variables(called.environment) != server.variables:
        return False
    theirs, own = facts(process), server.facts
    if theirs != own and theirs | {GROUPS: None} == own | {GROUPS: None}:
        join(os.fsdecode(theirs[GROUPS] or b""), os.fsdecode(own[GROUPS] or b""))
        own = facts(os.getpid())
    return theirs == own


def _request(connection: socket.socket) -> Called | None:
    """What the client hands over; None if it asks for the status. ValueError and others for neither."""
    start = connection.recv(4, socket.MSG_WAITALL)
    if start == STATUS_ASKED:
        return None
    length = int.from_bytes(start, "big")
    if len(start) != 4 or length > LONGEST_REQUEST:
        raise ValueError("not a request")
    message = bytearray()
    while len(message) < length and (more := connection.recv(min(length - len(message), 1 << 16))):
        message += more
    said: dict[str, Any] = ast.literal_eval(message.decode())
    status = status_of(peer_of(connection)[0])
    return Called(
        streams=said["streams"],
        arguments=said["arguments"],
        given=said["given"],
        environment=said["environment"],
        interpreter=said["interpreter"],
        blocked=said["blocked"],
        ignored=_signals(status["SigIgn"]),
        umask=int(status["Umask"], 8),
    )


def _passed_with_go(connection: socket.socket) -> tuple[int, ...]:
    """The streams and the folder. ValueError if the client has thought better of it."""
    ancillary = socket.CMSG_SPACE(_PASSED * array.array("i").itemsize)
    said, received, flags, _ = connection.recvmsg(1, ancillary, socket.MSG_CMSG_CLOEXEC)
    passed = array.array("i")
    for level, kind, data in received:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            passed.frombytes(data[: len(data) - len(data) % passed.itemsize])
    if said != GO or flags & socket.MSG_CTRUNC or len(passed) != _PASSED:
        raise ValueError("not a go")
    return tuple(passed)


def _signals(mask: str) -> frozenset[int]:
    bits = int(mask, 16)
    return frozenset(number for number in range(1, 65) if bits >> (number - 1) & 1)


def _conduct(
    connection: socket.socket, called: Called, passed: tuple[int, ...], main: Callable[[], None]
) -> None:
    """Start the command, pass signals on to it, and say how it ended."""
    parent = os.getpid()
    command = os.fork()
    if not command:
        become(called, passed, parent, main)
    for number in passed:
        os.close(number)
    ended = os.pidfd_open(command)
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(connection, select.POLLIN | select.POLLRDHUP)
    while True:
        ready = dict(waiting.poll())
        if ended in ready:
            _, status = os.waitpid(command, 0)
            break
        try:
            asked = connection.recv(64)
        except OSError:
            asked = b""
        if not asked:  # the client is gone
            os.kill(command, signal.SIGKILL)
            waiting.unregister(connection)
        for byte in asked:
            _signal(command, byte)
    code = os.waitstatus_to_exitcode(status)
    with contextlib.suppress(OSError):
        connection.sendall(ENDED + bytes([code]) if code >= 0 else KILLED + bytes([-code]))


def _signal(command: int, byte: int) -> None:
    number = byte & ~ALL_OF_IT
    if number not in PASSED_ON:
        return
    with contextlib.suppress(ProcessLookupError):
        if byte & ALL_OF_IT:
            os.killpg(command, number)
        else:
            os.kill(command, number)
