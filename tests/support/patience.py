"""Wait for what other processes do, without betting on how fast this machine is today.

Nothing here asserts a time. A wait ends as soon as its condition holds; its bound only ends a hang.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

HANG_SEC = 180.0
"""Far more than anything that is waited for takes on a machine that is busy with other things."""
LIMITS_SEC = (0.5, 2.0, 8.0, 30.0, 90.0)

T = TypeVar("T")


def wait_until(condition: Callable[[], bool]) -> bool:
    """Whether the condition came to hold; False only after a hang."""
    end = time.monotonic() + HANG_SEC
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def with_time_enough(attempt: Callable[[float], T], got_there: Callable[[T], bool]) -> T:
    """What `attempt` gave under the first limit in seconds that let it get as far as it must.

    For a program that must first do something and then run out of time: on a busy machine a short limit may
    end it before its first word. The last attempt is returned even if it did not get there.
    """
    for limit in LIMITS_SEC:
        result = attempt(limit)
        if got_there(result):
            break
    return result
