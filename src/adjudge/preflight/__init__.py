"""Before anything is scored: which tasks cannot pass here, why, and what to type."""

from adjudge.preflight.look import Obstacle, look_before
from adjudge.preflight.place import VerifierPlace, choose_place
from adjudge.preflight.words import obstacle_lines, obstacle_reason, remedy_for

__all__ = [
    "Obstacle",
    "VerifierPlace",
    "choose_place",
    "look_before",
    "obstacle_lines",
    "obstacle_reason",
    "remedy_for",
]
