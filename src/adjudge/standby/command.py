"""A fork becomes the command that was called elsewhere: as if Python had just started there.

Everything that a start sets up is set up anew: streams, folder, environment and what was made of it, signals,
arguments. The end is that of Python, too: threads are awaited, `atexit` is called, what is left in buffers is
written, and if that fails the exit code is 120. Only the taking down of the interpreter is left out.
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import gc
import io
import locale
import mmap
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple, NoReturn

Main = Callable[[Callable[[], object]], None]
"""Runs the command, after it has called what it is given: from then on, signals may interrupt it."""
_PR_SET_PDEATHSIG = 1
_CANNOT_FLUSH = 120
_DEPTH_OF_A_START = 1
"""The calls that the console script is in when it calls `run_here`: its own `main`."""
_LEFT_ALONE = frozenset({signal.SIGKILL, signal.SIGSTOP})


class Called(NamedTuple):
    """A command as it was called: what the client says of itself, and what `/proc` says of it."""

    streams: list[tuple[str, str, bool, bool]]
    held: list[int]
    """The numbers of its open descriptors, stdin, stdout and stderr among them."""
    arguments: list[str]
    given: list[str]
    file: str | None
    """The program, by the path it was called by."""
    environment: dict[bytes, bytes]
    interpreter: list[Any]
    shown: list[bytes]
    """What only it can read of itself in `/proc`."""
    blocked: list[int]
    ignored: frozenset[int]
    umask: int


def become(
    called: Called, passed: tuple[int, ...], parent: int, main: Main, has_begun: mmap.mmap
) -> NoReturn:
    """Run the command in this process, which is a fork of `parent`, and end.

    `passed` are what the client holds open, and its folder. `has_begun` is shared with the parent: while it
    is not set, nothing has been done for the command. Until then, signals wait.
    """
    code = 1
    try:
        _set_up(called, passed, parent)
        has_begun[0] = 1
        code = _run(main, called.blocked)
        code = _end(code)
    finally:
        os._exit(code)


def _set_up(called: Called, passed: tuple[int, ...], parent: int) -> None:
    os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    os.fchdir(passed[-1])
    _take(called.held, passed)
    os.umask(called.umask)
    _set_environment(called.environment)
    sys.argv, sys.orig_argv = called.arguments, called.given
    sys.modules["__main__"].__dict__["__file__"] = called.file
    for number, (name, form) in enumerate(zip(("stdin", "stdout", "stderr"), called.streams, strict=True)):
        stream = _stream(number, *form)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    _set_signals(called)
    gc.enable()


def _take(numbers: list[int], passed: tuple[int, ...]) -> None:
    """Have each of the client's descriptors under the number that it has there, and no other open."""
    above = 1 + max(*numbers, *passed)
    kept = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, above) for descriptor in passed[:-1]]
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        if int(name) not in kept:
            os.closerange(int(name), int(name) + 1)
    for number, descriptor in zip(numbers, kept, strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)


def _set_environment(environment: dict[bytes, bytes]) -> None:
    """Replace all variables, and what has been made of them."""
    for name in os.environb.keys() - environment.keys():
        del os.environb[name]
    os.environb.update(environment)
    time.tzset()
    locale.setlocale(locale.LC_CTYPE, "")
    tempfile.tempdir = None


def _stream(number: int, encoding: str, errors: str, line_buffering: bool, write_through: bool) -> object:
    """A standard stream, made as Python makes it."""
    mode = "w" if number else "r"
    buffered: Any = open(number, f"{mode}b", 0 if number and write_through else -1, closefd=False)  # noqa: SIM115 - stays
    getattr(buffered, "raw", buffered).name = ("<stdin>", "<stdout>", "<stderr>")[number]
    stream: Any = io.TextIOWrapper(
        buffered, encoding, errors, newline="\n", line_buffering=line_buffering, write_through=write_through
    )
    stream.mode = mode
    return stream


def _set_signals(called: Called) -> None:
    """As the client has them; what waits goes on waiting. Python's own are among what the client ignores."""
    for number in signal.valid_signals() - _LEFT_ALONE:
        if number in called.ignored:
            signal.signal(number, signal.SIG_IGN)
        elif number == signal.SIGINT:
            signal.signal(number, signal.default_int_handler)
        else:
            signal.signal(number, signal.SIG_DFL)


def _run(main: Main, blocked: list[int]) -> int:
    """The exit code, as Python makes it of what `sys.exit` was called with."""
    sys.setrecursionlimit(sys.getrecursionlimit() + _depth() - _DEPTH_OF_A_START)
    try:
        main(lambda: signal.pthread_sigmask(signal.SIG_SETMASK, blocked))
    except SystemExit as end:
        if end.code is None:
            return 0
        if isinstance(end.code, int):
            return end.code & 0xFF
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:  # `main` lets nothing through that a user should see; this is its own end
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def _depth() -> int:
    """How many calls whoever calls this is in: a fork is in those of what was forked."""
    depth, frame = 0, sys._getframe(1)
    while frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    return depth


def _end(code: int) -> int:
    """What Python does before it takes itself down; the exit code."""
    ending: Any = threading
    ending._shutdown()
    exits: Any = atexit
    exits._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except (OSError, ValueError) as error:
            code = _CANNOT_FLUSH
            if stream is sys.stdout:
                told: Any = SimpleNamespace(
                    exc_type=type(error), exc_value=error, exc_traceback=None, err_msg=None, object=stream
                )
                sys.unraisablehook(told)
    return code
