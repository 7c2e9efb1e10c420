"""A right answer for a task: found, or put together from what the verifier knows."""

from adjudge.audit.answers.field import FieldGolden, field_goldens, learn
from adjudge.audit.answers.right import (
    RightAnswer,
    Solved,
    find_right_answer,
    golden_files,
    solve,
)

__all__ = [
    "FieldGolden",
    "RightAnswer",
    "Solved",
    "field_goldens",
    "find_right_answer",
    "golden_files",
    "learn",
    "solve",
]
