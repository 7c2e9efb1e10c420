"""The real sandbox for every test here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import SandboxUnavailable
from adjudge.sandbox import Sandbox, SandboxOutcome, choose_sandbox
from sandbox_jobs import Verify, job_for


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    try:
        return choose_sandbox("bubblewrap")
    except SandboxUnavailable as error:
        pytest.skip(f"needs bubblewrap: {error}")


@pytest.fixture
def verify(tmp_path: Path, sandbox: Sandbox) -> Verify:
    """Run a shell script as the verifier and return what came of it."""

    def run(
        script: str, *, files: Mapping[str, str] | None = None, sandbox: Sandbox = sandbox, **fields: Any
    ) -> SandboxOutcome:
        return sandbox.run(job_for(tmp_path / "tests", script, files, **fields))

    return run
