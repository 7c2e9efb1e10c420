"""Is the output fit for scoring? Read it once, parse it as its format, compare it with its schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.gates.check import OutputCheck, check_output
    from adjudge.gates.examine import expect_answers
    from adjudge.gates.goldens import check_goldens
    from adjudge.gates.output import (
        FOLDER_TYPE,
        AgentOutput,
        find_answer,
        output_of_bytes,
        read_output,
        workspace_of,
    )
    from adjudge.gates.snapshot import OutputFile

__all__ = [
    "FOLDER_TYPE",
    "AgentOutput",
    "OutputCheck",
    "OutputFile",
    "check_goldens",
    "check_output",
    "expect_answers",
    "find_answer",
    "output_of_bytes",
    "read_output",
    "workspace_of",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "check": ("OutputCheck", "check_output"),
        "examine": ("expect_answers",),
        "goldens": ("check_goldens",),
        "output": (
            "AgentOutput",
            "FOLDER_TYPE",
            "find_answer",
            "output_of_bytes",
            "read_output",
            "workspace_of",
        ),
        "snapshot": ("OutputFile",),
    },
)
