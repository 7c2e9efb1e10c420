"""Do work on bytes that nobody vouches for in a throw-away child with limits of its own.

Parsers can be made to eat memory or time, and native ones can be broken outright. So they run in a child that
is forked for one piece of work and then gone: what goes wrong in it is that piece's own failure. Children are
forked by a small helper process with one thread, never by the caller, whose threads and memory would be
copied halfway through whatever they do. A piece of work costs some milliseconds more than doing it here.

The caller hands the helper two descriptors in one message: a memory file with the work, and a socket for the
answer. The helper forks and forgets; the child says that it begins, reads, works, answers and ends. If it
began and gave no answer, it hit a limit: its memory (RLIMIT_AS) or its processor time. If none ever began, or
if the clock ran out first, because others have the processors, this machine failed and not the work.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from msgspec import Struct

from adjudge._spawn import spawn
from adjudge.errors import MachineryError

MEMORY_MB = 1024
SECONDS = 10.0
"""Of processor time."""
_CLOCK_SEC = 600.0
"""Long, so that an answer that eats time meets the limit on processor time even if others are at work too."""
_GRACE_SEC = 5.0
_BEGINS = b"."
_ANSWER_BYTES = 4 << 20
_CHUNK = 1 << 16


class Exhausted(Exception):  # noqa: N818 - names what happened
    """The work took more memory or time than it may, or ended its process; the message says what it may."""


class _Helper(Struct, frozen=True):
    process: subprocess.Popen[bytes]
    requests: socket.socket
    owner: int
    """The process that started it: after a fork, the parent's is not ours."""

    def end(self) -> None:
        if self.owner == os.getpid():
            with contextlib.suppress(OSError):  # it is gone
                self.requests.shutdown(socket.SHUT_RDWR)  # which is what it ends by, whoever has a copy
        self.requests.close()
        if self.owner == os.getpid():
            self.process.wait()


_lock = threading.Lock()
_helper: _Helper | None = None


def confined(work: str, arguments: dict[str, Any], data: bytes) -> Any:
    """What `work` ("module:function") returns for JSON arguments and bytes, computed in a child.

    The function takes the arguments as a dict and the bytes, and returns JSON. Raises Exhausted if the child
    gave no answer, MachineryError if no child could be started or none got its time.
    """
    request = json.dumps([work, arguments], ensure_ascii=True).encode()
    memory = os.memfd_create("adjudge", os.MFD_CLOEXEC)
    ours, theirs = socket.socketpair()
    try:
        _write(memory, len(request).to_bytes(8, "big") + request)
        _write(memory, data)
        with theirs:
            _send([memory, theirs.fileno()])
        ours.settimeout(_CLOCK_SEC + _GRACE_SEC)
        asked = time.monotonic()
        answer = _read_all(ours)
        waited = time.monotonic() - asked
    finally:
        os.close(memory)
        ours.close()
    if not answer:
        raise MachineryError(
            "the helper that parses outputs cannot be started",
            file=sys.executable,
            remedy="It says nothing of the output. Is `import adjudge` possible there, and memory left?",
        )
    with contextlib.suppress(ValueError):  # nothing, or the beginning of an answer that was cut off
        return json.loads(answer.removeprefix(_BEGINS))
    if waited >= _CLOCK_SEC:
        raise MachineryError(
            f"parsing got less than {SECONDS:g} s of processor time in {_CLOCK_SEC:g} s",
            remedy="It says nothing of the output: others keep this machine busy. Score it again.",
        )
    raise Exhausted(f"more than {MEMORY_MB} MB of memory or {SECONDS:g} s of time")


def start_ahead() -> None:
    """Start the helper, for work that is to come. If it cannot be started, that work says so."""
    with contextlib.suppress(OSError):
        _running()


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _read_all(source: socket.socket) -> bytes:
    parts: list[bytes] = []
    size = 0
    with contextlib.suppress(TimeoutError, ConnectionResetError):
        while part := source.recv(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > _ANSWER_BYTES:
                return _BEGINS
    return b"".join(parts)


def _send(descriptors: list[int]) -> None:
    """One message to the helper, which is started if need be; atomic, so that threads need no turns."""
    for again in (True, False):
        try:
            socket.send_fds(_running(), [b"work"], descriptors)
        except OSError as error:  # the helper is gone
            _forget()
            if not again:
                what = "the helper that parses outputs ends at once"
                raise MachineryError(what, found=error.strerror) from error
        else:
            return


def _running() -> socket.socket:
    global _helper  # noqa: PLW0603 - one helper for the whole process
    with _lock:
        if _helper is None or _helper.owner != os.getpid():
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            # Where this process finds adjudge and what it needs, however it came to know that.
            paths = [entry for entry in sys.path if isinstance(entry, str) and os.path.isabs(entry)]  # noqa: PTH117
            code = f"import sys; sys.path[:] = {paths!r}; from adjudge._confined import serve; "
            code += f"serve({theirs.fileno()})"
            process = spawn(
                [sys.executable, "-I", "-c", code],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            theirs.close()
            _helper = _Helper(process, ours, os.getpid())
        return _helper.requests


def _forget() -> None:
    global _helper  # noqa: PLW0603
    with _lock:
        if _helper is not None:
            _helper.end()
        _helper = None


atexit.register(_forget)


def _after_fork() -> None:
    """A forked process has a helper of its own, and must not hold its parent's."""
    global _helper, _lock  # noqa: PLW0603
    _lock = threading.Lock()
    if _helper is not None:
        _helper.requests.close()
        _helper = None


os.register_at_fork(after_in_child=_after_fork)


def serve(fd: int) -> None:
    """The helper's life: fork for every message, until the caller is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children need no burying
    for module in ("adjudge.gates.examine", "jsonschema_rs", "yaml", "defusedxml.sax"):
        import_module(module)  # once, so that children find it loaded
    with socket.socket(fileno=fd) as requests:
        while True:
            message, received, _, _ = socket.recv_fds(requests, 16, 2)
            if not message:
                return
            memory, reply = received
            if os.fork() == 0:
                requests.close()
                _child(memory, reply)
            os.close(memory)
            os.close(reply)


def _child(memory: int, reply: int) -> None:
    """Work within limits, answer, end. Whatever goes wrong here ends this process and nothing else."""
    try:
        os.write(reply, _BEGINS)
        _confine()
        size = os.fstat(memory).st_size
        head = os.pread(memory, 8, 0)
        length = int.from_bytes(head, "big")
        work, arguments = json.loads(os.pread(memory, length, 8))
        data = os.pread(memory, size - 8 - length, 8 + length)
        module, _, name = work.partition(":")
        function: Callable[[dict[str, Any], bytes], Any] = getattr(import_module(module), name)
        answer = json.dumps(function(arguments, data)).encode()
        with socket.socket(fileno=reply) as out:
            out.sendall(answer)
        os._exit(0)
    finally:
        os._exit(1)  # also for MemoryError and whatever a parser raises that it should not


def _confine() -> None:
    """No more memory, time, files or processes than one piece of work needs; no way back."""
    signal.setitimer(signal.ITIMER_REAL, _CLOCK_SEC)  # its default action ends the process
    now = int(_address_space())
    for limit, value in (
        (resource.RLIMIT_AS, now + (MEMORY_MB << 20)),
        (resource.RLIMIT_CPU, int(SECONDS)),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (value, value))


def _address_space() -> int:
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - a fresh child should import nothing more
        return int(file.read().split()[0]) * resource.getpagesize()
