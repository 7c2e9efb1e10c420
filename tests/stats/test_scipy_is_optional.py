"""scipy is an extra: it is loaded late, and its absence names the command that installs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from adjudge import MissingExtra
from adjudge.stats import Trials, mean_reward


def test_importing_the_statistics_loads_no_scipy() -> None:
    code = "import sys, adjudge.stats; print('scipy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"


def test_a_missing_scipy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingExtra, match=r"pip install 'adjudge\[stats\]'"):
        mean_reward(Trials.of([1, 2], [0.2, 0.5]))


def test_wilsons_interval_needs_no_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pass rates of 0/1 rewards work in the smallest installation."""
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert mean_reward(Trials.of([1, 2, 3], [1, 0, 1])).interval is not None
