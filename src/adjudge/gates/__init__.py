"""Is the output fit for scoring? Read it once, parse it as its format, compare it with its schema."""

from adjudge.gates.check import OutputCheck, check_goldens, check_output
from adjudge.gates.output import FOLDER_TYPE, AgentOutput, find_answer, read_output, workspace_of
from adjudge.gates.snapshot import OutputFile

__all__ = [
    "FOLDER_TYPE",
    "AgentOutput",
    "OutputCheck",
    "OutputFile",
    "check_goldens",
    "check_output",
    "find_answer",
    "read_output",
    "workspace_of",
]
