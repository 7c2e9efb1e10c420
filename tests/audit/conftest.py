"""The real sandbox for every audit here, as the command line chooses it: probes may be run warm."""

from __future__ import annotations

import os

import pytest

from adjudge.errors import SandboxUnavailable
from adjudge.sandbox import Sandbox, choose_sandbox


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    try:
        return choose_sandbox("bubblewrap", warm=True)
    except SandboxUnavailable as error:
        pytest.skip(f"needs bubblewrap: {error}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Most of the gallery is for `make gallery`: with a marker expression of its own, pytest decides.

    GALLERY_PART=1/2 keeps every second exhibit of it, from the second on (they are counted from 0).
    """
    long = [item for item in items if item.get_closest_marker("gallery")]
    if config.getoption("markexpr"):
        part, _, parts = os.environ.get("GALLERY_PART", "0/1").partition("/")
        long = [item for number, item in enumerate(long) if number % int(parts) != int(part)]
    left_out = set(long)
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=long)
