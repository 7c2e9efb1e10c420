"""The Ray executor: the same work, on any number of machines.

Nothing is assumed to be shared but Ray itself. A task's `tests` folder travels through the object store and
is unpacked for each job, because Ray ends idle workers without letting them tidy up; outputs travel with
their jobs and scores travel back.
The driver alone writes to the ledger. A worker that dies is Ray's to replace: the job is run again.
"""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from adjudge.contracts import Task
from adjudge.errors import MachineryError, MissingExtra, SandboxUnavailable, UsageError
from adjudge.runs.work import BEAT_SEC, Executor, Finished, Job, perform, stream
from adjudge.sandbox import choose_sandbox
from adjudge.scoring import Scored

LOST_WORKER_RETRIES = 3


@dataclass(frozen=True)
class Bundle:
    """A task and the files of its `tests` folder: what a worker on another machine needs of it."""

    task: Task
    files: tuple[tuple[str, int, bytes | str | None], ...]
    """Relative path, mode, and content: of a file its bytes, of a link its target, of a folder None."""


def pack(task: Task) -> Bundle:
    """Read a task's `tests` folder into a bundle. Links stay links, and empty folders stay.

    MachineryError where it cannot be read (any more).
    """
    root = task.folder / "tests"
    files: list[tuple[str, int, bytes | str | None]] = []
    try:
        for folder, folders, names in os.walk(root):
            for name in sorted([*folders, *names]):
                path = Path(folder, name)
                content = str(path.readlink()) if path.is_symlink() else _bytes_of(path)
                files.append((path.relative_to(root).as_posix(), path.lstat().st_mode & 0o777, content))
    except OSError as error:
        raise MachineryError(f"the task cannot be sent to a worker: {error.strerror}", file=root) from error
    return Bundle(task, tuple(files))


def _bytes_of(path: Path) -> bytes | None:
    return None if path.is_dir() else path.read_bytes()


def unpack(bundle: Bundle, below: Path) -> Task:
    """Write a bundle below a folder of this process; returns the task as it stands there."""
    folder = below / bundle.task.digest
    for name, mode, content in bundle.files:
        path = folder / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir(exist_ok=True)
        elif isinstance(content, str):
            path.symlink_to(content)
        else:
            path.write_bytes(content)
            path.chmod(mode)
    return bundle.task.model_copy(update={"folder": folder})


_sandbox_here = cache(choose_sandbox)
"""One a worker process: choosing tries the sandbox out."""


def _score_in_worker(sandbox: str, bundle: Bundle, job: Job) -> tuple[Scored | None, str | None]:
    """Score one job in a worker process; the job itself does not travel back."""
    with tempfile.TemporaryDirectory(prefix="adjudge-ray-") as home:
        Path(home).chmod(0o755)  # the verifier may run as somebody else
        finished = perform(replace(job, task=unpack(bundle, Path(home))), _sandbox_here(sandbox))
    return finished.scored, finished.failure


def ray_executor(sandbox: str, workers: int | None, address: str | None = None) -> Executor:
    """Score on a Ray cluster: the one at `address`, else one of `workers` processes started here.

    Of a cluster that is there, no more than `workers` are used at once; None is all.
    """
    try:
        import ray
    except ImportError:
        raise MissingExtra("ray", needed_for="--executor ray") from None

    def execute(jobs: Iterable[Job], should_stop: Callable[[], bool]) -> Iterator[list[Finished]]:
        started_here = not ray.is_initialized()
        if started_here:
            _connect(ray, workers, address)
        try:
            yield from _stream(ray, sandbox, jobs, should_stop, at_most=workers if address else None)
        finally:
            if started_here:
                ray.shutdown()

    return execute


def _connect(ray: Any, workers: int | None, address: str | None) -> None:
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # quiets a warning about GPUs
    options: dict[str, Any] = (
        {"address": address}
        if address
        else {"address": "local", "num_cpus": workers, "include_dashboard": False}
    )
    try:
        _knock(address)
        ray.init(log_to_driver=False, logging_level="ERROR", **options)
    except (OSError, ValueError, RuntimeError) as error:
        if address is None:
            raise MachineryError(f"a Ray cluster cannot be started here: {error}") from error
        raise MachineryError(
            "the Ray cluster cannot be reached",
            field="--ray-address",
            found=address,
            remedy="Start one with `ray start --head`, or leave the address out to start one here. "
            "One that asks for a token needs RAY_AUTH_MODE=token here too.",
        ) from error


def _knock(address: str | None) -> None:
    """OSError where nobody listens at HOST:PORT: Ray itself would take minutes to say so."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()


def _stream(
    ray: Any, sandbox: str, jobs: Iterable[Job], should_stop: Callable[[], bool], *, at_most: int | None
) -> Iterator[list[Finished]]:
    remote = ray.remote(num_cpus=1, max_retries=LOST_WORKER_RETRIES)(_score_in_worker)
    bundles: dict[str, Any] = {}

    def submit(job: Job) -> Any:
        digest = job.task.digest
        if digest not in bundles:
            bundles[digest] = ray.put(pack(job.task))
        return remote.remote(sandbox, bundles[digest], job)

    def ready(references: Collection[Any]) -> Collection[Any]:
        done: list[Any] = ray.wait(list(references), num_returns=1, timeout=BEAT_SEC)[0]
        return done

    yield from stream(
        jobs,
        should_stop,
        at_most=at_most or max(2, 2 * int(ray.cluster_resources().get("CPU", 1))),
        submit=submit,
        wait=ready,
        result=lambda reference, job: _collect(ray, reference, job),
    )


def _collect(ray: Any, reference: Any, job: Job) -> Finished:
    try:
        scored, failure = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, SandboxUnavailable | UsageError):  # true of every trial: end before all fail so
            raise type(cause)(f"on a Ray worker: {cause}") from error
        return Finished(job, None, f"a Ray worker failed: {type(cause).__name__}: {cause}")
    except ray.exceptions.RayError as error:
        said = str(error).strip().splitlines()
        return Finished(job, None, f"the Ray worker was lost: {said[-1] if said else type(error).__name__}")
    return Finished(job, scored, failure)
