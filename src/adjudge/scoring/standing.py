"""What became of a control: a known right answer of a task, scored here."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from adjudge.evidence import Sign


class Standing(StrEnum):
    """Whether a verifier can pass its own right answer here."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    """The right answer could not be made here, which says nothing of the verifier."""
    NONE = "none"
    """The task has no right answer to try."""


class Control(Struct, frozen=True):
    """The control of one task in one sandbox; `says` names the answer and what it got."""

    standing: Standing
    says: str
    signs: tuple[Sign, ...] = ()
    """The signs that its run showed; one that passed clears them."""


NO_CONTROL = Control(Standing.NONE, "the task has no golden and no solution")
