"""A process beside this one that makes something of things, chunk by chunk, in the order it is asked.

It is a plain subprocess because `multiprocessing` would import the caller's main module again. A command,
whose process is its own and has no other thread yet, may have it forked instead: that one has everything
imported and begins at once. Either ends when its input does, so it never outlives its parent, and Ctrl-C is
the parent's alone to answer. What the two say to each other lies in memory they share; only its size goes
through a pipe, so neither ever waits for the other to listen.
"""

from __future__ import annotations

import fcntl
import gc
import os
import pickle
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import IO, Any, NamedTuple, NoReturn, Protocol, TypeVar

from adjudge._spawn import public_environment
from adjudge.errors import MachineryError
from adjudge.ledger import collector_paused

_SIZE_BYTES = 8
_FIRST_FREE = 3
"""The first descriptor that is no standard stream."""

_Thing_contra = TypeVar("_Thing_contra", contravariant=True)
Thing = TypeVar("Thing")
Made = TypeVar("Made")


class Reader(Protocol[_Thing_contra, Made]):
    """Makes something of folders. It is sent to the helpers, as is all that it makes."""

    def read(self, folders: Sequence[_Thing_contra], /) -> list[Made]:
        """What it makes of each folder, in their order; may end early, but not before the first."""


def read_with(reader: Reader[Thing, Made], chunk: Sequence[Thing]) -> list[Made]:
    """What a reader makes of a chunk, or of its beginning."""
    with collector_paused():
        return reader.read(chunk)


class _Line:
    """One direction between two processes: things lie in shared memory, a pipe tells how long each is.

    There may lie as many as there are memories; whoever puts one has to know that the oldest was taken.
    """

    def __init__(self, pipe: int, memory: Sequence[int]) -> None:
        self.pipe = pipe
        self.memory = memory
        self.turn = 0

    def put(self, thing: object) -> None:
        """Raises BrokenPipeError if nobody will take it."""
        data = memoryview(pickle.dumps(_in_columns(thing), pickle.HIGHEST_PROTOCOL))
        memory, size = self._memory(), len(data)
        os.ftruncate(memory, size)  # it may have held more
        while data:
            data = data[os.pwrite(memory, data, size - len(data)) :]
        os.write(self.pipe, size.to_bytes(_SIZE_BYTES))

    def take(self) -> Any:
        """Wait for the next. Raises EOFError if there will be none."""
        size = os.read(self.pipe, _SIZE_BYTES)  # so short a message is never cut in two
        if not size:
            raise EOFError
        thing = pickle.loads(os.pread(self._memory(), int.from_bytes(size), 0))  # noqa: S301 - our own process
        return thing.rows() if isinstance(thing, _Columns) else thing

    def _memory(self) -> int:
        memory = self.memory[self.turn % len(self.memory)]
        self.turn += 1
        return memory


class _Columns(NamedTuple):
    """A list of rows of one kind, as it is sent: that takes half of the time."""

    kind: Callable[..., object]
    columns: tuple[tuple[object, ...], ...]

    def rows(self) -> list[object]:
        return list(map(self.kind, *self.columns))


def _in_columns(thing: object) -> object:
    """A list of named tuples of one kind by its columns; anything else as it is."""
    if not isinstance(thing, list) or not thing:
        return thing
    kind = type(thing[0])
    if not hasattr(kind, "_fields") or any(type(row) is not kind for row in thing):
        return thing
    return _Columns(kind, tuple(zip(*thing, strict=True)))


class Helper:
    """A process that reads chunks in the order they are asked for."""

    def __init__(self, process: _Process, pipes: tuple[IO[bytes], IO[bytes]], memory: Sequence[int]) -> None:
        self.process = process
        self._pipes = pipes
        self._asking, self._answers = map(_Line, (pipe.fileno() for pipe in pipes), _halves(memory))
        self._poll = select.poll()  # `select` itself cannot look at the 1024th descriptor
        self._poll.register(self._answers.pipe, select.POLLIN)
        self._asked = 0
        self._started = False

    def can_take(self) -> bool:
        """Has it started, and less to do than it may have?"""
        if not self._started and self.is_ready():
            self.wait_for_start()
        return self._started and self._asked < len(self._asking.memory)

    def wait_for_start(self) -> None:
        """It says once that it has started."""
        self.answer()
        self._started = True

    def ask(self, chunk: object) -> None:
        """Have a chunk read; it may be a while until then."""
        self._asked += 1
        with suppress(BrokenPipeError):  # it has died: who waits for the answer is told
            self._asking.put(chunk)

    def is_ready(self) -> bool:
        """Is there an answer, or none to come any more?"""
        return bool(self._poll.poll(0))

    def answer(self) -> Any:
        """Wait for what it makes of the oldest chunk it has."""
        self._asked -= 1
        try:
            return self._answers.take()
        except EOFError:
            raise died("a process that reads folders", self.process) from None

    def close(self) -> None:
        """Give back all that it had. It has been killed."""
        for pipe in self._pipes:
            pipe.close()
        for memory in (*self._asking.memory, *self._answers.memory):
            os.close(memory)
        self.process.wait()


