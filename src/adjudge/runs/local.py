"""The local executor: threads, since the work itself happens in sandboxed processes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from adjudge.runs.work import BEAT_SEC, Executor, Finished, Job, perform, stream
from adjudge.sandbox import Sandbox


def local_executor(sandbox: Sandbox, workers: int) -> Executor:
    """Score `workers` outputs at once on this machine."""

    def execute(jobs: Iterable[Job], should_stop: Callable[[], bool]) -> Iterator[list[Finished]]:
        with ThreadPoolExecutor(workers, thread_name_prefix="adjudge-score") as pool:
            yield from stream(
                jobs,
                should_stop,
                at_most=workers + 1,  # one waits, so that no worker idles
                submit=lambda job: pool.submit(perform, job, sandbox),
                wait=_first_done,
                result=lambda future, _: future.result(),
            )

    return execute


def _first_done(futures: Collection[Future[Finished]]) -> set[Future[Finished]]:
    return wait(futures, timeout=BEAT_SEC, return_when=FIRST_COMPLETED).done
