"""`adjudge tasks`: what is in a folder of tasks, and what is wrong with those that cannot be used."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adjudge.reports.printable import printable
from adjudge.tasks import TaskList, load_tasks

if TYPE_CHECKING:
    from rich.console import Console

    from adjudge.contracts import Task

_HEADINGS = ("task", "output", "format", "schema", "limits", "difficulty", "category")
_EMPTY = (
    "No tasks in {root}.\n"
    "A task is a folder with task.toml, instruction.md and tests/test.sh. "
    "Hidden folders and links to folders are not looked into. Is this the right folder?"
)


def command(
    root: Annotated[str, typer.Argument(help="The folder that holds the tasks, at any depth; or one task.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")] = False,
) -> None:
    """List the tasks in a folder: format, output path, schema, limits.

    Exits with 0 if every task can be used, with 1 if one is broken or there is none.
    """
    found = load_tasks(root)
    if as_json:
        print(json.dumps(_as_json(found), indent=2))
    else:
        _print(found, root)
    if found.problems or not found:
        sys.exit(1)


def _as_json(found: TaskList) -> dict[str, Any]:
    return {
        "tasks": [task.model_dump(mode="json", exclude={"instruction"}) for task in found],
        "problems": [{"id": problem.id, "message": problem.message} for problem in found.problems],
    }


def _print(found: TaskList, root: str) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False, markup=False)
    if not found and not found.problems:
        console.print(_EMPTY.format(root=printable(root)))
        return
    if found:
        _print_tasks(console, [_cells(task) for task in found])
    for problem in found.problems:
        console.print(Text(f"broken: {printable(problem.id)}", style="red"))
        console.print(Padding(Text(printable(problem.message)), (0, 0, 0, 2)))
    broken = f", {len(found.problems)} broken" if found.problems else ""
    console.print(f"{len(found)} task{'' if len(found) == 1 else 's'}{broken}")


def _print_tasks(console: Console, rows: list[tuple[str, ...]]) -> None:
    """A table where it fits on one line each; else a task's facts indented below its name."""
    from rich import box
    from rich.cells import cell_len
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in _HEADINGS:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    widths = [max(map(cell_len, column)) + 3 for column in zip(_HEADINGS, *rows, strict=True)]
    if sum(widths) - 3 <= console.width:
        console.print(table)
        console.print()
        return
    for name, *facts in rows:
        console.print(Text(name))
        console.print(Padding(Text(", ".join(filter(None, facts))), (0, 0, 0, 4)))


def _cells(task: Task) -> tuple[str, ...]:
    limits = task.limits
    return (
        printable(task.id),
        printable(task.verifier.expected_output_path),
        task.output.format.value,
        f"{task.output.schema_origin or 'no'} schema",
        f"{limits.wall_time_sec:g} s, {limits.memory_mb} MB",
        printable(task.metadata.difficulty or ""),
        printable(task.metadata.category or ""),
    )
