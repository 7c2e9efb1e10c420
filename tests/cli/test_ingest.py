"""`adjudge ingest` as a person meets it: what it says, and what is left when it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from adjudge.ledger import open_ledger
from adjudge.runs.read_ahead import ALONE
from support.patience import HANG_SEC

INGEST = [sys.executable, "-m", "adjudge", "ingest", "old", "--experiment", "old"]
MANY = ALONE + 1000


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("ADJUDGE_LEDGER", raising=False)
    monkeypatch.delenv("ADJUDGE_BLOBS", raising=False)
    (tmp_path / "old").mkdir()
    return tmp_path


def put(home: Path, count: int) -> None:
    for number in range(count):
        folder = home / f"old/t{number}"
        folder.mkdir()
        (folder / "reward.json").write_text('{"reward": 1}')


def ingest(home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(INGEST, cwd=home, capture_output=True, text=True, timeout=HANG_SEC)


def test_one_folder_is_no_folders(home: Path) -> None:
    put(home, 1)
    assert "1 folder: 1 recorded, 0 quarantined\n" in ingest(home).stdout


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def is_running(pid: int) -> bool:
    """A process that nobody has asked about since it ended is a zombie, and does not count."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core has no helper")
@pytest.mark.parametrize("victim", ["parent", "helper"])
def test_whoever_is_killed_nothing_runs_on_and_the_next_ingest_is_whole(home: Path, victim: str) -> None:
    put(home, MANY)
    with subprocess.Popen(
        INGEST, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as parent:
        while not (helpers := children(parent.pid)) and parent.poll() is None:
            time.sleep(0.001)
        if helpers:  # else it was done before anybody looked
            os.kill(parent.pid if victim == "parent" else helpers[0], signal.SIGKILL)
        _, complaint = parent.communicate(timeout=HANG_SEC)
    while any(map(is_running, helpers)):  # it may finish the chunk it has
        time.sleep(0.01)
    if victim == "helper" and parent.returncode:  # else it had all it was asked for
        assert "has died; found 'exit code -9'" in complaint
        assert "run the same command again" in complaint
    again = ingest(home)
    assert f"{MANY} folders: {MANY} recorded, 0 quarantined\n" in again.stdout
    with open_ledger(str(home / "adjudge.db")) as ledger:
        assert ledger.count() == MANY
        assert ledger.verify().intact
