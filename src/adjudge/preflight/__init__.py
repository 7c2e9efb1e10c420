"""Before anything is scored: which tasks cannot pass here, why, and what to type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.preflight.look import Obstacle, look_at_each, look_at_files, look_before
    from adjudge.preflight.place import VerifierPlace, choose_place
    from adjudge.preflight.words import obstacle_lines, obstacle_reason, remedy_for

__all__ = [
    "Obstacle",
    "VerifierPlace",
    "choose_place",
    "look_at_each",
    "look_at_files",
    "look_before",
    "obstacle_lines",
    "obstacle_reason",
    "remedy_for",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "look": ("Obstacle", "look_at_each", "look_at_files", "look_before"),
        "place": ("VerifierPlace", "choose_place"),
        "words": ("obstacle_lines", "obstacle_reason", "remedy_for"),
    },
)
