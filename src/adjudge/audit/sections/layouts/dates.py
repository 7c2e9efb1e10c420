"""Dates in another layout that the task allows: `2024-02-29` where it says `YYYY-MM-DD or DD.MM.YYYY`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from adjudge.audit.causes import Cause
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.contracts import Severity

_LAYOUT = re.compile(
    r"(?<![\w%])(?:YYYY([-/.])MM\1DD|(?:DD([-/.])MM|MM([-/.])DD)[-/.]YYYY|YYYYMMDD)(?!\w)", re.I
)
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n\s*\n|\n(?=[-*|] )")
_CHOICE = re.compile(r"\bor\b|\beither\b|\bboth\b|\bany of\b|/ ?`", re.I)
_PARTS = {"YYYY": r"(?P<y>(?:19|20)\d\d)", "MM": r"(?P<m>0[1-9]|1[0-2])", "DD": r"(?P<d>0[1-9]|[12]\d|3[01])"}
_ADVICE = "Read every layout of a date that the task allows, and compare dates."


def allowed_dates(instruction: str, text: str) -> Iterator[Rewrite]:
    """The answer's dates in each other layout of a sentence that names several; nothing if it names one."""
    for sentence in _SENTENCE.split(instruction):
        layouts = list(dict.fromkeys(match[0].upper() for match in _LAYOUT.finditer(sentence)))
        if len(layouts) < 2 or not _CHOICE.search(sentence):
            continue
        for own in layouts:
            for other in layouts:
                written = _pattern(own).sub(partial(_written, other), text)
                if other != own and written != text:
                    what = f"dates as {other}, which the task allows"
                    yield Rewrite(
                        f"told-date-{other.lower()}",
                        what,
                        written.encode(),
                        Severity.MEDIUM,
                        _ADVICE,
                        Cause.SPELLING,
                    )


def _pattern(layout: str) -> re.Pattern[str]:
    inside = re.escape(layout)
    for part, digits in _PARTS.items():
        inside = inside.replace(part, digits)
    return re.compile(rf"(?<![\d./-]){inside}(?![\d/-]|\.\d)")


def _written(layout: str, found: re.Match[str]) -> str:
    return layout.replace("YYYY", found["y"]).replace("MM", found["m"]).replace("DD", found["d"])
