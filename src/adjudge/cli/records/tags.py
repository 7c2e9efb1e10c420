"""`adjudge tags`: why trials failed, grouped by category, task and agent."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption, takes_filter
from adjudge.cli.shared.output import Format, Out, prints

if TYPE_CHECKING:
    from adjudge.ledger import Ledger, TrialFilter


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

    A trial counts once for each category it has. If judges classified failures of trials with a trace, a
    category says at which turn they began. Filters are those of `adjudge trials`.
    """
    from adjudge.ledger import open_ledger
    from adjudge.reports import read_tag_counts, read_tag_example, tag_rows, terminal

    with open_ledger(ledger, create=False) as opened:
        counted = read_tag_counts(opened, wanted)
        rows = tag_rows(counted, by.value)
        if by is GroupBy.CATEGORY:
            _add_turns(opened, wanted, rows)
        if out.for_programs:
            out.write_json({"trials": counted.trials, "tagged": counted.tagged, by.value: rows})
            return
        shown = rows[:limit] if by is GroupBy.CATEGORY else []
        examples = {row["name"]: read_tag_example(opened, wanted, row["name"]) for row in shown}
    if not rows:
        out.say(f"no tags on the {counted.trials:,} trials that match")
        return
    out.write(terminal.render_tags(counted, rows, by.value, limit, examples, out.terminal))


def _add_turns(ledger: Ledger, wanted: TrialFilter, rows: list[dict[str, Any]]) -> None:
    """At which turns the failures of each category began, if judges said so."""
    from adjudge.judges import began_at_turns

    if not any("failure classification" in kind for kind in ledger.info().attachments):
        return
    turns = began_at_turns(ledger, [record.trial_id for record in ledger.iterate(wanted, streams=False)])
    for row in rows:
        if row["name"] in turns:
            row["began_at_turns"] = turns[row["name"]]
