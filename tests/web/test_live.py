"""Runs as they go on: the stream of events moves with the ledger, hides what it must, and ends in time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from adjudge.ledger import Ledger, open_ledger
from adjudge.web import UserRole, Users
from adjudge.web.pages import runs
from support.trial_samples import trial
from support.web_site import serving, settings


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Ledger, str, dict[str, str]]]:
    """A ledger with a hold-out task, its server, and a viewer's headers."""
    monkeypatch.setattr(runs, "BEAT_SEC", 0.05)
    with open_ledger(tmp_path / "l.db") as ledger:
        ledger.record([trial(1, task_id="open/a"), trial(2, task_id="held/secret", experiment="hidden")])
        users = Users(ledger)
        users.add("vi", UserRole.VIEWER, password=None)
        headers = {"authorization": f"Bearer {users.make_token('vi')[1]}"}
        with serving(ledger, settings(hold_out=("held/*",))) as address:
            yield ledger, address, headers


def news(lines: Iterator[str]) -> list[dict[str, Any]]:
    """The next event that says something."""
    found: list[dict[str, Any]] = json.loads(
        next(line for line in lines if line.startswith("data:")).removeprefix("data:")
    )
    return found


def test_a_stream_says_what_is_recorded_while_it_is_open(
    watched: tuple[Ledger, str, dict[str, str]],
) -> None:
    ledger, address, headers = watched
    with httpx.stream("GET", f"{address}/runs/events", headers=headers, timeout=60) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = stream.iter_lines()
        [before] = news(lines)
        assert (before["experiment"], before["evaluations"], before["tasks"]) == ("first", 1, 1)
        ledger.record([trial(n, task_id="open/b", experiment="second") for n in range(10, 13)])
        ledger.record([trial(3, task_id="held/secret", experiment="hidden")])
        after = news(lines)
        assert {run["experiment"]: run["evaluations"] for run in after} == {"first": 1, "second": 3}
        assert sum(run["outcomes"].get("scored", 0) + run["outcomes"].get("wrong", 0) for run in after) == 4


def test_a_stream_ends_for_somebody_who_was_removed(watched: tuple[Ledger, str, dict[str, str]]) -> None:
    ledger, address, headers = watched
    with httpx.stream("GET", f"{address}/runs/events", headers=headers, timeout=60) as stream:
        lines = stream.iter_lines()
        news(lines)
        Users(ledger).remove("vi")
        assert not [line for line in lines if line.startswith("data:")]
