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

    def wait_for(self, *keys: str) -> float:
        """How many seconds until another try is allowed; 0 if it is now."""
        now = time.monotonic()
        with self._lock:
            waits = [0.0]
            for key in keys:
                recent = [at for at in self._failed.get(key, ()) if now - at < WINDOW_SEC]
                if len(recent) >= MOST_FAILURES:
                    waits.append(recent[-MOST_FAILURES] + WINDOW_SEC - now)
        return max(waits)

    def failed(self, *keys: str) -> None:
        """Count a failure."""
        now = time.monotonic()
        with self._lock:
            for key in keys:
                recent = [at for at in self._failed.pop(key, ()) if now - at < WINDOW_SEC]
                self._failed[key] = [*recent, now][-MOST_FAILURES:]
            while len(self._failed) > _MOST_KEPT:
                self._failed.popitem(last=False)

    def forgive(self, key: str) -> None:
        """Forget the failures of a name that has logged in."""
        with self._lock:
            self._failed.pop(key, None)
