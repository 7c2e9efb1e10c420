"""The two gates before the verifier: did the output parse as its format, and has it the expected shape?

Only the first can force a reward, so it follows the format alone; everything else is told by the second,
which says whether the shape was declared by the task or inferred from its instruction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adjudge.contracts import Origin, Task
from adjudge.errors import describe
from adjudge.gates.output import AgentOutput
from adjudge.gates.parse import parse_output
from adjudge.gates.parsed import Unparseable
from adjudge.tasks import schema_problems

_INFERRED = "the expected shape was inferred from the JSON example in the instruction, not declared"


@dataclass(frozen=True)
class OutputCheck:
    """The verdict of both gates; `errors` names every reason, and what was left out of a workspace."""

    output_parseable: bool
    schema_valid: bool
    errors: tuple[str, ...] = ()


def check_output(task: Task, output: AgentOutput) -> OutputCheck:
    """Judge a snapshot. Without an answer, neither gate is passed; without a schema, the second always is."""
    file = task.verifier.expected_output_path
    if output.problem is not None or output.answer is None:
        return OutputCheck(False, False, (output.problem or "no answer", *output.notes))
    schema = task.output.json_schema
    try:
        parsed = parse_output(output.answer, task.output.format, schema)
    except Unparseable as error:
        return OutputCheck(False, False, (describe(str(error), file=file), *output.notes))
    errors = [describe(problem, file=file) for problem in parsed.problems]
    shape = _shape(file, schema, parsed.value) if schema is not None and parsed.has_value else []
    errors.extend(shape)
    if task.output.schema_origin is Origin.INFERRED and (shape or (errors and not parsed.has_value)):
        errors.append(describe(_INFERRED, file=file))
    return OutputCheck(True, not errors, (*errors, *output.notes))


def _shape(file: str, schema: dict[str, Any], value: object) -> list[str]:
    try:
        problems, more = schema_problems(schema, value)
    except UnicodeEncodeError:
        return [describe("a string holds half of a surrogate pair, which no schema can judge", file=file)]
    errors = [describe(p.what, file=file, field=p.path) for p in problems]
    return [*errors, describe("and perhaps more of the like", file=file)] if more else errors
