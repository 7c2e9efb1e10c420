"""The long searches of the app are for `make test-app` and CI: with a marker expression, pytest decides."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("markexpr"):
        return
    long = {item for item in items if item.get_closest_marker("app")}
    items[:] = [item for item in items if item not in long]
    config.hook.pytest_deselected(items=list(long))