class _Process(Protocol):
    """What is asked of a helper's process."""

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None: ...

    def kill(self) -> None: ...

    def wait(self) -> int: ...


class _Forked:
    """A forked child, asked as `subprocess.Popen` is."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def kill(self) -> None:
        """End it; one that has ended is left alone: until `wait` its number is nobody else's."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for its end: its exit code, or a signal's number below zero."""
        if self.returncode is None:
            try:
                self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            except ChildProcessError:  # whoever started this process has the system bury its children
                self.returncode = 0
        return self.returncode


def died(what: str, process: _Process) -> MachineryError:
    """What is said of a process of ours that ended in the middle."""
    return MachineryError(
        f"{what} has died",
        found=f"exit code {process.wait()}",
        remedy="What was recorded is safe; run the same command again.",
    )


def start_helper(reader: object, most_asked: int) -> Helper:
    """A helper that finds modules where this process does, and not in the current folder besides.

    It can be asked for so many chunks before it has answered.

    Raises OSError if this process may not have another, or not the descriptors for it.
    """
    memory = _shared_memories(2 * most_asked)
    try:
        with signals_held_back():
            process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-c"),
                    "from adjudge._lazy import start_light; start_light()\n"
                    f"from adjudge.runs.helper import help_out; help_out({memory})",
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                pass_fds=memory,
                env={**public_environment(), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
    except OSError:
        _close(memory)
        raise
    assert process.stdin is not None  # noqa: S101 - PIPE was asked for
    assert process.stdout is not None  # noqa: S101
    helper = Helper(process, (process.stdin, process.stdout), memory)
    helper.ask(reader)
    return helper


def fork_helper(reader: object, most_asked: int) -> Helper:
    """A helper that is a copy of this process, and has all that this one has imported.

    Raises OSError as `start_helper` does.
    """
    taken = _shared_memories(2 * most_asked)
    memory = tuple(taken)
    try:
        for _ in range(2):
            taken += os.pipe()
        asked, asking, answers, answered = taken[len(memory) :]
        if min(taken) < _FIRST_FREE:
            raise OSError("a standard stream is closed")
        with signals_held_back():
            pid = os.fork()
            if not pid:
                _live_as_helper(memory, asked, answered)
    except OSError:
        _close(taken)
        raise
    _close((asked, answered))
    pipes = os.fdopen(asking, "wb", buffering=0), os.fdopen(answers, "rb", buffering=0)
    helper = Helper(_Forked(pid), pipes, memory)
    helper.ask(reader)
    helper.wait_for_start()
    return helper


def _live_as_helper(memory: Sequence[int], asked: int, answered: int) -> NoReturn:
    """The rest of a forked child, which has nothing open but what a helper needs."""
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1):
            os.dup2(nothing, number)
        needed = sorted((*memory, asked, answered))
        for before, after in pairwise((_FIRST_FREE - 1, *needed, os.sysconf("SC_OPEN_MAX"))):
            os.closerange(before + 1, after)
        help_out(memory, asked, answered)
    except BaseException:  # as an uncaught one of a helper that was started
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(1)


def _shared_memories(number: int) -> list[int]:
    """Room for all that the two say to each other; OSError if there is none."""
    memory: list[int] = []
    try:
        for _ in range(number):
            memory.append(_shared_memory())
    except OSError:
        _close(memory)
        raise
    return memory


def _halves(memory: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """For what is asked and for the answers."""
    half = len(memory) // 2
    return memory[:half], memory[half:]


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _shared_memory() -> int:
    """Empty memory; never under the number of a standard stream, where a helper has its pipes."""
    memory = os.memfd_create("adjudge")
    if memory >= _FIRST_FREE:
        return memory
    try:
        return fcntl.fcntl(memory, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    finally:
        os.close(memory)


@contextmanager
def signals_held_back() -> Iterator[None]:
    """Who is started meanwhile never sees a Ctrl-C or a request to end, not even while it starts."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def help_out(memory: Sequence[int], asked: int = 0, answered: int = 1) -> NoReturn:
    """The life of a helper: a reader first, then what it makes of each chunk, until there are no more."""
    gc.freeze()  # what is loaded now stays: no collection needs to look at it again
    asking, answers = map(_Line, (asked, answered), _halves(memory))
    try:
        reader: Reader[Any, Any] = asking.take()
        answers.put(None)
        while True:
            answers.put(read_with(reader, asking.take()))
    except (EOFError, BrokenPipeError):
        os._exit(0)  # the parent is gone or done: there is nobody left to flush for
