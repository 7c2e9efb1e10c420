"""The next command need not try out a sandbox that worked a moment ago; an old mark counts nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.sandbox import Sandbox, choose_sandbox
from adjudge.sandbox import choose as choose_module
from adjudge.sandbox.lately import GOOD_FOR_SEC


@pytest.fixture
def trials(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Chooses a sandbox as a new process would; returns how many were tried out for that."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    tried: list[Sandbox] = []
    trial = choose_module.trial

    def counted(sandbox: Sandbox) -> str | None:
        tried.append(sandbox)
        return trial(sandbox)

    monkeypatch.setattr(choose_module, "trial", counted)

    def choose() -> int:
        tried.clear()
        choose_module._working.clear()
        choose_sandbox("bubblewrap")
        return len(tried)

    return choose


def test_the_next_command_trusts_what_worked(trials: Callable[[], int]) -> None:
    assert (trials(), trials()) == (1, 0)


@pytest.mark.parametrize("age", [GOOD_FOR_SEC + 1, -3600])
def test_an_old_mark_and_one_from_the_future_count_nothing(
    trials: Callable[[], int], tmp_path: Path, age: float
) -> None:
    trials()
    (mark,) = (tmp_path / "adjudge/sandboxes").iterdir()
    os.utime(mark, (time.time() - age,) * 2)
    assert (trials(), trials()) == (1, 0)


def test_without_a_place_for_the_mark_every_command_tries(
    trials: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/no/such/place")
    assert (trials(), trials()) == (1, 1)
