"""Do a task's own right answers pass the validity gate? One that does not is a mistake of the task."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.contracts import Origin, Severity, Task
from adjudge.gates.check import check_output
from adjudge.gates.output import read_output
from adjudge.tasks import Remark, golden_paths


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
