"""No name breaks out of a Markdown table, pings anybody or becomes a link."""

from __future__ import annotations

import pytest

from adjudge.reports.rendering.markdown.text import name, table, text
from support.report_ledgers import HOSTILE


@pytest.mark.parametrize(
    ("raw", "safe"),
    [
        ("slide-rule (ivory-2)", "slide-rule (ivory-2)"),
        ("a|b", r"a\|b"),
        ("a_b", r"a\_b"),
        ("@team", "&#64;team"),
        ("[x](http://y)", r"\[x\](http:&#47;&#47;y)"),
        ("www.x.y", "&#119;&#119;&#119;&#46;x.y"),
        ("<b>&amp;", "&lt;b>&amp;amp;"),
        ("# title", "&#35; title"),
        ("1. item", "&#49;. item"),
        ("a\nb", r"a\\nb"),
    ],
)
def test_text_stays_text(raw: str, safe: str) -> None:
    assert text(raw) == safe


def test_a_name_that_needs_no_escape_is_left_alone() -> None:
    assert name("circuits/voltage-drop") == "circuits/voltage-drop"
    assert "<" not in name(HOSTILE)


def test_a_row_stays_one_row() -> None:
    lines = table(["", "x"], [[HOSTILE + "\n| new | row |", "1"]])
    assert len(lines) == 4
    assert "\n" not in lines[2]
    assert lines[2].replace(r"\|", "").count("|") == 3
