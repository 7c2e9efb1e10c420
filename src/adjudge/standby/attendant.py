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
import mmap
import os
import resource
import select
import signal
import socket
from typing import Any, NamedTuple, NoReturn

from adjudge.standby.alike import GROUPS, Facts, Loaded, facts, same_variables, told_of_itself
from adjudge.standby.client import (
    ALL_OF_IT,
    ENDED,
    GO,
    HIGHEST_HELD,
    KILLED,
    MOST_HELD,
    NOT_RUN,
    PASSED_ON,
    YES,
    interpreter,
    is_there,
    peer_of,
    shown_to_itself,
)
from adjudge.standby.command import Called, Main, become
from adjudge.standby.groups import join
from adjudge.standby.rights import is_proof, status_of

LONGEST_REQUEST = 8 << 20
_READ_WITHIN_SEC = 10
_OWN_DESCRIPTORS = 16
"""More than an attendant has open itself."""
STATUS = b"s"
"""Before a request: how does the server stand, and would it serve the one who asks?"""
SERVED, OUTDATED = b"served", b"outdated"
"""What attendants tell the server, a line each; the first with their own number and that of the command."""


class Server(NamedTuple):
    """What an attendant knows of the process that it was forked from."""

    process: int
    main: Main
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
    kind = connection.recv(1, socket.MSG_PEEK)
    if kind == STATUS:
        connection.recv(1)
    called, is_current = _request(connection), server.loaded.is_current()
    process = peer_of(connection)[0]
    if kind == STATUS:
        told = {"since": server.since, "served": server.served, "idle_sec": server.idle_sec}
        differs = sorted(_differences(process, called, server))
        connection.sendall(repr({**told, "is_current": is_current, "differs": differs}).encode())
        return
    if not is_current:
        _tell(server, OUTDATED)
        return
    if not process or _differences(process, called, server) or not is_there(connection):
        return
    connection.sendall(YES)
    *passed, proof, folder = _passed_with_go(connection, len(called.held) + 2)
    signal.alarm(0)
    if not _is_proof(proof, server.process):
        connection.sendall(NOT_RUN)
        return
    os.close(proof)
    _conduct(connection, called, (*passed, folder), server)


def _is_proof(descriptor: int, process: int) -> bool:
    try:
        return is_proof(descriptor, process)
    except OSError:  # the server has ended meanwhile
        return False


def _differences(process: int, called: Called, server: Server) -> set[str]:
    """In what the client differs, so that it must run its command itself. Its control groups may differ."""
    own, theirs = server.variables, same_variables(called.environment)
    variables = {os.fsdecode(name) for name, _ in own.items() ^ theirs.items()}
    found, here = facts(process), server.facts
    if found != here and found | {GROUPS: None} == here | {GROUPS: None}:
        with contextlib.suppress(OSError):
            join(os.fsdecode(found[GROUPS] or b""), os.fsdecode(here[GROUPS] or b""))
        here = facts(os.getpid())
    seen = {name for name in found.keys() | here.keys() if found.get(name) != here.get(name)}
    program = set() if called.interpreter == interpreter() else {"the program or its Python"}
    strict = set() if called.shown == shown_to_itself() else {"personality or timer slack"}
    return variables | seen | program | strict | told_of_itself(called.environment)


def _request(connection: socket.socket) -> Called:
    """What the client says of itself. ValueError and others if it is no request."""
    start = connection.recv(4, socket.MSG_WAITALL)
    length = int.from_bytes(start, "big")
    if len(start) != 4 or length > LONGEST_REQUEST:
        raise ValueError("not a request")
    message = bytearray()
    while len(message) < length and (more := connection.recv(min(length - len(message), 1 << 16))):
        message += more
    said: dict[str, Any] = ast.literal_eval(message.decode())
    held: list[int] = said["held"]
    if not {0, 1, 2} <= set(held) or len(held) > MOST_HELD or max(held) > HIGHEST_HELD or not _has_room(held):
        raise ValueError("not a request, or no room for it")
    status = status_of(peer_of(connection)[0])
    return Called(
        streams=said["streams"],
        held=held,
        arguments=said["arguments"],
        given=said["given"],
        file=said["file"],
        environment=said["environment"],
        interpreter=said["interpreter"],
        shown=said["shown"],
        blocked=said["blocked"],
        ignored=_signals(status["SigIgn"]),
        umask=int(status["Umask"], 8),
    )


def _has_room(held: list[int]) -> bool:
    """May this process have so many open? Those of a client are put above all others for a moment."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(*held, _OWN_DESCRIPTORS + len(held)) + len(held) < allowed


def _passed_with_go(connection: socket.socket, count: int) -> tuple[int, ...]:
    """What the client holds open, its proof, and its folder. ValueError if it has thought better of it."""
    ancillary = socket.CMSG_SPACE(count * array.array("i").itemsize)
    said, received, flags, _ = connection.recvmsg(1, ancillary, socket.MSG_CMSG_CLOEXEC)
    passed = array.array("i")
    for level, kind, data in received:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            passed.frombytes(data[: len(data) - len(data) % passed.itemsize])
    if said != GO or flags & socket.MSG_CTRUNC or len(passed) != count:
        raise ValueError("not a go")
    return tuple(passed)


def _signals(mask: str) -> frozenset[int]:
    bits = int(mask, 16)
    return frozenset(number for number in range(1, 65) if bits >> (number - 1) & 1)


def _tell(server: Server, *words: object) -> None:
    line = b" ".join(word if isinstance(word, bytes) else str(word).encode() for word in words)
    with contextlib.suppress(OSError):  # it has ended
        os.write(server.says, line + b"\n")


def _conduct(connection: socket.socket, called: Called, passed: tuple[int, ...], server: Server) -> None:
    """Start the command, pass signals on to it, and say how it ended."""
    parent = os.getpid()
    has_begun = mmap.mmap(-1, 1)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)  # one that comes now waits for the command
    try:
        command = os.fork()
    except OSError:  # no process left: nothing has happened yet
        connection.sendall(NOT_RUN)
        return
    if not command:
        become(called, passed, parent, server.main, has_begun)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    _tell(server, SERVED, parent, command)
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
        if code >= 0 and not has_begun[0]:
            connection.sendall(NOT_RUN)
            return
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
