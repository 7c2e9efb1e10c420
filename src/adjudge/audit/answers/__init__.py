"""A right answer for a task: found, or put together from what the verifier knows."""

from adjudge.audit.answers.field import FieldGolden, field_goldens, learn
from adjudge.audit.answers.right import (
    SOLUTION,
    RightAnswer,
    Solved,
    find_right_answer,
    golden_files,
    solution_of,
    solve,
)

__all__ = [
    "SOLUTION",
    "FieldGolden",
    "RightAnswer",
    "Solved",
    "field_goldens",
    "find_right_answer",
    "golden_files",
    "learn",
    "solution_of",
    "solve",
]
