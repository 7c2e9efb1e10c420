"""Let a model try to pass a task without solving it, and to mend the verifier that let it through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.redteam.harden import HardenedVerifier, RefusedPatch, propose_patch
    from adjudge.redteam.kept import fooling_answers, keep_attempts
    from adjudge.redteam.team import RedTeam, attack_task

__all__ = [
    "HardenedVerifier",
    "RedTeam",
    "RefusedPatch",
    "attack_task",
    "fooling_answers",
    "keep_attempts",
    "propose_patch",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "harden": ("HardenedVerifier", "RefusedPatch", "propose_patch"),
        "kept": ("fooling_answers", "keep_attempts"),
        "team": ("RedTeam", "attack_task"),
    },
)
