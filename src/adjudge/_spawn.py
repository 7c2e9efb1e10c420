"""Start a program from inside a process that is somebody else's: large, with threads, forking at any moment.

A thread of its own starts it, with a table of descriptors of its own, and then ends. So
- nothing of the process is copied (`vfork`), and no handler of fork runs that could wait for another thread;
- the pipe on which `subprocess` waits for the new program's start is not copied into a process that another
  thread forks off meanwhile: it would have to end first, and the caller would hang until then;
- the thread may change what is a thread's own (user, control group) and need not change it back.

No garbage is collected while such a thread runs: a file of somebody else's that was closed there would stay
open everywhere else.
"""

from __future__ import annotations

import contextlib
import gc
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess

_CLONE_FILES = 0x400


SECRET_VARIABLES = ("ADJUDGE_LEDGER", "ADJUDGE_BLOBS", "ADJUDGE_WITNESS", "PGPASSWORD")
"""What may hold a password."""


def public_environment() -> dict[str, str]:
    """The environment for a child process: without the variables that may hold a password."""
    return {name: value for name, value in os.environ.items() if name not in SECRET_VARIABLES}


def spawn(
    command: Sequence[str], *, become: Callable[[], None] = lambda: None, **options: Any
) -> subprocess.Popen[bytes]:
    """`subprocess.Popen(command, **options)`, in a thread that calls `become` first.

    Raises what either raises. Pipes cannot be asked for: they would be that thread's. If no environment is
    given, it is the public one.
    """
    import subprocess

    made: list[subprocess.Popen[bytes]] = []
    failed: list[BaseException] = []

    def start() -> None:
        try:
            _unshare_descriptors()
            become()
            made.append(subprocess.Popen(command, **{"env": public_environment(), **options}))
        except BaseException as error:
            failed.append(error)

    with _no_garbage_collected():
        thread = threading.Thread(target=start, name="adjudge-start", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            raise OSError(str(error)) from error  # no thread left is a lack of the machine like any other
        thread.join()
    if failed:
        raise failed[0]
    return made[0]


@cache
def _libc() -> Any:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def _unshare_descriptors() -> None:
    """For the calling thread alone. A machine that forbids it goes without."""
    _libc().unshare(_CLONE_FILES)


_guard = threading.Lock()
_running = 0
_was_enabled = False


@contextlib.contextmanager
def _no_garbage_collected() -> Iterator[None]:
    global _running, _was_enabled  # noqa: PLW0603 - one collector for the whole process
    with _guard:
        if not _running:
            _was_enabled = gc.isenabled()
            gc.disable()
        _running += 1
    try:
        yield
    finally:
        with _guard:
            _running -= 1
            if not _running and _was_enabled:
                gc.enable()


def _after_fork() -> None:
    global _running, _guard
    if _running and _was_enabled:
        gc.enable()
    _running, _guard = 0, threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
