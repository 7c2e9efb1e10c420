"""scipy is an extra that only the exact interval of a proportion needs; everything else works without."""

from __future__ import annotations

import subprocess
import sys

import pytest

from adjudge import MissingExtra
from adjudge.stats import Method, TrialTable, gate, mean_reward, paired_difference
from adjudge.stats.means.intervals import clopper_pearson_interval


def test_importing_the_statistics_loads_no_scipy() -> None:
    code = "import sys, adjudge.stats; print('scipy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"


def test_a_missing_scipy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingExtra, match=r"pip install 'adjudge\[stats\]'"):
        clopper_pearson_interval(3, 5)


def test_reports_comparisons_and_gates_need_no_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    graded, passed = TrialTable.of([1, 2, 3], [0.2, 0.5, 1.0]), TrialTable.of([1, 2, 3], [1, 0, 1])
    for method in ("score", "t", "bca"):
        assert mean_reward(graded, method=Method(interval=method)).interval is not None
    assert paired_difference(passed, TrialTable.of([1, 2, 3], [0, 0, 1])).p is not None
    assert gate(graded, passed, margin=0.1).comparison.difference.interval is not None
