"""The real sandbox for every test here: `sandbox` itself, and `verify` for a few words of shell.

A test marked with `everyone` has its `verify` run four times: as whoever runs the tests and as an ordinary
user, in a sandbox of its own (cold) and as a trial of a warm server.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from adjudge.errors import SandboxUnavailable
from adjudge.sandbox import Sandbox, SandboxOutcome, choose_sandbox
from support.ordinary_user import OrdinaryUser
from support.sandbox_jobs import Verify, job_for
from support.warm_server import WarmSandbox


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    try:
        return choose_sandbox("bubblewrap")
    except SandboxUnavailable as error:
        pytest.skip(f"needs bubblewrap: {error}")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """An empty folder that anybody may enter, unlike `tmp_path`."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        yield Path(place)


@pytest.fixture(scope="session")
def ordinary_user(sandbox: Sandbox) -> Iterator[OrdinaryUser]:
    user = OrdinaryUser()
    yield user
    user.close()


@pytest.fixture
def verify(sandbox: Sandbox, request: pytest.FixtureRequest) -> Iterator[Verify]:
    """Run a shell script as the verifier and return what came of it."""
    who: Sandbox = sandbox
    how = getattr(request, "param", "")
    if how.endswith("ordinary user"):
        user: OrdinaryUser = request.getfixturevalue("ordinary_user")
        who = user.warm if how.startswith("warm") else user
    elif how == "warm":
        who = WarmSandbox()
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)

        def run(script: str, *, files: Mapping[str, str] | None = None, **fields: Any) -> SandboxOutcome:
            return who.run(job_for(Path(place) / "tests", script, files, **fields))

        yield run
