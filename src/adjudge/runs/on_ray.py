"""The Ray executor: the same work, on any number of machines.

Nothing is assumed to be shared but Ray itself. A task's tests travel through the object store, as they were
loaded, and each worker process keeps one copy of them; outputs travel with their jobs and scores travel back.
The driver alone writes to the ledger. A worker that dies is Ray's to replace: the job is run again.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

from adjudge.contracts import Task
from adjudge.errors import MachineryError, MissingExtra, SandboxError, SandboxUnavailable, UsageError
from adjudge.runs.trial import FailedTrial, FinishedTrial, ScoredTrial, Trial
from adjudge.runs.workers import Executor, Workers, score_in
from adjudge.sandbox import PackedTests, adopt_tests, choose_sandbox, pack_tests
from adjudge.scoring import Scored

LOST_WORKER_RETRIES = 3


_sandbox_here = cache(choose_sandbox)
"""One a worker process: choosing tries the sandbox out."""


def _score_in_worker(sandbox: str, tests: PackedTests | str, trial: Trial) -> Scored | str:
    """Score one trial in a worker process; returns why, if that failed. The trial does not travel back."""
    if isinstance(tests, str):
        return tests
    adopt_tests(tests)
    task = trial.task.model_copy(update={"tests_digest": tests.digest})
    finished = score_in(_sandbox_here(sandbox), replace(trial, task=task))
    return finished.scored if isinstance(finished, ScoredTrial) else finished.why


def _packed(task: Task) -> PackedTests | str:
    """A task's tests as they were loaded; why not, if they are not there any more."""
    try:
        return pack_tests(task)
    except SandboxError as error:
        return str(error)


def ray_executor(sandbox: str, workers: int | None, address: str | None = None) -> Executor:
    """Score on a Ray cluster: the one at `address`, else one of `workers` processes started here.

    Of a cluster that is there, no more than `workers` are used at once; None is all.
    """
    try:
        import ray
    except ImportError:
        raise MissingExtra("ray", needed_for="--executor ray") from None

    @contextmanager
    def ready() -> Iterator[Workers[Any]]:
        started_here = not ray.is_initialized()
        if started_here:
            _connect(ray, workers, address)
        try:
            yield _workers(ray, sandbox, at_most=workers if address else None)
        finally:
            if started_here:
                ray.shutdown()

    return ready


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


def _workers(ray: Any, sandbox: str, *, at_most: int | None) -> Workers[Any]:
    remote = ray.remote(num_cpus=1, max_retries=LOST_WORKER_RETRIES)(_score_in_worker)
    bundles: dict[str, Any] = {}

    def submit(trial: Trial) -> Any:
        digest = trial.task.digest
        if digest not in bundles:
            bundles[digest] = ray.put(_packed(trial.task))
        light = replace(trial, before=None, metadata={})  # what a worker needs not, does not travel
        return remote.remote(sandbox, bundles[digest], light)

    def ready(references: Collection[Any], seconds: float) -> Collection[Any]:
        done: list[Any] = ray.wait(list(references), num_returns=1, timeout=seconds)[0]
        return done

    return Workers(
        at_most or max(2, 2 * int(ray.cluster_resources().get("CPU", 1))),
        submit=submit,
        wait=ready,
        result=lambda reference, trial: _collect(ray, reference, trial),
    )


def _collect(ray: Any, reference: Any, trial: Trial) -> FinishedTrial:
    try:
        found: Scored | str = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        if isinstance(cause, SandboxUnavailable | UsageError):  # true of every trial: end before all fail so
            raise type(cause)(f"on a Ray worker: {cause}") from error
        return FailedTrial(trial, f"a Ray worker failed: {type(cause).__name__}: {cause}")
    except ray.exceptions.RayError as error:
        said = str(error).strip().splitlines()
        return FailedTrial(trial, f"the Ray worker was lost: {said[-1] if said else type(error).__name__}")
    return FailedTrial(trial, found) if isinstance(found, str) else ScoredTrial(trial, found)
