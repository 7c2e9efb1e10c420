"""A right answer written in another way, and how bad it is if that costs its reward."""

from __future__ import annotations

from msgspec import Struct

from adjudge.audit.causes import Cause
from adjudge.contracts import Severity

READ = "Read the answer with adjudge_kit's read_answer, which accepts this, or strip it before parsing."


class Rewrite(Struct, frozen=True):
    """The right answer in other clothes."""

    name: str
    what: str
    data: bytes
    severity: Severity
    advice: str = READ
    cause: Cause = Cause.LAYOUT
