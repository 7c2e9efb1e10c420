"""The options and the pattern of a grep."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjudge.audit.reading.shell.words import Kind, pieces

GREPS = ("grep", "egrep", "fgrep")
_WITH_VALUE = ("-m", "-A", "-B", "-C", "-e", "-f", "--max-count")


def first_word(words: Sequence[str], one: Sequence[str] = (), two: Sequence[str] = ()) -> str | None:
    """The first word that is no option; some options take one word, or two, after them."""
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        at += 3 if words[at] in two else 2 if words[at] in one else 1
    return words[at] if at < len(words) else None


def options(words: Sequence[str]) -> str:
    """The letters of all short options, long ones as letters."""
    long = {
        "--fixed-strings": "F",
        "--line-regexp": "x",
        "--word-regexp": "w",
        "--quiet": "q",
        "--count": "c",
    }
    return "".join(long.get(w, w[1:] if not w.startswith("--") else "") for w in words if w.startswith("-"))


def pattern_of(words: Sequence[str]) -> str | None:
    """The pattern that grep is given; None if it comes from a file."""
    for at, word in enumerate(words[:-1]):
        if re.fullmatch(r"-\w*e", word):
            return words[at + 1]
        if re.fullmatch(r"-\w*f", word):
            return None
    return first_word(words[1:], _WITH_VALUE)


def is_inside(word: str) -> bool:
    """`*"$x"*` and `*word*`."""
    held = list(pieces(word))
    ends = bool(held) and all(p.kind is Kind.TEXT and not p.quote for p in (held[0], held[-1]))
    return ends and len(word) > 2 and held[0].text.startswith("*") and held[-1].text.endswith("*")
