"""A right answer for a task: found, or put together from what the verifier knows."""

from adjudge.audit.answers.embedded import python_in
from adjudge.audit.answers.field import FieldDoubt, FieldGolden, field_doubts, field_goldens, learn
from adjudge.audit.answers.main_file import by_main_file
from adjudge.audit.answers.opinions import (
    FieldOpinion,
    FieldTrial,
    JudgeOpinion,
    contradicts,
    field_opinions,
)
from adjudge.audit.answers.right import (
    RightAnswer,
    Solved,
    find_right_answer,
    golden_files,
    solve,
)

__all__ = [
    "FieldDoubt",
    "FieldGolden",
    "FieldOpinion",
    "FieldTrial",
    "JudgeOpinion",
    "RightAnswer",
    "Solved",
    "by_main_file",
    "contradicts",
    "field_doubts",
    "field_goldens",
    "field_opinions",
    "find_right_answer",
    "golden_files",
    "learn",
    "python_in",
    "solve",
]
