"""The validity gate before the verifier: did the output parse as its format, and has it the expected shape?

Only parsing can force a reward, so it follows the format alone. Everything else is a matter of shape, and is
told together with whether the task declared the shape or adjudge inferred it from the instruction.
"""

from __future__ import annotations

from msgspec import Struct

from adjudge.contracts import Origin, Task
from adjudge.errors import describe
from adjudge.gates.examine import Examined, examine
from adjudge.gates.output import AgentOutput

_GUESSED = "the format {} was guessed from the name, not declared, so the verifier's reward stands"
_INFERRED = "the expected shape was inferred from the JSON example in the instruction, not declared"


class OutputCheck(Struct, frozen=True):
    """What the validity gate says; `errors` names every reason, and what was left out of a workspace."""

    output_parseable: bool
    schema_valid: bool
    errors: tuple[str, ...] = ()
    looks_right: bool = True
    """False for an answer that does not parse as the format that was guessed for it."""


def check_output(task: Task, output: AgentOutput, found: Examined | None = None) -> OutputCheck:
    """Check a snapshot. Without an answer neither flag is set; without a schema every shape will do.

    Only a declared format can make an output unparseable: what was guessed is told as a matter of shape.
    `found` is what the examination of the answer said, if it was made already.
    """
    file = task.verifier.expected_output_path
    if output.problem is not None:
        return OutputCheck(False, False, (output.problem, *output.notes))
    if output.answer is None:  # a folder, or one of several files: only the verifier knows what it needs
        return OutputCheck(True, True, output.notes)
    if found is None:
        found = examine(output.answer, task.output.format, task.output.json_schema)
    if found.unparseable is not None:
        errors = [describe(found.unparseable, file=file)]
        declared = task.output.format_origin is Origin.DECLARED
        if not declared:
            errors.append(describe(_GUESSED.format(task.output.format.value), file=file))
        return OutputCheck(not declared, False, (*errors, *output.notes), looks_right=False)
    errors = [describe(problem, file=file) for problem in found.problems]
    errors += (describe(what, file=file, field=place) for place, what in found.shape)
    if found.more:
        errors.append(describe("there may be more such differences; these are the first", file=file))
    if task.output.schema_origin is Origin.INFERRED and (found.shape or (errors and not found.has_value)):
        errors.append(describe(_INFERRED, file=file))
    return OutputCheck(True, not errors, (*errors, *output.notes))
