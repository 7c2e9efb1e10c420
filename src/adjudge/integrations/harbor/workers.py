"""Read trial folders in other processes, while this one writes to the ledger.

Each worker is a plain `python -m` of this module that answers one request after the other on its pipes; a
thread here waits for each. Not multiprocessing: that would run the caller's own script again in every
worker. What goes over the pipes is made of basic types (`marshal`), with the record as its JSON, which the
ledger's side checks again. At most two chunks a worker are on their way, so memory stays flat.
"""

from __future__ import annotations

import marshal
import os
import struct
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

from adjudge.contracts import TrialRecord
from adjudge.errors import MachineryError
from adjudge.integrations.harbor.jobs import JobFolder
from adjudge.integrations.harbor.record import JobInfo, Options
from adjudge.ledger import TrialEntry

_SIZE = struct.Struct("<Q")
MAX_WORKERS = 8


def spare_processors() -> int:
    """How many processors are left when one writes."""
    return min(MAX_WORKERS, len(os.sched_getaffinity(0)) - 1)


def read_in_processes(
    job: JobFolder, chunks: list[list[str]], options: Options, tasks: Path | str | None, count: int
) -> Iterator[list[TrialEntry]]:
    """The entries of each chunk, in order."""
    info = (job.info.name, job.info.id, job.info.version)
    shared = (job.path, info, options.experiment, options.reward_key, None if tasks is None else str(tasks))
    idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
    processes = [_start() for _ in range(count)]
    for process in processes:
        idle.put(process)

    def ask(names: list[str]) -> bytes:
        process = idle.get()
        try:
            assert process.stdin is not None  # noqa: S101 - both are pipes
            assert process.stdout is not None  # noqa: S101
            _send(process.stdin, marshal.dumps((shared, names)))
            return _receive(process.stdout)
        finally:
            idle.put(process)

    try:
        with ThreadPoolExecutor(count) as threads:
            waiting: deque[Future[bytes]] = deque()
            for names in chunks:
                waiting.append(threads.submit(ask, names))
                if len(waiting) > 2 * count:
                    yield _decode(waiting.popleft().result())
            while waiting:
                yield _decode(waiting.popleft().result())
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=True
    )


def _decode(data: bytes) -> list[TrialEntry]:
    return [
        TrialEntry(TrialRecord.model_validate_json(record), blobs=blobs, output_blob=output)
        for record, blobs, output in marshal.loads(data)  # noqa: S302 - written by our own worker
    ]


def _send(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(_SIZE.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes:
    head = pipe.read(_SIZE.size)
    if len(head) < _SIZE.size:
        raise MachineryError("a process that reads trial folders ended early; see what it printed above")
    return pipe.read(_SIZE.unpack(head)[0])


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer requests until there are no more."""
    from adjudge.integrations.harbor.importer import read_chunk, task_finder

    finders: dict[str | None, Any] = {None: lambda _: None}
    while len(head := requests.read(_SIZE.size)) == _SIZE.size:
        request = marshal.loads(requests.read(_SIZE.unpack(head)[0]))  # noqa: S302 - our own parent wrote it
        (path, info, experiment, reward_key, tasks), names = request
        if tasks not in finders:
            finders[tasks] = task_finder(tasks)
        entries = read_chunk(path, names, JobInfo(*info), Options(experiment, reward_key, finders[tasks]))
        rows = [(e.record.model_dump_json().encode(), dict(e.blobs), e.output_blob) for e in entries]
        _send(answers, marshal.dumps(rows))


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
