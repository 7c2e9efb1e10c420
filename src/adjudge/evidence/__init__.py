"""Could a verifier do its work here? Signs in what it said, what was seen of it, and what its files show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.evidence.command_line import UV_VALUES, started_by_uv, unwrapped
    from adjudge.evidence.hooks import hook_environment, hook_files
    from adjudge.evidence.observe import observing, take_notes
    from adjudge.evidence.scene import Scene, scene_of
    from adjudge.evidence.shell import Command, read_script
    from adjudge.evidence.sign import Lack, Sign, SignKind
    from adjudge.evidence.static import StaticLook, asks_for_more, look_at, needs_of
    from adjudge.evidence.surroundings import surroundings_of
    from adjudge.evidence.weighing import how_it_ended, weigh
    from adjudge.evidence.words import listen

__all__ = [
    "UV_VALUES",
    "Command",
    "Lack",
    "Scene",
    "Sign",
    "SignKind",
    "StaticLook",
    "asks_for_more",
    "hook_environment",
    "hook_files",
    "how_it_ended",
    "listen",
    "look_at",
    "needs_of",
    "observing",
    "read_script",
    "scene_of",
    "started_by_uv",
    "surroundings_of",
    "take_notes",
    "unwrapped",
    "weigh",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "command_line": ("UV_VALUES", "started_by_uv", "unwrapped"),
        "hooks": ("hook_environment", "hook_files"),
        "observe": ("observing", "take_notes"),
        "scene": ("Scene", "scene_of"),
        "shell": ("Command", "read_script"),
        "sign": ("Lack", "Sign", "SignKind"),
        "static": ("StaticLook", "asks_for_more", "look_at", "needs_of"),
        "surroundings": ("surroundings_of",),
        "weighing": ("how_it_ended", "weigh"),
        "words": ("listen",),
    },
)
