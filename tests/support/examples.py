"""Which examples property tests draw: the same in every run, or new ones each time.

`make test` must give the same answer every time, so its examples follow from each test's source alone. That
takes more than `derandomize`: Hypothesis also draws constants from the modules that are loaded just then,
which depends on the tests that ran before in the same process; and a health check counts seconds. What a
search once found stands as an `@example` at its test. `ADJUDGE_EXAMPLES=new` (`make fuzz`) searches on.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers


def draw_examples() -> None:
    """Choose by the environment, before any test module is read."""
    slow = [HealthCheck.too_slow]
    settings.register_profile(
        "same", derandomize=True, database=None, deadline=None, suppress_health_check=slow
    )
    settings.register_profile("new", derandomize=False, deadline=None, suppress_health_check=slow)
    if os.environ.get("ADJUDGE_EXAMPLES") == "new":
        settings.load_profile("new")
    else:
        settings.load_profile("same")
        providers._get_local_constants = lambda: providers._local_constants
