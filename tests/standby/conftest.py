"""Shared by the tests of the resident process."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudge.ledger import open_ledger
from support.standby import StandbyHome, standby_home
from support.trial_samples import trial


@pytest.fixture(autouse=True)
def nothing_ignored() -> Iterator[None]:
    """A shell lets what it starts in the background ignore signals, as nohup does; programs inherit that."""
    ignored = [
        number
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM)
        if signal.getsignal(number) is signal.SIG_IGN
    ]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[StandbyHome]:
    """A home where nothing stands by yet."""
    with standby_home(tmp_path / "runtime") as made:
        yield made


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandbyHome]:
    """A home where a process stands by, shared by the tests of a file."""
    with standby_home(tmp_path_factory.mktemp("standby") / "runtime") as made:
        made.start()
        yield made


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small ledger that is only read."""
    path = tmp_path_factory.mktemp("book") / "ledger.db"
    with open_ledger(path) as ledger:
        ledger.record([trial(number) for number in range(6)])
    return path
