"""Counts that are only held within bounds: which are remarked on, and which are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.audit import Cause
from audit.reading.sources import remarks_on

_LINES = """
text = open("/workspace/answer.txt").read().strip()
row = [line for line in text.split("\\n") if line.startswith("rows_removed=")][0]
removed = int(row.split("=", 1)[1])
assert removed > 0, f"rows_removed should be positive, got {{removed}}"
{more}
score = 1.0
"""
_ASKED = "State in `rows_removed=N` how many rows were removed."
_KEYED = """
import re
count = answer["duplicate_count"]
assert isinstance(count, int) and 2 <= count <= 40, count
score = 1.0
"""
FLAWED = {
    "in-a-line": (_LINES.format(more="assert removed < 20"), _ASKED, "answer.txt"),
    "under-a-key": (_KEYED, "Write the `duplicate_count` of the table.", "answer.json"),
}
SOUND = {
    "met-by-a-reference": (_LINES.format(more='assert removed == REF["removed"]'), _ASKED, "answer.txt"),
    "met-in-a-second-look": (
        _LINES.format(more='again = int(row.split("=")[1])\nassert abs(again - len(REF)) <= 1'),
        _ASKED,
        "answer.txt",
    ),
    "bounds-of-the-task": (
        _LINES.format(more="assert removed <= 20").replace("removed > 0", "removed >= 5"),
        f"{_ASKED} Remove at least 5 and at most 20 of them.",
        "answer.txt",
    ),
    "compared-as-a-whole": (f"{_KEYED}assert answer == REF\n", "Write the `duplicate_count`.", "answer.json"),
    "no-count": (
        _KEYED.replace("duplicate_count", "slope"),
        "Choose a `slope` for the roof.",
        "answer.json",
    ),
}


@pytest.mark.parametrize("name", FLAWED)
def test_a_count_that_only_has_to_be_plausible(name: str, tmp_path: Path) -> None:
    code, said, output = FLAWED[name]
    found = remarks_on(tmp_path, code, said, output)
    assert any("any number within passes" in remark.title for remark in found), found
    assert Cause.ANY_VALUE in {remark.cause for remark in found}


@pytest.mark.parametrize("name", SOUND)
def test_a_count_that_meets_anything_else(name: str, tmp_path: Path) -> None:
    code, said, output = SOUND[name]
    found = remarks_on(tmp_path, code, said, output)
    assert not any("any number within passes" in remark.title for remark in found), found
