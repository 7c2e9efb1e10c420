"""Shared by the tests of the docs."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from support.demo_run import PRINTED, make_demo_run


@pytest.fixture(scope="session")
def scored(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder with `examples/` and the ledger of the demo run; made once for all workers of a test run."""
    base = tmp_path_factory.getbasetemp()
    home = (base if worker_id == "master" else base.parent) / "docs-demo"
    with Path(f"{home}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / PRINTED).exists():
            make_demo_run(home)
    return home
