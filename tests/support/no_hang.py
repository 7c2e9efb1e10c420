"""Tell a hang from a slow machine: a bound on the processor's own time that only a blow-up can pass."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

PROCESSOR_SECONDS = 60


@contextmanager
def no_hang() -> Iterator[None]:
    """Fail where the block used a minute of processor time; what is meant takes a second or two at most."""
    start = time.process_time()
    yield
    assert time.process_time() - start < PROCESSOR_SECONDS
