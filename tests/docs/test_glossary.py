"""The glossary's words are used as it says, as far as a machine can tell."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adjudge.contracts import Outcome
from support.doc_pages import PAGES, ROOT, prose

GLOSSARY = ROOT / "docs" / "glossary.md"
ROWS = [
    [cell.strip() for cell in line.strip("| ").split(" |")]
    for line in GLOSSARY.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| word ")
]
GENERATED = {"glossary.md", "CHANGELOG.md", "commands.md", "python.md"}
"""And the glossary itself, and what was written before it."""
WRITTEN = [page for page in PAGES if page.name not in GENERATED and page.parent.name != "certificates"]
AVOIDED = [
    word.strip() for row in ROWS for word in (row[2] if len(row) > 2 else "").split(",") if word.strip()
]


def said(page: Path) -> list[tuple[int, str]]:
    """The lines of a page without code, links' targets and pictures."""
    return [
        (number, re.sub(r"`[^`]*`|\]\([^)]*\)|!\[[^\]]*\]|<[^>]*>", " ", line))
        for number, line in enumerate(prose(page).splitlines(), 1)
    ]


def uses(page: Path, pattern: str) -> list[str]:
    return [
        f"{page.relative_to(ROOT)}:{number}: {line.strip()}"
        for number, line in said(page)
        if re.search(pattern, line, re.IGNORECASE)
    ]


def test_it_is_short_and_says_each_word_once() -> None:
    words = [row[0] for row in ROWS]
    assert 15 <= len(words) <= 25
    assert len(set(words)) == len(words)
    assert all(row[1] for row in ROWS)


def test_outcomes_are_those_of_the_code() -> None:
    row = next(row for row in ROWS if row[0] == "outcome")
    assert sorted(re.findall(r"\*([^*]+)\*", row[1])) == sorted(outcome.value for outcome in Outcome)


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_uses_another_word_for_a_thing(page: Path) -> None:
    assert AVOIDED
    assert uses(page, r"\b(?:" + "|".join(AVOIDED) + r")s?\b") == []


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_gate_says_which(page: Path) -> None:
    """A validity gate stands before scoring, the regression gate compares trials; never just a gate."""
    assert uses(page, r"(?<!validity )(?<!regression )\bgates?\b") == []


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_only_a_model_judges(page: Path) -> None:
    assert (
        uses(page, r"\bjudged\b|\bjudging\b|\b(?:people|person|reviewers?|verifiers?|audits?) judges?\b")
        == []
    )


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_breakdown_is_a_breakdown(page: Path) -> None:
    """`details.json` is the name of a file; what it says is the breakdown."""
    assert uses(page, r"\b(?:its|the|no|write|wrote) details\b(?! page)") == []
