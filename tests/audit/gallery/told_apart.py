"""Sound verifiers that look flawed to a probe, each beside the flaw that it looks like."""

from __future__ import annotations

from adjudge.audit import Cause, Section
from adjudge.contracts import Severity
from audit.gallery.other_tongues import other

_FIELDS = Section.DISCRIMINATION
_MEDIUM = Severity.MEDIUM

_BOOKED = (
    "Book a visit and write one line to `/workspace/booked.txt`: the word BOOKED, the host's address and the "
    "start, as in `BOOKED jo.berg@lab.example 20260309T080000Z`. Only the first such line counts."
)
_LINE = "BOOKED anna.kern@lab.example 20260312T093000Z\n"

TOLD_APART_FLAWED = [
    other(
        "any-line-that-is-booked",
        _BOOKED.replace(" Only the first such line counts.", ""),
        ("booked.txt", _LINE),
        script="""
        reward=0
        grep -q "^BOOKED anna.kern@lab.example 20260312T093000Z$" /workspace/booked.txt && reward=1
        echo $reward > /logs/verifier/reward.txt
        """,
        section=_FIELDS,
        cause=Cause.HEDGED,
        severity=_MEDIUM,
    ),
]
TOLD_APART_SOUND = [
    other(
        "first-line-that-is-booked",
        _BOOKED,
        ("booked.txt", _LINE),
        python="""
        lines = [line.strip() for line in body("/workspace/booked.txt").splitlines()]
        booked = [line for line in lines if line.startswith("BOOKED ")][:1]
        out(float(booked == ["BOOKED anna.kern@lab.example 20260312T093000Z"]))
        """,
    ),
]
