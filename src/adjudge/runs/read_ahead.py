"""Read folders in processes of their own while the caller records what they have read.

Folders go in chunks to the helpers; what they make of them comes back in the order of the folders, so the
result does not depend on how many there are. If the next chunk in order is not ready yet, this process
reads one itself instead of waiting: the first folders are done before a helper has even started. How many
chunks are under way is bounded, and so is memory.

If this machine has nothing to spare for a helper, it goes without one (`helper.py`).
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import Generic, Self, TypeVar

from adjudge._spawn import public_environment
from adjudge.runs import listing
from adjudge.runs.helper import (
    Helper,
    Reader,
    died,
    fork_helper,
    read_with,
    signals_held_back,
    start_helper,
)
from adjudge.runs.listing import Listed, list_folders, read_chunk, write_chunk

CHUNK = 500
ALONE = 2000
"""So many folders are read without help: a helper takes as long to start."""
_OWN = 3
"""Chunks that this process has read ahead of their turn at most."""
_MOST_HELPERS = 8
"""More would only wait: recording a folder takes most of the time of reading it."""
_MOST_ASKED = 16
"""Chunks that the helpers have to do together, so that none waits while a transaction is recorded ..."""
_FEWEST_ASKED = 4
"""... but each of them so many at least."""
_PIPE_BYTES = 1 << 20
"""Between who lists folders and this process: some thousands of them."""

Folder = TypeVar("Folder")
Made = TypeVar("Made")


def read_folders_ahead(
    reader: Reader[Folder, Made], folders: Iterable[Folder], workers: int
) -> Iterator[list[tuple[Folder, Made]]]:
    """Each folder with what the reader makes of it: in order, and at most `CHUNK` at a time.

    `workers` processes read, of which this is one; `_MOST_HELPERS` besides it at most.
    """
    with reading_ahead(reader, folders, workers) as readings:
        yield from filter(None, readings)


@contextmanager
def reading_ahead(
    reader: Reader[Folder, Made], folders: Iterable[Folder], workers: int, *, may_fork: bool = False
) -> Iterator[Iterator[list[tuple[Folder, Made]]]]:
    """`read_folders_ahead`, with the helpers at work as soon as the block begins.

    An empty list says that the next folders are not ready: who has something to do may do it now, and who
    goes on to ask helps to read.

    With `may_fork` they are forked if there is no other thread: for a command, whose process is its own.
    """
    rest = iter(folders)
    first = list(islice(rest, ALONE + 1))
    few = len(first) <= ALONE
    fork = may_fork and threading.active_count() == 1
    with _Crew(reader, 0 if few else workers - 1, fork=fork) as crew:
        all_folders = chain(first, rest)
        chunks = iter(lambda: list(islice(all_folders, CHUNK)), [])
        crew.hand_out(chunks)
        yield _in_parts(reader, crew.work_through(chunks))


def _in_parts(
    reader: Reader[Folder, Made], read: Iterator[tuple[list[Folder], list[Made]]]
) -> Iterator[list[tuple[Folder, Made]]]:
    """Chunks whose reading ended early are read to their end."""
    for chunk, beginning in read:
        yield list(zip(chunk, beginning, strict=False))
        done = len(beginning)
        while left := chunk[done:]:  # they hold much: the rest comes in parts
            made = read_with(reader, left)
            yield list(zip(left, made, strict=False))
            done += len(made)


def list_ahead(root: str, left: list[str]) -> Iterator[Listed]:
    """The rest of what `list_folders` finds, listed by a process of its own that is a little ahead.

    Raises MachineryError if that process is killed; what cannot be started is done here.
    """
    try:
        with signals_held_back():
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
        raise died("a process that lists folders", process) from None
    finally:
        process.kill()
        found.close()
        with suppress(BrokenPipeError):
            asking.close()
        process.wait()


class _Crew(Generic[Folder, Made]):
    """This process and its helpers, and the chunks that are under way, the next in order first."""

    def __init__(self, reader: Reader[Folder, Made], helpers: int, *, fork: bool = False) -> None:
        self.reader = reader
        self.helpers: list[Helper] = []
        start = fork_helper if fork else start_helper
        helpers = min(helpers, _MOST_HELPERS)
        self.most_asked = max(_FEWEST_ASKED, _MOST_ASKED // max(helpers, 1))
        with suppress(OSError):  # too few descriptors, processes or memory
            for _ in range(helpers):
                self.helpers.append(start(reader, self.most_asked))
        self.under_way: deque[tuple[list[Folder], Helper | list[Made]]] = deque()
        self.own = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for helper in self.helpers:
            helper.process.kill()
        for helper in self.helpers:
            helper.close()

    def work_through(self, chunks: Iterator[list[Folder]]) -> Iterator[tuple[list[Folder], list[Made]]]:
        """Each chunk with what was made of it, or of its beginning; an empty one if the next is not ready."""
        while True:
            self.hand_out(chunks)
            if self.under_way and not self._next_is_ready():
                yield [], []
                self.hand_out(chunks)
            while not self._next_is_ready() and self.own < _OWN and self._read_one(chunks):
                self.hand_out(chunks)
            if not self.under_way:
                return
            chunk, by = self.under_way.popleft()
            if isinstance(by, Helper):
                yield chunk, by.answer()
            else:
                self.own -= 1
                yield chunk, by

    def hand_out(self, chunks: Iterator[list[Folder]]) -> None:
        """Give the helpers that have started something to do, in turns."""
        for _ in range(self.most_asked):
            for helper in self.helpers:
                if helper.can_take() and (chunk := next(chunks, None)) is not None:
                    helper.ask(chunk)
                    self.under_way.append((chunk, helper))

    def _next_is_ready(self) -> bool:
        by = self.under_way[0][1] if self.under_way else None
        return by.is_ready() if isinstance(by, Helper) else by is not None

    def _read_one(self, chunks: Iterator[list[Folder]]) -> bool:
        """Read a chunk in this process; False if there is none left."""
        chunk = next(chunks, None)
        if chunk is not None:
            self.under_way.append((chunk, read_with(self.reader, chunk)))
            self.own += 1
        return chunk is not None
