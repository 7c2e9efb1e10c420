"""A right answer for a task: found, or put together from what the verifier knows."""

from adjudge.audit.answers.right import (
    SOLUTION,
    RightAnswer,
    Solved,
    find_right_answer,
    golden_files,
    solution_of,
    solve,
)

__all__ = ["SOLUTION", "RightAnswer", "Solved", "find_right_answer", "golden_files", "solution_of", "solve"]
