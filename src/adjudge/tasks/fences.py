"""Fenced code blocks in Markdown, read the way agents write them rather than the way a standard says.

A fence opens with three or more backticks or tildes at any indentation (lists indent them) and closes with
the same character, at least as many, and nothing after. One that never closes runs to the end of the text,
or to the next labelled fence: a forgotten closing line must not swallow the answer below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from adjudge._lazy import late_pattern

# Backticks may not stand in a backtick fence's label: ```json {"a": 1}``` on one line is inline code.
_OPEN = late_pattern(r"^[ \t]*(?P<mark>`{3,}(?=[^`]*$)|~{3,})[ \t]*(?P<label>.*?)[ \t]*$")


class Fence(Struct, frozen=True):
    """One fenced block: `line` is the 1-based line on which its content starts."""

    label: str
    """The first word after the fence, in lower case: `json`; empty if there is none."""
    content: str
    line: int
    closed: bool


def find_fences(text: str) -> Iterator[Fence]:
    """Every fenced block in order. Linear in the length of the text; line ends may be LF or CRLF."""
    mark, label, start = "", "", 0
    content: list[str] = []
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.removesuffix("\r")
        # Trying the pattern on every line would be slow for megabytes of prose; most lines hold no fence.
        opening = _OPEN.match(line) if "```" in line or "~~~" in line else None
        if mark and _closes(line, mark):
            yield Fence(label, "\n".join(content), start, True)
            mark = ""
        elif opening and (not mark or (opening["mark"] == mark and opening["label"])):
            if mark:
                yield Fence(label, "\n".join(content), start, False)
            mark, label, start, content = opening["mark"], _first_word(opening["label"]), number + 1, []
        elif mark:
            content.append(line)
    if mark:
        yield Fence(label, "\n".join(content), start, False)


def _closes(line: str, mark: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(mark) and not stripped.strip(mark[0])


def _first_word(label: str) -> str:
    """`JSON title="x"`, `{.json}` and `json,linenos` all say json."""
    word = re.match(r"[{.\s]*([A-Za-z0-9+#_-]*)", label)
    return word[1].lower() if word else ""
