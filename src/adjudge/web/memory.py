"""Keep the memory of a server level, however many threads answer its requests.

Two things grow with the number of threads. glibc gives each a heap of its own, which keeps what the busiest
moment of that thread needed; one heap for all costs little, as Python's threads seldom allocate at the same
time. SQLite keeps pages for each connection, and every thread has one; the system keeps the same pages once.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

MOST_PAGES_BYTES = 16 << 20
"""Of a SQLite file's pages that are kept in memory, by all threads together."""
_M_ARENA_MAX = -8
"""From glibc's `malloc.h`."""


def share_one_heap() -> None:
    """Have all threads that start from now on allocate from one heap. Does nothing without glibc."""
    tell = getattr(ctypes.CDLL(None), "mallopt", None)
    if tell is not None:
        tell(_M_ARENA_MAX, 1)


def bound_pages(ledger: Ledger) -> None:
    """Bound what SQLite keeps of a ledger's file; another database looks after itself."""
    if ledger.database.dialect == "sqlite":
        ledger.database.pragma(f"soft_heap_limit = {MOST_PAGES_BYTES}")
