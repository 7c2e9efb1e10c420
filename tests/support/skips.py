"""Two kinds of skips: what `.ci/run` installs must be there in CI, what it cannot install need not be.

With ADJUDGE_ALLOW_SKIPS=0 a skip of the first kind (`pytest.skip`) fails; one of the second stays a skip,
with its reason in the summary.
"""

from __future__ import annotations

from typing import NoReturn

import pytest

NOT_IN_CI = "not installed by .ci/run: "


def skip_by_name(reason: str) -> NoReturn:
    """Skip a test for want of something that no script can be relied on to install, such as an engine."""
    pytest.skip(NOT_IN_CI + " ".join(reason.split()))
