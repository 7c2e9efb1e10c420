"""A regular expression that is compiled when it is first used."""

from __future__ import annotations

import re

import pytest

from adjudge._lazy import late_pattern


def test_a_late_pattern_does_what_a_compiled_one_does() -> None:
    late, compiled = (
        late_pattern(r"(?P<n>\d+)(?=x)", re.IGNORECASE),
        re.compile(r"(?P<n>\d+)(?=x)", re.IGNORECASE),
    )
    text = "1X 22x 3"
    assert [found["n"] for found in late.finditer(text)] == [found["n"] for found in compiled.finditer(text)]
    assert late.sub("-", text) == compiled.sub("-", text)
    assert (late.pattern, late.flags) == (compiled.pattern, compiled.flags)
    assert late_pattern(rb"a+").findall(b"aab a") == [b"aa", b"a"]


def test_a_pattern_that_means_nothing_fails_when_it_is_used() -> None:
    late = late_pattern("(")
    with pytest.raises(re.error):
        late.search("")
