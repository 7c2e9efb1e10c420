"""The real sandbox for every audit here."""

from __future__ import annotations

import pytest

from adjudge.errors import SandboxUnavailable
from adjudge.sandbox import Sandbox, choose_sandbox


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    try:
        return choose_sandbox("bubblewrap")
    except SandboxUnavailable as error:
        pytest.skip(f"needs bubblewrap: {error}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Most of the gallery is for `make gallery`: with a marker expression of its own, pytest decides."""
    if config.getoption("markexpr"):
        return
    long = [item for item in items if item.get_closest_marker("gallery")]
    items[:] = [item for item in items if item not in set(long)]
    config.hook.pytest_deselected(items=long)
