"""The time that an audit may take, and how its sections share it.

A section may use a share of what is left, so that a slow verifier is tried a little in every way instead of
thoroughly in one; what a section leaves over, the next ones have. Time that is over is an event, not an
error: what was seen until then is kept, and the certificate says what was not tried.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from adjudge.audit.certificate import BUDGET_WORDS


class BudgetSpent(Exception):  # noqa: N818 - an event, not an error
    """The time that an audit may take is over, or too short for what comes next."""


class AuditStopped(Exception):  # noqa: N818 - an event, not an error
    """Whoever asked for the audit no longer waits for it."""


class ProbeFound(Exception):  # noqa: N818 - an event, not an error
    """The one probe that was wanted has been run."""


class Budget:
    """A deadline for the whole audit, and a nearer one for the section that is worked on."""

    def __init__(
        self,
        seconds: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
        stopped: threading.Event | None = None,
    ) -> None:
        self.seconds = seconds
        self._clock = clock
        self._end = self._section_end = clock() + seconds
        self._stopped = stopped or threading.Event()

    def give(self, share: float) -> None:
        """Let the next section have this share of what is left."""
        now = self._clock()
        self._section_end = now + share * max(0.0, self._end - now)

    def left(self) -> float:
        """Seconds that the section still has. AuditStopped if nobody waits any more."""
        if self._stopped.is_set():
            raise AuditStopped
        return max(0.0, self._section_end - self._clock())

    def until_the_end(self) -> float:
        """Seconds that the whole audit still has."""
        return max(0.0, self._end - self._clock())

    def spent(self, why: str = "") -> BudgetSpent:
        """The event, in words."""
        return BudgetSpent(f"{BUDGET_WORDS} {self.seconds:g} s was spent{why}")
