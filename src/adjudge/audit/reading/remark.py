"""One place in a verifier's source that lets a wrong answer pass, or a right one fail.

A remark is what a careful reader would write beside a line. Nothing was run for it, so it is never worse than
medium: only a probe shows that an agent gains by it.
"""

from __future__ import annotations

from msgspec import Struct

from adjudge.audit.causes import Cause
from adjudge.contracts import Severity


class Remark(Struct, frozen=True):
    """What is wrong at one line, and what to write there."""

    cause: Cause
    severity: Severity
    """Medium or low."""
    file: str
    """Below `tests/`."""
    line: int
    code: str
    """The line itself, or the part of it that is meant."""
    title: str
    """What an answer can do there, in a few words, without a full stop."""
    advice: str
    certain: bool = False
    """Does it hold whatever probes show: a slip that nobody can have meant?"""
