"""Means over experiments, and what pass@k leaves out: in every format."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path

import pytest

from adjudge.ledger import open_ledger
from support.command_line import run_adjudge
from support.report_ledgers import entries, make

FORMATS = ("terminal", "md", "html")


def shown(path: Path, form: str, *options: str) -> str:
    text = run_adjudge("report", "--ledger", path, "--format", form, *options, COLUMNS="300").stdout
    return " ".join(unescape(text).replace("\\", "").split())


@pytest.fixture
def uneven(tmp_path: Path) -> Path:
    """Six tasks: four with four attempts, t/5 with two (one passed), t/6 with three (none passed)."""
    rewards = {f"t/{n}": [1.0, 1.0, 0.0, 0.0] for n in range(1, 5)}
    rewards |= {"t/5": [1.0, 0.0], "t/6": [0.0, 0.0, 0.0]}
    return make(tmp_path / "u.db", {"ant": rewards})


@pytest.mark.parametrize("form", FORMATS)
def test_tasks_left_out_of_pass_at_k_are_named_worst_first(uneven: Path, form: str) -> None:
    text = shown(uneven, form, "--k", "4")
    assert "pass@4 counts 4 of 6 tasks" in text
    assert "tasks left out, worst first: t/6 (0 of 3 passed), t/5 (1 of 2 passed)" in text
    assert "pass@2, which counts every task: 0." in text
    assert "pass^2, which counts every task: 0." in text


def test_the_number_offered_is_the_number_asked_for(uneven: Path) -> None:
    found = json.loads(shown(uneven, "json", "--k", "4"))["groups"][0]["passes"]
    offered = next(note for named in found for note in named["estimate"]["notes"] if "pass@2" in note)
    two = json.loads(shown(uneven, "json", "--k", "2"))["groups"][0]["passes"][1]
    assert two["name"] == "pass@2"
    assert f"{two['estimate']['value']:.3f}" in offered


def test_means_over_experiments(tmp_path: Path) -> None:
    """ant: 0.5, then 1.0; bee only in the second."""
    path = tmp_path / "t.db"
    with open_ledger(path) as ledger:
        ledger.record(entries({"ant": {"t/1": [0.0], "t/2": [1.0]}}, experiment="zulu"))
        ledger.record(
            entries({"ant": {"t/1": [1.0], "t/2": [1.0]}, "bee": {"t/1": [0.25]}}, experiment="alfa")
        )
    found = json.loads(shown(path, "json"))["trend"]
    assert found["experiments"] == ["zulu", "alfa"]  # by when they began, not by name
    values = {
        name: [None if e is None else e["value"] for e in row]
        for name, row in zip(found["groups"], found["rewards"], strict=True)
    }
    assert values == {"ant": [0.5, 1.0], "bee": [None, 0.25]}
    for form in FORMATS:
        text = shown(path, form)
        assert "over experiments" in text
        assert "adjudge compare --by experiment" in text
    assert json.loads(shown(path, "json", "--experiment", "zulu"))["trend"] is None
