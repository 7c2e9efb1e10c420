"""Every ledger test runs on both databases: ask for `ledger`, or for `ledger_url` to open it yourself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudge.ledger import Ledger, open_ledger
from postgres import Server, running_server


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    with running_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger_url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where a ledger may be made; nothing is there yet."""
    monkeypatch.delenv("ADJUDGE_LEDGER", raising=False)
    if request.param == "sqlite":
        monkeypatch.delenv("ADJUDGE_BLOBS", raising=False)
        return str(tmp_path / "ledger.db")
    monkeypatch.setenv("ADJUDGE_BLOBS", str(tmp_path / "blobs"))
    server: Server = request.getfixturevalue("postgres_server")
    return server.create_database()


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Ledger]:
    """An empty ledger."""
    with open_ledger(ledger_url) as opened:
        yield opened
