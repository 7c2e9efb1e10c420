"""The validity gate before the verifier: did the output parse as its format, and has it the expected shape?

Only parsing can force a reward, so it follows the format alone. Everything else is a matter of shape, and is
told together with whether the task declared the shape or adjudge inferred it from the instruction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from adjudge.contracts import Origin, Severity, Task
from adjudge.errors import describe
from adjudge.gates.output import AgentOutput, read_output
from adjudge.gates.parse import parse_output
from adjudge.gates.parsed import Unparseable
from adjudge.tasks import Remark, golden_paths, schema_problems

_INFERRED = "the expected shape was inferred from the JSON example in the instruction, not declared"


@dataclass(frozen=True)
class OutputCheck:
    """What the validity gate says; `errors` names every reason, and what was left out of a workspace."""

    output_parseable: bool
    schema_valid: bool
    errors: tuple[str, ...] = ()


def check_output(task: Task, output: AgentOutput) -> OutputCheck:
    """Check a snapshot. Without an answer neither flag is set; without a schema every shape will do."""
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
        return [describe("a string holds half of a surrogate pair, which no schema can check", file=file)]
    errors = [describe(p.what, file=file, field=p.path) for p in problems]
    return (
        [*errors, describe("there may be more such differences; these are the first", file=file)]
        if more
        else errors
    )


def check_goldens(task: Task) -> Iterator[Remark]:
    """What the gate has against the goldens in `goldens/pass`; nothing if there are none."""
    for golden in golden_paths(task, "pass"):
        report = check_output(task, read_output(task, golden))
        why = report.errors[0] if report.errors else ""
        if not report.output_parseable:
            yield Severity.HIGH, f"goldens/pass/{golden.name} does not parse: {why}", "Mend the golden."
        elif not report.schema_valid and task.output.schema_origin is Origin.DECLARED:
            yield (
                Severity.MEDIUM,
                f"goldens/pass/{golden.name} does not match the schema: {why}",
                "Mend one of them.",
            )
