"""Every design note is in the index, and every choice names a test that guards it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.doc_pages import ROOT, links

DESIGN = ROOT / "docs" / "design"
NOTES = sorted(note for note in DESIGN.glob("*.md") if note.name != "README.md")
TESTS = {path.name for path in (ROOT / "tests").rglob("test_*.py")}


def test_every_note_is_in_the_index() -> None:
    linked = {target for _, target in links(DESIGN / "README.md")}
    assert {note.name for note in NOTES} - linked == set()


def test_every_row_of_the_index_names_tests_that_exist() -> None:
    rows = [
        line
        for line in (DESIGN / "README.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| ") and "guarded by" not in line
    ]
    assert len(rows) > 5
    for row in rows:
        guards = re.findall(r"`(tests/[\w/]+\.py)`", row)
        assert guards, f"nothing guards: {row}"
        assert [guard for guard in guards if not (ROOT / guard).exists()] == []


@pytest.mark.parametrize("note", NOTES, ids=lambda note: str(note.name))
def test_a_note_names_its_guards(note: Path) -> None:
    """By path or by name; a name that no test file has any more is a note that no longer tells the truth."""
    named = set(re.findall(r"\b(test_\w+\.py)\b", note.read_text(encoding="utf-8")))
    assert named, "a design note names the tests that fail when its choice is undone"
    assert named - TESTS == set()
