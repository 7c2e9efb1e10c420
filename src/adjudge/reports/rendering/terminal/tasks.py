"""Tasks in a terminal: what a folder holds, and what `adjudge check` has to say about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from adjudge.contracts import Severity, Task
from adjudge.errors import Problem
from adjudge.reports.rendering.terminal.canvas import Terminal, joined, wrap
from adjudge.reports.rendering.terminal.layout import safe, sentence_lines, table_lines
from adjudge.tasks import CheckFinding, TaskList

_HEADS = ("task", "output", "format", "schema", "limits", "difficulty", "category")
_COLOURS = {Severity.HIGH: ("red",), Severity.MEDIUM: ("yellow",), Severity.INFO: ("dim",)}


@joined
def render_tasks(found: TaskList, root: str, terminal: Terminal) -> Iterator[str]:
    """The tasks of a folder, then those that cannot be used and why; an empty folder says what a task is."""
    if not found and not found.problems:
        yield from sentence_lines(f"No tasks in {root}.", terminal)
        yield from sentence_lines(
            "A task is a folder with task.toml, instruction.md and tests/test.sh. "
            "Hidden folders and links to folders are not looked into. Is this the right folder?",
            terminal,
        )
        return
    if found:
        yield from table_lines(_HEADS, [_cells(task) for task in found], terminal)
        yield ""
    for problem in found.problems:
        yield from sentence_lines(f"broken: {problem.id}", terminal, "red")
        yield from (f"  {line}" for line in wrap(safe(terminal, problem.message), terminal.width - 2))
    broken = f", {len(found.problems)} broken" if found.problems else ""
    yield f"{len(found)} task{'' if len(found) == 1 else 's'}{broken}"


@joined
def render_findings(findings: Sequence[CheckFinding], tasks: int, terminal: Terminal) -> Iterator[str]:
    """What a check of so many tasks found, then how often."""
    for finding in findings:
        remark = Problem(finding.what, remedy=finding.remedy)
        text = f"{finding.severity}: {finding.task_id}: {remark}"
        yield from sentence_lines(text, terminal, *_COLOURS.get(finding.severity, ()))
    tally = Counter(finding.severity for finding in findings)
    counts = ", ".join(f"{tally[severity]} {severity}" for severity in Severity if tally[severity])
    yield f"{tasks} task{'' if tasks == 1 else 's'} checked: {counts or 'nothing found'}"


def _cells(task: Task) -> tuple[str, ...]:
    limits = task.limits
    return (
        task.id,
        task.verifier.expected_output_path,
        task.output.format.value,
        task.output.schema_origin or "none",
        f"{limits.wall_time_sec:g} s, {limits.memory_mb} MB",
        task.metadata.difficulty or "",
        task.metadata.category or "",
    )
