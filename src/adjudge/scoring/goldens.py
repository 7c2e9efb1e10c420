"""The known right answers of a task: its passing goldens, and what its reference solution writes.

`goldens/pass/` holds outputs, a file or a whole workspace each; `[goldens] pass_at_least` says what they must
reach, 1.0 if nothing is said.
"""

from __future__ import annotations

from pathlib import Path

from adjudge.contracts import Task
from adjudge.scoring.solution import solution_of
from adjudge.tasks import golden_paths, golden_settings


def pass_mark(task: Task, golden: Path) -> float:
    """The reward that a passing golden must reach; 1.0 if `task.toml` does not say, or says nonsense."""
    settings = golden_settings(task)
    return settings.rewards.get(f"pass/{golden.name}", settings.pass_at_least)


def has_right_answer(task: Task) -> bool:
    """Is there anything a control could try?"""
    return bool(golden_paths(task, "pass")) or solution_of(task) is not None
