"""The middle of every run: plans in, records out, and everything between them in one direction.

    plan -> (answered before? -> record) -> worker -> record -> (who waited for it -> record or worker)

Three things go on at once: workers score, the recorder writes, and this loop hands out. It is the only one
that decides, so it needs no lock. Finished trials are recorded in batches, soon after they finish.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from adjudge.runs.cache import AnswerCache, CacheAnswer
from adjudge.runs.plan import Plan
from adjudge.runs.recorder import RecordedTrial, Recorder
from adjudge.runs.trial import FinishedTrial, Trial
from adjudge.runs.workers import Executor

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

BEAT_SEC = 0.25
"""How long a finished trial waits at most before it is handed on to be recorded."""
MOST_IN_BATCH = 256

AnyPlan = TypeVar("AnyPlan", bound=Plan)


def conduct(
    ledger: Ledger,
    plans: Iterable[AnyPlan],
    executor: Executor,
    *,
    cache: AnswerCache | None = None,
    should_stop: Callable[[], bool],
) -> Iterator[AnyPlan | list[RecordedTrial]]:
    """Score and record all that is planned; yields each plan when its turn comes, and what was recorded.

    What was recorded may be an empty list: the caller can show that it is alive. Once `should_stop()` is
    true no further trial is started; those in flight are finished and recorded.
    """
    upcoming = _Upcoming(plans, should_stop)
    waiting: deque[Trial] = deque()
    batch: list[FinishedTrial] = []
    handed_on = time.monotonic()
    with executor() as workers, Recorder(ledger) as recorder:
        while True:
            if workers.have_room and not waiting and (plan := upcoming.next()) is not None:
                yield plan
                found = cache.look_up(plan.to_score) if cache is not None else CacheAnswer([], plan.to_score)
                recorder.put([*plan.failed, *found.answered])
                waiting.extend(found.to_score)
            while workers.have_room and waiting:
                if should_stop():
                    upcoming.ended = True
                    waiting.clear()
                else:
                    workers.start(waiting.popleft())
            can_plan = workers.have_room and not upcoming.ended
            batch += workers.finished(0 if can_plan else BEAT_SEC)
            now = time.monotonic()
            if now - handed_on >= BEAT_SEC or len(batch) >= MOST_IN_BATCH or not workers.busy:
                recorder.put(batch)
                batch, handed_on = [], now
            # If no verifier runs, planning beside the recorder gains nothing: both need the interpreter and
            # a writer that must ask for it back after each row takes twice as long as one that has it.
            recorded = recorder.take(0 if workers.busy else BEAT_SEC)
            if cache is not None:
                found = cache.settle(recorded)
                recorder.put(found.answered)
                waiting.extend(found.to_score)
            if recorded or workers.busy:
                yield recorded
            if upcoming.ended and not (workers.busy or batch or recorder.busy or waiting):
                return


class _Upcoming(Generic[AnyPlan]):
    """The plans still to come; none any more once it was asked to stop."""

    def __init__(self, plans: Iterable[AnyPlan], should_stop: Callable[[], bool]) -> None:
        self._plans = iter(plans)
        self._should_stop = should_stop
        self.ended = False

    def next(self) -> AnyPlan | None:
        """The next plan; None if there is none."""
        if self.ended:
            return None
        plan = None if self._should_stop() else next(self._plans, None)
        self.ended = plan is None
        return plan
