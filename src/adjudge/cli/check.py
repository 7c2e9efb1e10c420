"""`adjudge check`: the fast static look at a folder of tasks; nothing of them is run."""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated

import typer

from adjudge.cli._options import JsonOption
from adjudge.contracts import Severity
from adjudge.errors import Problem, UsageError
from adjudge.gates import check_goldens
from adjudge.tasks import check_tasks, load_tasks


def command(
    root: Annotated[str, typer.Argument(help="The folder that holds the tasks, at any depth; or one task.")],
    fail_on: Annotated[
        Severity, typer.Option("--fail-on", help="Exit with 3 where a finding is at least so bad.")
    ] = Severity.HIGH,
    as_json: JsonOption = False,
) -> None:
    """Check tasks without running them: structure, verifier, output path, schema, goldens, limits.

    Exit codes: 0 nothing at or above --fail-on; 2 wrong usage, also where there is no task; 3 otherwise.
    """
    found = load_tasks(root)
    count = len(found) + len(found.problems)
    if not count:
        raise UsageError("no tasks there", file=root, remedy="Name the folder that holds the tasks.")
    findings = sorted(check_tasks(found, check_goldens), key=lambda f: (f.severity.rank, f.task_id))
    if as_json:
        rows = [
            {"task": f.task_id, "severity": f.severity.value, "what": f.what, "remedy": f.remedy}
            for f in findings
        ]
        print(json.dumps({"tasks": count, "findings": rows}, indent=2))
    else:
        from adjudge.reports.layout import sentence_lines
        from adjudge.reports.terminal import terminal_of

        terminal = terminal_of()
        colours = {Severity.HIGH: "red", Severity.MEDIUM: "yellow", Severity.INFO: "dim"}
        for finding in findings:
            colour = colours.get(finding.severity)
            remark = Problem(finding.what, remedy=finding.remedy)
            text = f"{finding.severity}: {finding.task_id}: {remark}"
            for line in sentence_lines(text, terminal, *([colour] if colour else [])):
                print(line)
        tally = Counter(finding.severity for finding in findings)
        counts = ", ".join(f"{tally[severity]} {severity}" for severity in Severity if tally[severity])
        print(f"{count} task{'' if count == 1 else 's'} checked: {counts or 'nothing found'}")
    if findings and findings[0].severity.rank <= fail_on.rank:
        raise typer.Exit(3)
