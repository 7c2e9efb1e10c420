"""`adjudge tags`: why trials failed, grouped by category, task and agent."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from adjudge.cli._options import JsonOption, LedgerOption, takes_filter
from adjudge.ledger import TrialFilter


class GroupBy(StrEnum):
    """What the rows of the table are."""

    CATEGORY = "category"
    TASK = "task"
    AGENT = "agent"


@takes_filter
def command(
    wanted: TrialFilter,
    by: Annotated[GroupBy, typer.Option("--by", help="One row for each of these.")] = GroupBy.CATEGORY,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most so many rows.")] = 30,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Group the error tags of trials by category, task and agent.

    A trial counts once for each category it has. Filters are those of `adjudge trials`.
    """
    import json

    from adjudge.ledger import open_ledger
    from adjudge.reports.tag_table import read_tag_counts, tag_rows

    with open_ledger(ledger, create=False) as opened:
        counted = read_tag_counts(opened, wanted)
        rows = tag_rows(counted, by.value)
        if as_json:
            print(json.dumps({"trials": counted.trials, "tagged": counted.tagged, by.value: rows}, indent=2))
            return
        examples = (
            {row["name"]: counted.example(opened, row["name"]) for row in rows[:limit]}
            if by is GroupBy.CATEGORY
            else {}
        )
    if not rows:
        print(f"no tags on the {counted.trials:,} trials that match", file=sys.stderr)
        return
    from adjudge.reports.tag_table import tag_lines
    from adjudge.reports.terminal import terminal_of

    for line in tag_lines(counted, rows, by.value, limit, examples, terminal_of()):
        print(line)
