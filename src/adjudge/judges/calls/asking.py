"""Ask a judge: from the ledger if the call was made before, else over the wire, with patience and a purse.

A full or slow server is asked again, later each time and as late as it asks for. A call that is answered is
recorded before anything else is done with it. The same call from two threads is made once: the second waits
for what the first hears. What may cost more than is allowed is not asked.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field

from adjudge.judges.calls.call import Ask, CallCache, Reply, Request

LONGEST_WAIT = 60.0
_FIRST_WAIT = 1.0


class NotAsked(Exception):  # noqa: N818 - says what happened
    """A call was neither in the ledger nor made: the trial stays as it is, and the same command goes on."""


class MoneySpent(NotAsked):
    """The next call would cost more than is left."""


class CallFailed(NotAsked):
    """The judge did not answer, however often it was asked."""


class Stopped(NotAsked):
    """Somebody asked to stop."""


@dataclass
class Purse:
    """What may be spent, and what was. Shared by threads."""

    most: float | None = None
    spent: float = 0.0
    calls: int = 0
    cached: int = 0
    unpriced: int = 0
    """Calls whose price nobody knows."""
    _changed: threading.Condition = field(default_factory=threading.Condition, repr=False)
    _reserved: float = 0.0

    def reserve(self, usd: float) -> None:
        """Set aside what a call may cost. MoneySpent if that is more than is left.

        If only calls under way stand against it, it waits for what they really cost.
        """
        with self._changed:
            while self.most is not None and self.spent + self._reserved + usd > self.most:
                if self.spent + usd > self.most or not self._reserved:
                    raise MoneySpent(
                        f"the next call may cost up to {usd:.4f} USD, and {self.spent:.4f} of {self.most:g} "
                        "are spent"
                    )
                self._changed.wait()
            self._reserved += usd

    def settle(self, reserved: float, reply: Reply | None) -> None:
        """Take back what was set aside, and count what the call really cost."""
        with self._changed:
            self._reserved = max(0.0, self._reserved - reserved)
            if reply is not None:
                self.calls += 1
                self.spent += reply.usd or 0.0
                self.unpriced += reply.usd is None
            self._changed.notify_all()

    def count_cached(self) -> None:
        """Count a call that was not made again."""
        with self._changed:
            self.cached += 1


@dataclass
class Pace:
    """At most so many calls per minute, of all threads together; None: as fast as answers come."""

    per_minute: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _next: float = 0.0

    def wait(self, sleep: Callable[[float], None]) -> None:
        """Wait for the next turn."""
        if self.per_minute is None:
            return
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + 60.0 / self.per_minute
        if turn > now:
            sleep(turn - now)


@dataclass
class Asker:
    """Asks judges by their names."""

    asks: Mapping[str, Ask]
    cache: CallCache
    purse: Purse = field(default_factory=Purse)
    pace: Pace = field(default_factory=Pace)
    replay: bool = False
    """Only what the ledger has; nothing is asked."""
    tries: int = 5
    most_usd: Callable[[Request], float] = lambda _: 0.0
    """What a call costs at the very most."""
    sleep: Callable[[float], None] = time.sleep
    should_stop: Callable[[], bool] = lambda: False

    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _flying: dict[str, Future[Reply]] = field(default_factory=dict, repr=False)

    def ask(self, request: Request) -> Reply:
        """The reply. NotAsked if there is none to be had now."""
        mine: Future[Reply] = Future()
        with self._lock:
            flying = self._flying.get(request.key)
            if flying is None:
                self._flying[request.key] = mine
        if flying is not None:
            reply = flying.result()
            self.purse.count_cached()
            return reply
        try:
            reply = self._found_or_made(request)
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(reply)
            return reply
        finally:  # it is in the ledger by now, or whoever asks next tries again
            with self._lock:
                del self._flying[request.key]

    def _found_or_made(self, request: Request) -> Reply:
        found = self.cache.find(request.key)
        if found is not None:
            self.purse.count_cached()
            return found
        if self.replay:
            raise NotAsked(f"--replay: {request.model} was not asked this before")
        reserved = self.most_usd(request)
        self.purse.reserve(reserved)
        reply: Reply | None = None
        try:
            reply = self._patiently(request)
            self.cache.keep(request, reply)
            return reply
        finally:
            self.purse.settle(reserved, reply)

    def _patiently(self, request: Request) -> Reply:
        wait = _FIRST_WAIT
        why = ""
        for number in range(self.tries):
            if self.should_stop():
                raise Stopped("asked to stop")
            self.pace.wait(self.sleep)
            found = self.asks[request.model](request)
            if isinstance(found, Reply):
                return found
            why = found.why
            if not found.again:
                break
            if number + 1 < self.tries:
                self.sleep(min(LONGEST_WAIT, max(wait, found.after or 0.0)))
                wait *= 2
        raise CallFailed(f"{request.model}: {why}")
