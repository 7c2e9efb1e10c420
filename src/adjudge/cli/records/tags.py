"""`adjudge tags`: why trials failed, grouped by category, task and agent."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption, takes_filter
from adjudge.cli.shared.output import Format, Out, prints

if TYPE_CHECKING:
    from adjudge.ledger import TrialFilter


class GroupBy(StrEnum):
    """What the rows of the table are."""

    CATEGORY = "category"
    TASK = "task"
    AGENT = "agent"


@takes_filter
@prints(Format.TERMINAL, Format.JSON)
def command(
    wanted: TrialFilter,
    out: Out,
    by: Annotated[GroupBy, typed.Option("--by", help="One row for each of these.")] = GroupBy.CATEGORY,
    limit: Annotated[int, typed.Option("--limit", min=1, help="Show at most this many rows.")] = 30,
    ledger: LedgerOption = None,
) -> None:
    """Group the error tags of trials by category, task and agent.

    A trial counts once for each category it has. Filters are those of `adjudge trials`.
    """
    from adjudge.ledger import open_ledger
    from adjudge.reports import read_tag_counts, read_tag_example, tag_rows, terminal

    with open_ledger(ledger, create=False) as opened:
        counted = read_tag_counts(opened, wanted)
        rows = tag_rows(counted, by.value)
        if out.for_programs:
            out.write_json({"trials": counted.trials, "tagged": counted.tagged, by.value: rows})
            return
        shown = rows[:limit] if by is GroupBy.CATEGORY else []
        examples = {row["name"]: read_tag_example(opened, wanted, row["name"]) for row in shown}
    if not rows:
        out.say(f"no tags on the {counted.trials:,} trials that match")
        return
    out.write(terminal.render_tags(counted, rows, by.value, limit, examples, out.terminal))
