"""Ask again when the database went away in the middle of a run: its questions and all writes may be repeated.

A database that restarts is back within seconds; one that stays away is reported, and nothing is lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from adjudge.ledger.database import Disconnected

T = TypeVar("T")

WAITS_SEC = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Between one try and the next; about sixteen seconds in all."""


def patiently(ask: Callable[[], T]) -> T:
    """Do what may be repeated; a lost connection is tried again, then raised as `Disconnected`."""
    for wait in WAITS_SEC:
        try:
            return ask()
        except Disconnected:
            time.sleep(wait)
    return ask()
