"""`adjudge check`: the fast static look at a folder of tasks; nothing of them is run."""

from __future__ import annotations

from typing import Annotated

import typer

from adjudge.cli._output import Format, Out, prints
from adjudge.contracts import Severity
from adjudge.errors import UsageError
from adjudge.gates import check_goldens
from adjudge.tasks import check_tasks, load_tasks


@prints(Format.TERMINAL, Format.JSON)
def command(
    out: Out,
    root: Annotated[str, typer.Argument(help="The folder that holds the tasks, at any depth; or one task.")],
    fail_on: Annotated[
        Severity,
        typer.Option("--fail-on", help="Exit with 3 if a finding has this severity or a higher one."),
    ] = Severity.HIGH,
) -> None:
    """Check tasks without running them: structure, verifier, output path, schema, goldens, limits.

    Exit codes: 0 no finding at or above --fail-on; 2 wrong usage, or there is no task; 3 otherwise.
    """
    found = load_tasks(root)
    count = len(found) + len(found.problems)
    if not count:
        raise UsageError("no tasks there", file=root, remedy="Name the folder that holds the tasks.")
    findings = sorted(check_tasks(found, check_goldens), key=lambda f: (f.severity.rank, f.task_id))
    if out.for_programs:
        rows = [
            {"task": f.task_id, "severity": f.severity.value, "what": f.what, "remedy": f.remedy}
            for f in findings
        ]
        out.write_json({"tasks": count, "findings": rows})
    else:
        from adjudge.reports import terminal

        out.write(terminal.render_findings(findings, count, out.terminal))
    if findings and findings[0].severity.rank <= fail_on.rank:
        raise typer.Exit(3)
