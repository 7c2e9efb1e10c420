"""The one place where a run writes: finished trials in, what the ledger answered out.

It works in a thread of its own, beside the scoring, so that a slow database does not keep workers from their
next trial. What has come in while one transaction was written goes into the next one, so a slow database gets
fewer and larger ones. What waits is bounded in number and in bytes; if it is too much, handing over waits.
A kill costs the work that was not yet recorded, never a record, and the same run again scores just that.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

from adjudge.contracts import EvaluationResult
from adjudge.ledger import prepare
from adjudge.runs.trial import FailedTrial, RecordableTrial, bare_entry, prepared_of, unexpected

if TYPE_CHECKING:
    from adjudge.ledger import Ledger, PreparedEntry, Recorded

MOST_AT_ONCE = 1000
"""Trials in one transaction."""
MOST_HELD = 4000
MOST_BYTES = 64 << 20
"""Of outputs that wait to be recorded."""


class RecordedTrial(NamedTuple):
    """A finished trial, its result, and what the ledger answered."""

    finished: RecordableTrial
    result: EvaluationResult
    outcome: str
    answer: Recorded


class Recorder:
    """Use it in a `with` block: leaving it waits until everything handed over is recorded.

    Leaving it because of an exception records nothing more than the batch at hand. If recording itself fails,
    whoever hands over or takes next gets that exception.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._thread = threading.Thread(target=self._work, name="adjudge-record")
        self._changed = threading.Condition()
        """Guards all that follows."""
        self._waiting: deque[RecordableTrial] = deque()
        self._bytes = 0
        self._recorded: list[RecordedTrial] = []
        self._unanswered = 0
        self._ended = False
        self._failure: BaseException | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._ended = True
            if error is not None:
                self._waiting.clear()
            self._changed.notify_all()
        self._thread.join()
        if error is None and self._failure is not None:
            raise self._failure

    @property
    def busy(self) -> bool:
        """Is there something still to be recorded, or to be taken?"""
        return self._unanswered > 0

    def put(self, finished: Sequence[RecordableTrial]) -> None:
        """Have these recorded; waits while too much is waiting already."""
        with self._changed:
            self._changed.wait_for(self._has_room)
            self._check()
            self._waiting += finished
            self._bytes += sum(one.trial.size for one in finished)
            self._unanswered += len(finished)
            self._changed.notify_all()

    def take(self, seconds: float) -> list[RecordedTrial]:
        """What was recorded since; waits so long at most for the first, and not if nothing is to come."""
        with self._changed:
            if seconds and self._unanswered:
                self._changed.wait_for(lambda: self._recorded or self._failure, seconds)
            self._check()
            found, self._recorded = self._recorded, []
            self._unanswered -= len(found)
            return found

    def _has_room(self) -> bool:
        few = len(self._waiting) < MOST_HELD and self._bytes < MOST_BYTES
        return few or self._failure is not None

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _work(self) -> None:
        """Record batch after batch, until the end or a failure."""
        while batch := self._next():
            try:
                recorded = self._record(batch)
            except BaseException as error:
                with self._changed:
                    self._failure = error
                    self._changed.notify_all()
                return
            with self._changed:
                self._recorded += recorded
                self._changed.notify_all()

    def _next(self) -> list[RecordableTrial]:
        """What is to be recorded next, as soon as there is something; nothing at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._ended)
            batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_AT_ONCE))]
            self._bytes -= sum(one.trial.size for one in batch)
            self._changed.notify_all()
            return batch

    def _record(self, batch: Sequence[RecordableTrial]) -> list[RecordedTrial]:
        made = [_prepared(finished) for finished in batch]
        answers = self._ledger.record_prepared([prepared for _, _, prepared in made])
        return [
            RecordedTrial(finished, result, prepared.outcome, answer)
            for (finished, result, prepared), answer in zip(made, answers, strict=True)
        ]


def _prepared(finished: RecordableTrial) -> tuple[RecordableTrial, EvaluationResult, PreparedEntry]:
    """What to write for a trial. One that cannot be written as it is becomes a failed one that says why."""
    try:
        prepared, result = prepared_of(finished)
    except Exception as error:
        failed = FailedTrial(finished.trial, unexpected(error))
        entry = bare_entry(failed)
        return failed, entry.record.evaluation, prepare(entry)
    return finished, result, prepared
