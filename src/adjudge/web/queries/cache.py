"""Answers kept until the ledger moves on: a page that counts a million trials need not count them twice.

An answer belongs to the row at which the chain stood. If the chain has moved, the old answer is given once
more and a new one is made in the background. A queue of reviewers moves the chain every second, so making
answers anew has a share of the time: none is begun until the last one has rested ten times as long as it
took, and each question waits for twice that. So a page says as of which row it speaks.

Only the first asker of all waits. A page waits a moment and then says that the answer is being worked out;
a program waits until it is there. Few answers are made at once, and few wait to be made: somebody who asks
for a thousand different reports is told to come back, and stops nobody else.
"""

from __future__ import annotations

import pickle
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotDone
from typing import Any, Generic, TypeVar

from msgspec import Struct

from adjudge.errors import UsageError

T = TypeVar("T")

_MOST = 256
_MOST_BYTES = 32 << 20
"""Of all kept answers together, as long as they are when pickled; in memory they are a few times larger."""
_UNKNOWN_BYTES = 1 << 16
_PAUSE = 20.0
"""A new answer to a question is made after this many times as long as the last one took."""
_REST = 10.0
"""After a new answer to any question none is begun for this many times as long as it took."""
_MAKERS = 2
_MOST_WAITING = 32
_COME_BACK_SEC = 5


class StillWorking(UsageError):  # noqa: N818 - names a state, and is read as one
    """The answer is being worked out; ask again."""

    status = 202
    retry_after = 1


class TooManyQuestions(UsageError):  # noqa: N818 - names a state, and is read as one
    """So many answers are being worked out that no further one is begun."""

    status = 429
    retry_after = _COME_BACK_SEC


class ServerEnding(UsageError):  # noqa: N818 - names a state, and is read as one
    """No answer is made any more."""

    status = 503
    retry_after = _COME_BACK_SEC


class KeptAnswer(Struct, Generic[T], frozen=True):
    """What was found, and at which row of the chain."""

    value: T
    row: int
    took: float
    made_at: float
    size: int


class AnswerStore:
    """Answers by question; the least recently asked are forgotten if they are many, or large together."""

    def __init__(self, head: Callable[[], int]) -> None:
        self._head = head
        self._kept: OrderedDict[Hashable, KeptAnswer[Any]] = OrderedDict()
        self._making: dict[Hashable, Future[KeptAnswer[Any]]] = {}
        self._lock = threading.Lock()
        self._rests_until = 0.0
        self._pool = ThreadPoolExecutor(_MAKERS, thread_name_prefix="adjudge-answers")
        self._closed = False

    def ask(self, key: Hashable, make: Callable[[], T], *, patience: float | None = None) -> KeptAnswer[T]:
        """The answer to a question; perhaps of a moment ago.

        Without one the asker waits for it, `patience` seconds at most: then StillWorking. `make` may not ask
        for another answer: it would wait for those who wait for it.
        """
        row = self._head()
        with self._lock:
            found: KeptAnswer[T] | None = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                if found.row != row and not self._making and self._due(found):
                    self._begin(key, make, anew=True)
                return found
            made: Future[KeptAnswer[T]] = self._making.get(key) or self._begin(key, make)
        try:
            return made.result(patience)
        except CancelledError:
            raise ServerEnding("the server is ending") from None
        except NotDone:
            raise StillWorking("this is being worked out", remedy="Ask again in a second.") from None

    def close(self) -> None:
        """Stop making answers; whoever waits for one that is not begun is told."""
        with self._lock:
            self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _due(self, found: KeptAnswer[Any]) -> bool:
        now = time.monotonic()
        return now >= self._rests_until and now - found.made_at >= _PAUSE * found.took

    def _begin(self, key: Hashable, make: Callable[[], T], *, anew: bool = False) -> Future[KeptAnswer[T]]:
        if self._closed:
            raise ServerEnding("the server is ending")
        if len(self._making) >= _MOST_WAITING:
            raise TooManyQuestions(
                "too many answers are being worked out",
                found=len(self._making),
                remedy=f"Ask again in {_COME_BACK_SEC} s.",
            )
        future = self._making[key] = self._pool.submit(self._make, key, make, anew)
        return future

    def _make(self, key: Hashable, make: Callable[[], T], anew: bool) -> KeptAnswer[T]:
        try:
            row, began = self._head(), time.monotonic()
            value = make()
            now = time.monotonic()
            answer = KeptAnswer(value, row, now - began, now, _size_of(value))
            with self._lock:
                self._kept[key] = answer
                self._kept.move_to_end(key)
                if anew:
                    self._rests_until = now + _REST * answer.took
                self._forget()
            return answer
        finally:
            with self._lock:
                self._making.pop(key, None)

    def _forget(self) -> None:
        """Keep the answers that were asked for last, as many as there is room for, and the newest anyhow."""
        total = sum(kept.size for kept in self._kept.values())
        while len(self._kept) > 1 and (total > _MOST_BYTES or len(self._kept) > _MOST):
            total -= self._kept.popitem(last=False)[1].size


def _size_of(value: object) -> int:
    try:
        return len(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
    except (pickle.PicklingError, TypeError, AttributeError):
        return _UNKNOWN_BYTES
