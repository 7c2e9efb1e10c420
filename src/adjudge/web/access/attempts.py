"""How often somebody may try to log in: a few failures by name and by address, then a pause."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

MOST_FAILURES = 5
WINDOW_SEC = 300.0
_MOST_KEPT = 10_000


class Attempts:
    """Failures of the last minutes, in memory. The oldest are forgotten if there are very many."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failed: OrderedDict[str, list[float]] = OrderedDict()

    def begin(self, *keys: str) -> float:
        """Begin a try, which counts as a failure until it is forgiven: many at once are no more than one
        after the other. How many seconds until one is allowed; 0 if this one is."""
        now = time.monotonic()
        with self._lock:
            recent = {key: [at for at in self._failed.get(key, ()) if now - at < WINDOW_SEC] for key in keys}
            full = [tries[-MOST_FAILURES] for tries in recent.values() if len(tries) >= MOST_FAILURES]
            if full:
                return max(full) + WINDOW_SEC - now
            for key, tries in recent.items():
                self._failed.pop(key, None)
                self._failed[key] = [*tries, now]
            while len(self._failed) > _MOST_KEPT:
                self._failed.popitem(last=False)
        return 0.0

    def succeeded(self, name: str, place: str) -> None:
        """The last try was none of guessing: the name's failures are forgotten, and it at its place."""
        with self._lock:
            self._failed.pop(name, None)
            tries = self._failed.pop(place, [])[:-1]
            if tries:
                self._failed[place] = tries
