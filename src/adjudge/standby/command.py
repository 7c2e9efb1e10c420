"""A fork becomes the command that was called elsewhere: as if Python had just started there.

Everything that a start sets up is set up anew: streams, folder, environment and what was made of it, signals,
arguments. The end is that of Python, too: threads are awaited, `atexit` is called, what is left in buffers is
written, and if that fails the exit code is 120. Only the taking down of the interpreter is left out.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import io
import locale
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple, NoReturn

_PR_SET_PDEATHSIG = 1
_CANNOT_FLUSH = 120
_LEFT_ALONE = frozenset({signal.SIGKILL, signal.SIGSTOP})


class Called(NamedTuple):
    """A command as it was called: what the client says of itself, and what `/proc` says of it."""

    streams: list[tuple[str, str, bool, bool]]
    arguments: list[str]
    given: list[str]
    environment: dict[bytes, bytes]
    interpreter: list[Any]
    blocked: list[int]
    ignored: frozenset[int]
    umask: int


def become(called: Called, passed: tuple[int, ...], parent: int, main: Callable[[], None]) -> NoReturn:
    """Run the command in this process, which is a fork of `parent`, and end.

    `passed` are descriptors of stdin, stdout, stderr, and the folder.
    """
    code = 1
    try:
        _set_up(called, passed, parent)
        code = _run(main)
        code = _end(code)
    finally:
        os._exit(code)


def _set_up(called: Called, passed: tuple[int, ...], parent: int) -> None:
    os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    os.fchdir(passed[3])
    for number in (0, 1, 2):
        os.dup2(passed[number], number)
    os.closerange(3, max(os.sysconf("SC_OPEN_MAX"), 1024) if not _close_all() else 3)
    os.umask(called.umask)
    _set_environment(called.environment)
    sys.argv, sys.orig_argv = called.arguments, called.given
    for number, (name, form) in enumerate(zip(("stdin", "stdout", "stderr"), called.streams, strict=True)):
        stream = _stream(number, *form)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    _set_signals(called)
    gc.enable()


def _close_all() -> bool:
    """Close all descriptors but the first three; False if the list of them cannot be had."""
    try:
        numbers = [int(name) for name in os.listdir("/proc/self/fd")]  # noqa: PTH208
    except OSError:
        return False
    for number in numbers:
        if number > 2:
            os.closerange(number, number + 1)
    return True


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
    """As the client has them. What Python ignores from its start is among what the client ignores."""
    for number in signal.valid_signals() - _LEFT_ALONE:
        if number in called.ignored:
            signal.signal(number, signal.SIG_IGN)
        elif number == signal.SIGINT:
            signal.signal(number, signal.default_int_handler)
        else:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, called.blocked)


def _run(main: Callable[[], None]) -> int:
    """The exit code, as Python makes it of what `sys.exit` was called with."""
    try:
        main()
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
    for left in gc.get_objects():  # files that nobody closed, which Python writes out when it lets go of them
        if isinstance(left, io.BufferedWriter | io.BufferedRandom | io.TextIOWrapper):
            try:
                left.flush()
            except (OSError, ValueError):
                continue
    return code
