"""`adjudge tasks`: what is in a folder of tasks, and what is wrong with those that cannot be used."""

from __future__ import annotations

from typing import Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.output import Format, Out, prints


@prints(Format.TERMINAL, Format.JSON)
def command(
    out: Out,
    root: Annotated[str, typed.Argument(help="The folder that holds the tasks, at any depth; or one task.")],
) -> None:
    """List the tasks in a folder: format, output path, schema, limits.

    Exits with 0 if every task can be used, with 1 if one is broken or there is none.
    """

    from adjudge.tasks import load_tasks

    found = load_tasks(root)
    if out.for_programs:
        out.write_json(
            {
                "tasks": [task.model_dump(mode="json", exclude={"instruction"}) for task in found],
                "problems": [{"id": problem.id, "message": problem.message} for problem in found.problems],
            }
        )
    else:
        from adjudge.reports import terminal

        out.write(terminal.render_tasks(found, root, out.terminal))
    if found.problems or not found:
        raise typed.Exit(1)
