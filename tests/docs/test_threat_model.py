"""Every place where text or bytes of others enter has a guard, and that guard exists."""

from __future__ import annotations

import re

import pytest

from support.doc_pages import ROOT

PAGE = (ROOT / "docs" / "design" / "threat-model.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return lines[1:]


ENTRIES = rows("Where they enter")
ATTACKERS = {row[0].strip("*") for row in rows("Who attacks")}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry[0]))
def test_every_entry_has_a_defence_and_a_guard_that_exists(entry: list[str]) -> None:
    _, _, defence, guards = entry
    assert defence
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", guards)
    assert named, "no test fails if this defence goes"
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{test} is gone"


def test_every_attacker_enters_somewhere() -> None:
    entering = " ".join(entry[1] for entry in ENTRIES)
    for attacker in ("agent", "verifier", "task's author", "reviewer", "network"):
        assert attacker in entering
    assert len(ATTACKERS) >= 5


def test_what_is_not_promised_stands_beside_what_is() -> None:
    promises = rows("What is promised, and what is not")
    assert len(promises) >= 6
    assert all(len(row) == 2 and all(row) for row in promises)
