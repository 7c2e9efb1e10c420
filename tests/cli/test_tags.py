"""`adjudge tags`: failures grouped by category, task and agent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.contracts import ErrorSource, ErrorTag
from adjudge.ledger import open_ledger
from support.patience import HANG_SEC
from support.trial_samples import trial

ADJUDGE = Path(sys.executable).with_name("adjudge")


def tag(category: str, description: str | None = None) -> ErrorTag:
    return ErrorTag(category=category, description=description, source=ErrorSource.MECHANICAL)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Trials 0, 3 and 6 are unit mismatches (told twice), 1 and 4 a sign, the other four have no tag."""
    path = tmp_path_factory.mktemp("ledger") / "book.db"
    unit = [tag("unit mismatch", "flow: mm for m?\x1b[31m"), tag("unit mismatch", "head: mm for m?")]
    with open_ledger(path) as book:
        for number in range(9):
            tags = unit if number % 3 == 0 else [tag("sign")] if number in (1, 4) else None
            book.record([trial(number, tags=tags)])
    return path


def run(ledger: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1"}
    command = [str(ADJUDGE), "tags", "--ledger", str(ledger), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=HANG_SEC)


def test_a_trial_counts_once_for_each_category(ledger: Path) -> None:
    """0, 3 and 6 are unit mismatches, all of agent-0; 1 and 4 a sign, of agent-1."""
    found = json.loads(run(ledger, "--json").stdout)
    assert (found["trials"], found["tagged"]) == (9, 5)
    assert [(row["name"], row["tags"], row["by_agent"]) for row in found["category"]] == [
        ("unit mismatch", 3, {"agent-0": 3}),
        ("sign", 2, {"agent-1": 2}),
    ]
    assert found["category"][0]["by_task"] == {
        "circuits/task-0": 1,
        "circuits/task-3": 1,
        "circuits/task-6": 1,
    }


def test_by_agent_and_filtered(ledger: Path) -> None:
    found = json.loads(run(ledger, "--by", "agent", "--agent", "agent-1", "--json").stdout)
    assert [(row["name"], row["tags"], row["by_category"]) for row in found["agent"]] == [
        ("agent-1", 2, {"sign": 2})
    ]


def test_the_table_with_an_example_of_each(ledger: Path) -> None:
    done = run(ledger)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[1].split()[:5] == ["unit", "mismatch", "3", "circuits/task-0", "1,"]
    assert "5 of 9 trials carry a tag." in lines
    assert "unit mismatch, for example: flow: mm for m?\\x1b[31m" in lines
    assert "\x1b" not in done.stdout


def test_no_tags(ledger: Path) -> None:
    done = run(ledger, "--agent", "agent-2")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "no tags on the 3 trials that match\n"
