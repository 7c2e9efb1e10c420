"""What the validity gate has against the goldens of tasks, for `adjudge check`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from adjudge.contracts import Origin, Severity, Task
from adjudge.gates.check import OutputCheck, check_output
from adjudge.gates.examine import examine_many
from adjudge.gates.output import read_output
from adjudge.tasks import CheckFinding, golden_paths

if TYPE_CHECKING:
    from adjudge.tasks import Remark


def check_goldens(tasks: Iterable[Task]) -> Iterator[CheckFinding]:
    """What the gate has against the goldens in `goldens/pass` of these tasks.

    All are examined at once, because a child for each would take longer than all the rest.
    """
    read = [
        (task, golden, read_output(task, golden)) for task in tasks for golden in golden_paths(task, "pass")
    ]
    shown = [one for one in read if one[2].problem is None and one[2].answer is not None]
    examined = examine_many(
        [(output.answer or b"", task.output.format, task.output.json_schema) for task, _, output in shown]
    )
    known = {golden: found for (_, golden, _), found in zip(shown, examined, strict=True)}
    for task, golden, output in read:
        report = check_output(task, output, known.get(golden))
        for remark in _about_golden(task, golden.name, report):
            yield CheckFinding(task.id, *remark)


def _about_golden(task: Task, name: str, report: OutputCheck) -> Iterator[Remark]:
    why = report.errors[0] if report.errors else ""
    if not (report.output_parseable and report.looks_right):
        severity = Severity.MEDIUM if report.output_parseable else Severity.HIGH
        yield severity, f"goldens/pass/{name} does not parse: {why}", "Mend the golden."
    elif not report.schema_valid and task.output.schema_origin is Origin.DECLARED:
        yield (
            Severity.MEDIUM,
            f"goldens/pass/{name} does not match the schema: {why}",
            "Mend one of them.",
        )
