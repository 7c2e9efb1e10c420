"""The Ray executor: the same work, on any number of machines.

Nothing is assumed to be shared but Ray itself. A task's tests travel through the object store, as they were
loaded, and each worker process keeps one copy of them; outputs travel with their jobs and scores travel
back. The driver alone writes to the ledger. A worker that dies is Ray's to replace: the job is run again.
Which nodes get jobs at all is decided in `ray_nodes.py`.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

from adjudge.contracts import Task
from adjudge.errors import MachineryError, MissingExtra, SandboxError
from adjudge.ledger import secrets_put_away
from adjudge.runs.ray_nodes import Node, Nodes, sandbox_here
from adjudge.runs.trial import FailedTrial, FinishedTrial, ScoredTrial, Trial
from adjudge.runs.workers import Executor, Workers, score_in
from adjudge.sandbox import PackedTests, adopt_tests, pack_tests
from adjudge.scoring import Scored

LOST_WORKER_RETRIES = 3
MOST_NODES = 3
"""A trial that failed on so many nodes that can score fails everywhere."""


def _score_in_worker(sandbox: str, tests: PackedTests | str, trial: Trial) -> Scored | str:
    """Score one trial in a worker process; returns why, if that failed. The trial does not travel back."""
    if isinstance(tests, str):
        return tests
    adopt_tests(tests)
    task = trial.task.model_copy(update={"tests_digest": tests.digest})
    finished = score_in(sandbox_here(sandbox), trial._replace(task=task))
    return finished.scored if isinstance(finished, ScoredTrial) else finished.why


def _packed(task: Task) -> PackedTests | str:
    """A task's tests as they were loaded; why not, if they are not there any more."""
    try:
        return pack_tests(task)
    except SandboxError as error:
        return str(error)


def ray_executor(
    sandbox: str,
    workers: int | None,
    address: str | None = None,
    *,
    say: Callable[[str], None] = lambda words: print(words, file=sys.stderr),
) -> Executor:
    """Score on a Ray cluster: the one at `address`, else one of `workers` processes started here.

    Of a cluster that is there, no more than `workers` are used at once; None is all. `say` is told which
    nodes are left out, and why.
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
            cluster = Cluster(ray, sandbox, Nodes(ray, sandbox, say))
            yield cluster.workers(at_most=workers if address else None)
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
        with secrets_put_away():  # a cluster that is started here inherits the environment
            ray.init(log_to_driver=False, logging_level="ERROR", **options)
    except Exception as error:  # Ray raises plain `Exception` itself, for instance on a busy machine
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
    """OSError if nobody listens at HOST:PORT: Ray itself would take minutes to say so."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()


class Cluster:
    """Sends trials to nodes that can score, and each trial that fails on one to another."""

    def __init__(self, ray: Any, sandbox: str, nodes: Nodes) -> None:
        self._ray = ray
        self._sandbox = sandbox
        self._nodes = nodes
        self._remote = ray.remote(num_cpus=1, max_retries=LOST_WORKER_RETRIES)(_score_in_worker)
        self._tests: dict[str, Any] = {}
        self._where: dict[Any, Node] = {}
        self._tried: dict[str, list[str]] = {}
        """Of trials that failed somewhere: the nodes that had them."""

    def workers(self, *, at_most: int | None) -> Workers[Any]:
        """Workers on every node: two trials per processor, so that none idles."""
        return Workers(
            at_most or max(2, 2 * sum(node.processors for node in self._nodes.good.values())),
            submit=self._submit,
            wait=self._ready,
            result=self._result,
        )

    def _submit(self, trial: Trial) -> Any:
        digest = trial.task.digest
        if digest not in self._tests:
            self._tests[digest] = self._ray.put(_packed(trial.task))
        node = self._nodes.freest(self._tried.get(trial.trial_id, ()))
        node.busy += 1
        light = trial._replace(before=None, metadata={})  # what a worker needs not, does not travel
        there = self._remote.options(scheduling_strategy=self._nodes.pinned(node))
        reference = there.remote(self._sandbox, self._tests[digest], light)
        self._where[reference] = node
        return reference

    def _ready(self, references: Collection[Any], seconds: float) -> Collection[Any]:
        done: list[Any] = self._ray.wait(list(references), num_returns=1, timeout=seconds)[0]
        return done

    def _result(self, reference: Any, trial: Trial) -> FinishedTrial | Trial:
        node = self._where.pop(reference)
        node.busy -= 1
        found = collect(self._ray, reference)
        if isinstance(found, Scored):
            self._tried.pop(trial.trial_id, None)
            return ScoredTrial(trial, found)
        tried = self._tried.setdefault(trial.trial_id, [])
        tried.append(node.id)
        if node.id in self._nodes.good:
            self._nodes.check([node])
        sound = [one for one in tried if one in self._nodes.good]
        if len(sound) < MOST_NODES and self._nodes.others(tried):
            return trial
        del self._tried[trial.trial_id]
        return FailedTrial(trial, found)


def collect(ray: Any, reference: Any) -> Scored | str:
    """What a worker made of a trial, or why it made nothing of it."""
    try:
        found: Scored | str = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        return f"a Ray worker failed: {type(error.cause).__name__}: {error.cause}"
    except ray.exceptions.RayError as error:
        said = str(error).strip().splitlines()
        return f"the Ray worker was lost: {said[-1] if said else type(error).__name__}"
    return found
