"""The unit of work that executors move about: score one output, whatever process it happens in.

An executor is a function from a lazy stream of jobs to batches of finished ones. It keeps only a bounded
number of jobs in flight (so the stream is pulled no faster than it is worked off), yields a batch at
least every `BEAT_SEC` (so that what is finished is soon recorded), and never touches the ledger.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from adjudge.contracts import Task
from adjudge.errors import MachineryError
from adjudge.gates import AgentOutput
from adjudge.sandbox import Sandbox
from adjudge.scoring import Scored, score_output

Handle = TypeVar("Handle")

BEAT_SEC = 0.25
"""How long a finished trial waits at most before it is handed on to be recorded."""
MOST_IN_BATCH = 256


@dataclass(frozen=True)
class Job:
    """One output to score; `key` is the caller's and comes back untouched."""

    key: Any
    task: Task
    output: AgentOutput


@dataclass(frozen=True)
class Finished:
    """What became of a job: a score, or the failure of the machinery that kept it from having one."""

    job: Job
    scored: Scored | None
    failure: str | None = None


Executor = Callable[[Iterable[Job], Callable[[], bool]], Iterator[list[Finished]]]
"""(jobs, should_stop) -> batches. Once `should_stop()` is true no further job is started."""


def perform(job: Job, sandbox: Sandbox, *, tries: int = 2) -> Finished:
    """Score one job; a failing sandbox is tried once more before it counts as a failure."""
    while True:
        tries -= 1
        try:
            return Finished(job, score_output(job.task, job.output, sandbox))
        except MachineryError as error:
            if not tries:
                return Finished(job, None, str(error))


def stream(
    jobs: Iterable[Job],
    should_stop: Callable[[], bool],
    *,
    at_most: int,
    submit: Callable[[Job], Handle],
    wait: Callable[[Collection[Handle]], Collection[Handle]],
    result: Callable[[Handle, Job], Finished],
) -> Iterator[list[Finished]]:
    """The loop of every executor: keep `at_most` jobs in flight and hand on what has finished, in batches.

    `wait` returns those handles that are ready, after at most `BEAT_SEC`; a batch may therefore be empty,
    which lets the caller show that it is alive.
    """
    pending = iter(jobs)
    in_flight: dict[Handle, Job] = {}
    batch: list[Finished] = []
    last = time.monotonic()
    exhausted = False
    while True:
        while not exhausted and len(in_flight) < at_most:
            job = None if should_stop() else next(pending, None)
            if job is None:
                exhausted = True
            else:
                in_flight[submit(job)] = job
        if not in_flight:
            break
        batch.extend(result(handle, in_flight.pop(handle)) for handle in wait(in_flight.keys()))
        now = time.monotonic()
        if now - last >= BEAT_SEC or len(batch) >= MOST_IN_BATCH:
            yield batch
            batch, last = [], now
    if batch:
        yield batch
