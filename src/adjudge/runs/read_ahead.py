"""Read folders in processes of their own while the caller records what they have read.

Folders go in chunks to the helpers; what they make of them comes back in the order of the folders, so the
result does not depend on how many there are. If the next chunk in order is not ready yet, this process
reads one itself instead of waiting: the first folders are done before a helper has even started. How many
chunks are under way is bounded, and so is memory.

A helper is a plain subprocess because `multiprocessing` would import the caller's main module again. It ends
when its input does, so it never outlives its parent, and Ctrl-C is the parent's alone to answer. What the two
say to each other lies in memory they share; only its size goes through a pipe, so neither ever waits for the
other to listen. If this machine has nothing to spare for a helper, it goes without one.
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
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import IO, Any, Generic, Protocol, Self, TypeVar

from adjudge._spawn import public_environment
from adjudge.errors import MachineryError
from adjudge.ledger import collector_paused
from adjudge.runs import listing
from adjudge.runs.listing import Listed, list_folders, read_chunk, write_chunk

CHUNK = 500
ALONE = 2000
"""So many folders are read without help: a helper takes as long to start."""
_ASKED = 4
"""Chunks that a helper has at most, so that it has something to do while this process is busy recording."""
_OWN = 3
"""Chunks that this process has read ahead of their turn at most."""
_MOST_HELPERS = 8
"""More would only wait: recording a folder takes most of the time of reading it."""
_SIZE_BYTES = 8
_PIPE_BYTES = 1 << 20
"""Between who lists folders and this process: some thousands of them."""
_FIRST_FREE = 3
"""The first descriptor that is no standard stream."""

Folder = TypeVar("Folder")
Made = TypeVar("Made")
_Folder_contra = TypeVar("_Folder_contra", contravariant=True)


class Reader(Protocol[_Folder_contra, Made]):
    """Makes something of folders. It is sent to the helpers, as is all that it makes."""

    def read(self, folders: Sequence[_Folder_contra], /) -> list[Made]:
        """What it makes of each folder, in their order; may end early, but not before the first."""


def read_folders_ahead(
    reader: Reader[Folder, Made], folders: Iterable[Folder], workers: int
) -> Iterator[list[tuple[Folder, Made]]]:
    """Each folder with what the reader makes of it: in order, and at most `CHUNK` at a time.

    `workers` processes read, of which this is one; `_MOST_HELPERS` besides it at most.
    """
    rest = iter(folders)
    first = list(islice(rest, ALONE + 1))
    few = len(first) <= ALONE
    rest = chain(first, rest)
    with _Crew(reader, 0 if few else workers - 1) as crew:
        for chunk, beginning in crew.work_through(iter(lambda: list(islice(rest, CHUNK)), [])):
            yield list(zip(chunk, beginning, strict=False))
            done = len(beginning)
            while left := chunk[done:]:  # they hold much: the rest comes in parts
                made = _read(reader, left)
                yield list(zip(left, made, strict=False))
                done += len(made)


def list_ahead(root: str, left: list[str]) -> Iterator[Listed]:
    """The rest of what `list_folders` finds, listed by a process of its own that is a little ahead.

    Raises MachineryError if that process is killed; what cannot be started is done here.
    """
    try:
        with _signals_held_back():
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", listing.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=public_environment(),
            )
    except OSError:  # too few descriptors, processes or memory
        yield from list_folders(root, left)
        return
    asking, found = process.stdin, process.stdout
    assert asking is not None  # noqa: S101 - PIPE was asked for
    assert found is not None  # noqa: S101
    try:
        with suppress(OSError):
            fcntl.fcntl(found, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        with suppress(BrokenPipeError):  # it has died, which is seen below
            write_chunk(asking, (root, left))
        while chunk := read_chunk(found):
            yield from chunk
    except EOFError:
        raise _died("a process that lists folders", process) from None
    finally:
        process.kill()
        found.close()
        with suppress(BrokenPipeError):
            asking.close()
        process.wait()


class _Crew(Generic[Folder, Made]):
    """This process and its helpers, and the chunks that are under way, the next in order first."""

    def __init__(self, reader: Reader[Folder, Made], helpers: int) -> None:
        self.reader = reader
        self.helpers: list[_Helper] = []
        with suppress(OSError):  # too few descriptors, processes or memory
            for _ in range(min(helpers, _MOST_HELPERS)):
                self.helpers.append(_start(reader))
        self.under_way: deque[tuple[list[Folder], _Helper | list[Made]]] = deque()
        self.own = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for helper in self.helpers:
            helper.process.kill()
        for helper in self.helpers:
            helper.close()

    def work_through(self, chunks: Iterator[list[Folder]]) -> Iterator[tuple[list[Folder], list[Made]]]:
        """Each chunk with what was made of it, or of its beginning."""
        while True:
            self._hand_out(chunks)
            while not self._next_is_ready() and self.own < _OWN and self._read_one(chunks):
                self._hand_out(chunks)
            if not self.under_way:
                return
            chunk, by = self.under_way.popleft()
            if isinstance(by, _Helper):
                yield chunk, by.answer()
            else:
                self.own -= 1
                yield chunk, by

    def _hand_out(self, chunks: Iterator[list[Folder]]) -> None:
        """Give the helpers that have started something to do, in turns."""
        for _ in range(_ASKED):
            for helper in self.helpers:
                if helper.can_take() and (chunk := next(chunks, None)) is not None:
                    helper.ask(chunk)
                    self.under_way.append((chunk, helper))

    def _next_is_ready(self) -> bool:
        by = self.under_way[0][1] if self.under_way else None
        return by.is_ready() if isinstance(by, _Helper) else by is not None

    def _read_one(self, chunks: Iterator[list[Folder]]) -> bool:
        """Read a chunk in this process; False if there is none left."""
        chunk = next(chunks, None)
        if chunk is not None:
            self.under_way.append((chunk, _read(self.reader, chunk)))
            self.own += 1
        return chunk is not None


class _Line:
    """One direction between two processes: things lie in shared memory, a pipe tells how long each is.

    At most `_ASKED` may lie there; whoever puts one has to know that the oldest was taken.
    """

    def __init__(self, pipe: int, memory: Sequence[int]) -> None:
        self.pipe = pipe
        self.memory = memory
        self.turn = 0

    def put(self, thing: object) -> None:
        """Raises BrokenPipeError if nobody will take it."""
        data = memoryview(pickle.dumps(thing, pickle.HIGHEST_PROTOCOL))
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
        return pickle.loads(os.pread(self._memory(), int.from_bytes(size), 0))  # noqa: S301 - our own process

    def _memory(self) -> int:
        memory = self.memory[self.turn % _ASKED]
        self.turn += 1
        return memory


class _Helper:
    """A process that reads chunks in the order they are asked for."""

    def __init__(
        self, process: subprocess.Popen[bytes], asking: Sequence[int], answers: Sequence[int]
    ) -> None:
        self.process = process
        self._pipes: tuple[IO[bytes], IO[bytes]] = process.stdin, process.stdout  # type: ignore[assignment]
        self._asking, self._answers = map(_Line, (pipe.fileno() for pipe in self._pipes), (asking, answers))
        self._poll = select.poll()  # `select` itself cannot look at the 1024th descriptor
        self._poll.register(self._answers.pipe, select.POLLIN)
        self._asked = 0
        self._started = False

    def can_take(self) -> bool:
        """Has it started, and less to do than it may have?"""
        if not self._started and self.is_ready():
            self.answer()
            self._started = True
        return self._started and self._asked < _ASKED

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
            raise _died("a process that reads folders", self.process) from None

    def close(self) -> None:
        """Give back all that it had. It has been killed."""
        for pipe in self._pipes:
            pipe.close()
        for memory in (*self._asking.memory, *self._answers.memory):
            os.close(memory)
        self.process.wait()


def _died(what: str, process: subprocess.Popen[bytes]) -> MachineryError:
    return MachineryError(
        f"{what} has died",
        found=f"exit code {process.wait()}",
        remedy="What was recorded is safe; run the same command again.",
    )


def _start(reader: object) -> _Helper:
    """A helper that finds modules where this process does, and not in the current folder besides.

    Raises OSError if this process may not have another, or not the descriptors for it.
    """
    memory: list[int] = []
    try:
        for _ in range(2 * _ASKED):
            memory.append(_shared_memory())
        asking, answers = memory[:_ASKED], memory[_ASKED:]
        with _signals_held_back():
            process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-c"),
                    "from adjudge._lazy import start_light; start_light()\n"
                    f"from adjudge.runs.read_ahead import help_out; help_out({asking}, {answers})",
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                pass_fds=memory,
                env={**public_environment(), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
    except OSError:
        for descriptor in memory:
            os.close(descriptor)
        raise
    helper = _Helper(process, asking, answers)
    helper.ask(reader)
    return helper


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
def _signals_held_back() -> Iterator[None]:
    """Who is started meanwhile never sees a Ctrl-C or a request to end, not even while it starts."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def help_out(asked: Sequence[int], answered: Sequence[int]) -> None:
    """The life of a helper: a reader first, then what it makes of each chunk, until there are no more."""
    gc.freeze()  # what is loaded now stays: no collection needs to look at it again
    asking, answers = _Line(0, asked), _Line(1, answered)
    try:
        reader: Reader[Any, Any] = asking.take()
        answers.put(None)
        while True:
            answers.put(_read(reader, asking.take()))
    except (EOFError, BrokenPipeError):
        os._exit(0)  # the parent is gone or done: there is nobody left to flush for


def _read(reader: Reader[Folder, Made], chunk: Sequence[Folder]) -> list[Made]:
    with collector_paused():
        return reader.read(chunk)
