"""A real Chromium for tests that click. One that is missing or cannot start is skipped by name."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def running_browser() -> Iterator[Browser]:
    """A started browser, closed at the end."""
    from playwright.sync_api import Error, sync_playwright

    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("needs Chromium (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        except Error as error:
            pytest.skip(f"needs a Chromium that can start; {path}: {error.message.splitlines()[0]}")
        yield browser
        browser.close()
