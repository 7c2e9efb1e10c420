"""One piece of work on many things with a second core: a forked child does one half, this process the other.

For short work on many things, where a pool of processes would take longer to start than the work. The work
must not depend on what this process does meanwhile, and its result must be picklable. Whatever keeps a child
from answering (no process to be had, an exception) costs time alone: its half is then done here.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")


def both_halves(work: Callable[[Sequence[T]], R], things: Sequence[T], *, at_least: int) -> list[R]:
    """`work` on all things at once, or on each half of them if there are `at_least` so many."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if len(things) < at_least or cores < 2 or threading.active_count() > 1:
        return [work(things)]
    half = len(things) // 2
    child = _start(work, things[half:])
    try:
        first = work(things[:half])
    except BaseException:
        if child is not None:
            _let_go(*child)
        raise
    second = None if child is None else _answer(*child)
    return [first, work(things[half:]) if second is None else second]


def _start(work: Callable[[Sequence[T]], object], things: Sequence[T]) -> tuple[int, int] | None:
    """The child and the pipe that its answer comes by; None if there is no child to be had."""
    reads, writes = os.pipe()
    try:
        child = os.fork()
    except OSError:
        os.close(reads)
        os.close(writes)
        return None
    if child:
        os.close(writes)
        return child, reads
    code = 1
    try:  # the child: whatever happens, it ends here
        os.close(reads)
        with os.fdopen(writes, "wb") as pipe:
            pickle.dump(work(things), pipe, pickle.HIGHEST_PROTOCOL)
        code = 0
    finally:
        os._exit(code)


def _answer(process: int, reads: int) -> Any:
    """What the child sent; None if that is nothing whole."""
    with os.fdopen(reads, "rb", closefd=False) as pipe:
        data = pipe.read()
    _let_go(process, reads)
    try:
        return pickle.loads(data)  # noqa: S301 - our own child wrote it
    except (EOFError, pickle.UnpicklingError):
        return None


def _let_go(process: int, reads: int) -> None:
    """Read no more, which ends a child that still writes, and bury it."""
    os.close(reads)
    with contextlib.suppress(ChildProcessError):  # somebody else buries the children of this process
        os.waitpid(process, 0)
