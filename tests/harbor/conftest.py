"""These tests need real Harbor, and with it Python 3.12 or newer: `make test` runs them in .venv-harbor.

Where Harbor is not installed nothing here is collected, so that a run under Python 3.11 has nothing to skip.
"""

from __future__ import annotations

import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

# Not find_spec: with `tests` on the path, this very folder answers to the name.
collect_ignore_glob = [] if any(distributions(name="harbor")) else ["*"]
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True, scope="session")
def _no_telemetry() -> None:
    """Harbor would report each run to its makers."""
    import os

    os.environ["HARBOR_TELEMETRY"] = "0"
