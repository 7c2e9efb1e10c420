"""Read artifact folders in processes of their own while the caller records what they have read.

Chunks of folders go to the workers and their contents come back in the order of the chunks, so the result
does not depend on how many there are. No more than two chunks a worker are ever under way: memory is
bounded. A worker is a plain subprocess that answers pickles on its pipes, because `multiprocessing` would
import the caller's main module again. It ends when its input does, so it never outlives its parent.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import chain, islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from adjudge.errors import MachineryError
from adjudge.runs.artifact_folder import FolderReader

if TYPE_CHECKING:
    from adjudge.ledger import Prepared

CHUNK = 1000
ALONE = 2 * CHUNK
"""So many folders are read before workers are started: starting them takes as long as reading these."""

Made = list["Prepared | str"]
"""What to record, or why it cannot be."""
Reading = list[tuple[str, "Prepared | str"]]
"""The same beside the folder it was made of."""


def read_ahead(reader: FolderReader, folders: Iterable[str], workers: int) -> Iterator[Reading]:
    """What the reader makes of each folder, at most `CHUNK` at a time and in order."""
    rest = iter(folders)
    chunks = iter(lambda: list(islice(rest, CHUNK)), [])
    for chunk in islice(chunks, ALONE // CHUNK if workers > 1 else None):
        yield from _all_of(reader, chunk, [])
    for chunk in islice(chunks, 1):  # there are more: help is worth its while
        for folders_read, made in _with_workers(reader, chain([chunk], chunks), workers):
            yield from _all_of(reader, folders_read, made)


def _all_of(reader: FolderReader, chunk: list[str], made: Made) -> Iterator[Reading]:
    """The readings of a chunk, a part of which may be `made`; large ones come one after the other."""
    while chunk:
        made = made or reader.read(chunk)
        yield list(zip(chunk, made, strict=False))
        chunk, made = chunk[len(made) :], []


def _with_workers(
    reader: FolderReader, chunks: Iterable[list[str]], workers: int
) -> Iterator[tuple[list[str], Made]]:
    """Each chunk with what a worker made of it, or of its beginning."""
    processes = [_start(reader) for _ in range(workers)]
    idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
    for process in processes:
        idle.put(process)

    def ask(chunk: list[str]) -> tuple[list[str], Made]:
        process = idle.get()
        try:
            return chunk, _ask(process, chunk)
        finally:
            idle.put(process)

    threads = ThreadPoolExecutor(workers, thread_name_prefix="adjudge-ingest")
    under_way: deque[Future[tuple[list[str], Made]]] = deque()
    try:
        for chunk in chunks:
            under_way.append(threads.submit(ask, chunk))
            if len(under_way) == 2 * workers:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        for process in processes:
            process.kill()  # which also wakes the threads that wait for an answer
        threads.shutdown(cancel_futures=True)
        for process in processes:
            _close(process)


def _start(reader: FolderReader) -> subprocess.Popen[bytes]:
    """A worker that finds modules where this process does, and not in the current folder besides."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", "from adjudge.runs.read_ahead import work; work()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    _send(process.stdin, reader)
    return process


def _ask(process: subprocess.Popen[bytes], chunk: list[str]) -> Any:
    try:
        _send(process.stdin, chunk)
        return pickle.load(process.stdout)  # type: ignore[arg-type]  # noqa: S301 - our own process wrote it
    except (EOFError, BrokenPipeError, pickle.UnpicklingError):
        raise MachineryError(
            "a process that reads folders has died",
            found=f"exit code {process.wait()}",
            remedy="What was recorded is safe; run the same command again.",
        ) from None


def _close(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        with suppress(BrokenPipeError):  # what was still unsent is no longer wanted
            stream.close()  # type: ignore[union-attr]
    process.wait()


def _send(stream: Any, thing: object) -> None:
    pickle.dump(thing, stream, protocol=pickle.HIGHEST_PROTOCOL)
    stream.flush()


def work() -> None:
    """The life of a worker: a reader first, then a reading for each chunk, until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    source, answers = sys.stdin.buffer, sys.stdout.buffer
    try:
        reader: FolderReader = pickle.load(source)  # noqa: S301 - our parent wrote it
        while True:
            _send(answers, reader.read(pickle.load(source)))  # noqa: S301
    except (EOFError, BrokenPipeError):
        os._exit(0)  # the parent is gone or done: there is nobody left to flush for
