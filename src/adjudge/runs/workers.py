"""Workers score trials; where they do it (threads here, a Ray cluster elsewhere) is the executor's choice.

Only a bounded number of trials is in flight. Workers never touch the ledger and never see more of a run than
the trials they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Generic, TypeVar

from adjudge.errors import MachineryError, SandboxUnavailable
from adjudge.runs.trial import FailedTrial, FinishedTrial, ScoredTrial, Trial, unexpected
from adjudge.sandbox import Sandbox
from adjudge.scoring import score_output

Handle = TypeVar("Handle")


class Workers(Generic[Handle]):
    """The trials in flight: at most `at_most`, each under the handle that `submit` gave it."""

    def __init__(
        self,
        at_most: int,
        *,
        submit: Callable[[Trial], Handle],
        wait: Callable[[Collection[Handle], float], Collection[Handle]],
        result: Callable[[Handle, Trial], FinishedTrial | Trial],
    ) -> None:
        """`wait` returns the handles that are ready, after so many seconds at most; perhaps none.

        `result` may return the trial itself: then it is started again.
        """
        self._at_most = at_most
        self._submit, self._wait, self._result = submit, wait, result
        self._in_flight: dict[Handle, Trial] = {}

    @property
    def have_room(self) -> bool:
        """May another trial be started?"""
        return len(self._in_flight) < self._at_most

    @property
    def busy(self) -> bool:
        """Is any trial in flight?"""
        return bool(self._in_flight)

    def start(self, trial: Trial) -> None:
        """Have a trial scored."""
        self._in_flight[self._submit(trial)] = trial

    def finished(self, seconds: float) -> list[FinishedTrial]:
        """What has finished since; waits so long at most for the first one, and not if none is in flight."""
        if not self._in_flight:
            return []
        ready = self._wait(self._in_flight.keys(), seconds)
        found = [self._result(handle, self._in_flight.pop(handle)) for handle in ready]
        for one in found:
            if isinstance(one, Trial):
                self.start(one)
        return [one for one in found if not isinstance(one, Trial)]


Executor = Callable[[], AbstractContextManager[Workers[Any]]]
"""Gets workers ready, and sends them away at the end."""


def local_executor(sandbox: Sandbox, workers: int) -> Executor:
    """Score `workers` outputs at once on this machine. Threads do, as the work happens in sandboxes."""

    @contextmanager
    def ready() -> Iterator[Workers[Future[FinishedTrial]]]:
        with ThreadPoolExecutor(workers, thread_name_prefix="adjudge-score") as pool:
            yield Workers(
                workers + 1,  # one waits, so that no worker idles
                submit=lambda trial: pool.submit(score_in, sandbox, trial),
                wait=lambda futures, seconds: wait(futures, seconds, FIRST_COMPLETED).done,
                result=lambda future, _: future.result(),
            )

    return ready


def score_in(sandbox: Sandbox, trial: Trial, *, tries: int = 2) -> FinishedTrial:
    """Score one trial; a sandbox that fails is tried once more before that counts.

    Whatever else goes wrong costs this trial only, and stands on its record. Without any sandbox no trial
    can be scored, so that is raised: it would be true of all of them.
    """
    while True:
        tries -= 1
        try:
            return ScoredTrial(trial, score_output(trial.task, trial.output, sandbox))
        except SandboxUnavailable:
            raise
        except MachineryError as error:
            if not tries:
                return FailedTrial(trial, str(error))
        except Exception as error:
            return FailedTrial(trial, unexpected(error))
