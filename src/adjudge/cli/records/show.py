"""`adjudge show`: one trial, what people said of it, and how it came to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.errors import UsageError
from adjudge.ledger import DISAGREEMENT_THRESHOLD

if TYPE_CHECKING:
    from adjudge.contracts import TrialRecord
    from adjudge.ledger import Ledger


@prints(Format.TERMINAL, Format.JSON, Format.JSONL)
def command(
    out: Out,
    trial: Annotated[str, typed.Argument(help="A trial's id, or enough of its beginning.", metavar="TRIAL")],
    ledger: LedgerOption = None,
    history: Annotated[
        bool, typed.Option("--history", help="Also every earlier evaluation, with the fields that moved.")
    ] = False,
    trace: Annotated[
        bool, typed.Option("--trace", help="Also what the agent did, turn by turn; with --json only that.")
    ] = False,
    threshold: Annotated[
        float, typed.Option(help="The lowest reward that counts as the verifier saying pass.", min=0, max=1)
    ] = DISAGREEMENT_THRESHOLD,
) -> None:
    """Show one trial: reward, validity, fields and evidence, reviews beside the reward, disagreement marked.

    --json prints the TrialRecord; with --history one per line, the current one first; with --trace one turn
    per line instead.
    """
    from adjudge.judges import newest_calibrations, read_judgements
    from adjudge.ledger import open_ledger

    with open_ledger(ledger, create=False) as opened:
        trial_id = opened.find(trial)
        records = opened.history(trial_id) if history else [opened.get(trial_id)]
        said = opened.annotations(trial_id) if history and not out.for_programs else []
        judgements = [] if out.for_programs else read_judgements(opened, [trial_id]).get(trial_id, [])
        known = newest_calibrations(opened) if judgements else {}
        if trace:
            _write_trace(opened, records[0], out, threshold)
            return
    if out.for_programs:
        indent = None if history else 2
        out.write_lines(f"{record.model_dump_json(indent=indent)}\n" for record in records)
        return
    from adjudge.reports import terminal

    shown = terminal.render_trial(records[0], out.terminal, threshold)
    if history:
        shown += terminal.render_history(records, said, out.terminal)
    if judgements:
        shown += terminal.render_judgements(judgements, known, out.terminal)
    out.write(shown)


def _write_trace(ledger: Ledger, record: TrialRecord, out: Out, threshold: float) -> None:
    from adjudge.traces import BadTurn, find_traces, turns_of

    found = find_traces(ledger, [record.trial_id]).get(record.trial_id)
    if found is None:
        raise UsageError(
            "this trial has no trace",
            file=ledger.location,
            found=record.trial_id,
            remedy="Attach one: adjudge traces attach TRIAL FILE.",
        )
    turns = turns_of(ledger, found)
    if out.for_programs:
        import json

        out.write_lines(
            f"{json.dumps({'line': turn.line, 'unreadable': turn.why})}\n"
            if isinstance(turn, BadTurn)
            else f"{turn.model_dump_json()}\n"
            for turn in turns
        )
        return
    from adjudge.reports import terminal

    shown = terminal.render_trial(record, out.terminal, threshold)
    out.write(shown + terminal.render_trace(found.name, turns, out.terminal))
