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
