"""`adjudge traces`: what agents did, turn by turn: attach a trace to a trial, search in many."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption, takes_filter
from adjudge.cli.shared.output import Format, Out, prints

if TYPE_CHECKING:
    from adjudge.ledger import TrialFilter


app = typed.Commands(
    help="What agents did, turn by turn: attach, search, classify.",
)


@app.command("attach")
@prints(Format.TERMINAL, Format.JSON)
def attach(
    out: Out,
    trial: Annotated[str, typed.Argument(help="A trial's id, or enough of its beginning.", metavar="TRIAL")],
    file: Annotated[
        Path, typed.Argument(help="trajectory.json, trajectory.jsonl or conversation.jsonl.", metavar="FILE")
    ],
    ledger: LedgerOption = None,
) -> None:
    """Attach a trace to a trial. Lines that cannot be read are named; the rest is kept."""
    from adjudge.ledger import open_ledger
    from adjudge.traces import attach_trace

    with open_ledger(ledger, create=False) as opened:
        trial_id = opened.find(trial)
        held = attach_trace(opened, trial_id, file)
    if out.for_programs:
        out.write_json({"trial_id": trial_id, **held})
        return
    for problem in held["problems"]:
        out.say(f"{file}: {problem}")
    unread = f", {held['unreadable']} unreadable" if held["unreadable"] else ""
    out.write(f"{trial_id}: {held['turns']} turns, {held['tool_calls']} calls{unread} ({held['format']})\n")


@app.command("search")
@takes_filter
@prints(Format.TERMINAL, Format.JSONL)
def search(
    wanted: TrialFilter,
    out: Out,
    text: Annotated[
        str, typed.Argument(help="What to look for; upper and lower case are the same.", metavar="TEXT")
    ],
    limit: Annotated[int, typed.Option("--limit", min=1, help="At most this many places.")] = 100,
    ledger: LedgerOption = None,
) -> None:
    """Find a text in the traces of trials: which trial, which turn, and what stands around it."""
    from itertools import islice

    from adjudge.ledger import open_ledger
    from adjudge.traces import find_traces, search_trace

    with open_ledger(ledger, create=False) as opened:
        ids = [record.trial_id for record in opened.iterate(wanted, streams=False)]
        traces = find_traces(opened, ids)
        hits = (
            hit
            for trial_id in ids
            if trial_id in traces
            for hit in search_trace(opened, traces[trial_id], text)
        )
        found = list(islice(hits, limit))
    if out.for_programs:
        import json

        out.write_lines(f"{json.dumps(asdict(hit), ensure_ascii=False)}\n" for hit in found)
        return
    safe = out.terminal.safe
    out.write("".join(f"{h.trial_id}  turn {h.turn}  {h.part}  {safe(h.around)}\n" for h in found))
    more = f" (the first {limit})" if len(found) == limit else ""
    out.say(f"{len(found)} places{more} in {len(traces)} traces of {len(ids)} trials")
