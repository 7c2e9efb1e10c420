"""Shared by every test.

With ADJUDGE_ALLOW_SKIPS=0 (as in CI) a skipped test is a failed one, except for want of what `.ci/run` cannot
install (`support.skips`). Property tests draw the same examples in every run; `make fuzz` draws new ones
(`support.examples`).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from adjudge.ledger import Ledger, open_ledger
from support.examples import draw_examples
from support.postgres import Server, running_server
from support.skips import NOT_IN_CI

draw_examples()
os.environ["ADJUDGE_STANDBY"] = "0"  # a process that a developer keeps ready has no part in any test
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell does that to what it starts in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)


LONG = ("app", "journey")
"""Markers of tests that have commands of their own; with a marker expression, pytest decides."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("markexpr"):
        return
    long = {item for item in items if any(map(item.get_closest_marker, LONG))}
    items[:] = [item for item in items if item not in long]
    config.hook.pytest_deselected(items=list(long))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    allowed = os.environ.get("ADJUDGE_ALLOW_SKIPS") != "0" or NOT_IN_CI in str(report.longrepr)
    if report.skipped and not hasattr(report, "wasxfail") and not allowed:
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and this run allows no skips: {report.longrepr}"
    return report


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    with running_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger_url(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Where a ledger may be made, in each kind of database; nothing is there yet."""
    monkeypatch.delenv("ADJUDGE_LEDGER", raising=False)
    if request.param == "sqlite":
        monkeypatch.delenv("ADJUDGE_BLOBS", raising=False)
        yield str(tmp_path / "ledger.db")
        return
    monkeypatch.setenv("ADJUDGE_BLOBS", str(tmp_path / "blobs"))
    server: Server = request.getfixturevalue("postgres_server")
    url = server.create_database()
    yield url
    server.drop_database(url)


@pytest.fixture
def ledger(ledger_url: str) -> Iterator[Ledger]:
    """An empty ledger."""
    with open_ledger(ledger_url) as opened:
        yield opened
