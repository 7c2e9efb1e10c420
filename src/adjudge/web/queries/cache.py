"""Answers kept until the ledger moves on: a page that counts a million trials need not count them twice.

An answer belongs to the row at which the chain stood. If the chain has moved, the old answer is given once
more and a new one is made in the background, at most one at a time and not all the time: a queue of reviewers
moves the chain every second. So a page says as of which row it speaks. Only the first asker of all waits.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_MOST = 256
_PAUSE = 20.0
"""A new answer is made after this many times as long as the last one took."""


@dataclass(frozen=True)
class KeptAnswer(Generic[T]):
    """What was found, and at which row of the chain."""

    value: T
    row: int
    took: float
    made_at: float


class AnswerStore:
    """Answers by question; the least recently asked are forgotten."""

    def __init__(self, head: Callable[[], int]) -> None:
        self._head = head
        self._kept: OrderedDict[Hashable, KeptAnswer[Any]] = OrderedDict()
        self._making: set[Hashable] = set()
        self._lock = threading.Lock()
        self._first: dict[Hashable, threading.Lock] = {}
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="adjudge-refresh")

    def ask(self, key: Hashable, make: Callable[[], T]) -> KeptAnswer[T]:
        """The answer to a question; perhaps of a moment ago."""
        row = self._head()
        with self._lock:
            found: KeptAnswer[T] | None = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                if found.row != row and key not in self._making and self._due(found):
                    self._making.add(key)
                    self._pool.submit(self._again, key, make)
                return found
            first = self._first.setdefault(key, threading.Lock())
        with first:  # many ask at once after a start: one works, the others take what it found
            with self._lock:
                found = self._kept.get(key)
            return found or self._make(key, make)

    def close(self) -> None:
        """Stop making answers."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _due(self, found: KeptAnswer[Any]) -> bool:
        return time.monotonic() - found.made_at >= _PAUSE * found.took

    def _make(self, key: Hashable, make: Callable[[], T]) -> KeptAnswer[T]:
        row, began = self._head(), time.monotonic()
        value = make()
        now = time.monotonic()
        answer = KeptAnswer(value, row, now - began, now)
        with self._lock:
            self._kept[key] = answer
            self._first.pop(key, None)
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        return answer

    def _again(self, key: Hashable, make: Callable[[], Any]) -> None:
        try:
            self._make(key, make)
        finally:
            with self._lock:
                self._making.discard(key)
