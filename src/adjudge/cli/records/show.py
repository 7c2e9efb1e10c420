"""`adjudge show`: one trial, what people said of it, and how it came to be."""

from __future__ import annotations

from typing import Annotated

import typer

from adjudge.cli.shared.options import LedgerOption
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.ledger import DISAGREEMENT_THRESHOLD


@prints(Format.TERMINAL, Format.JSON, Format.JSONL)
def command(
    out: Out,
    trial: Annotated[str, typer.Argument(help="A trial's id, or enough of its beginning.", metavar="TRIAL")],
    ledger: LedgerOption = None,
    history: Annotated[
        bool, typer.Option("--history", help="Also every earlier evaluation, with the fields that moved.")
    ] = False,
    threshold: Annotated[
        float, typer.Option(help="The lowest reward that counts as the verifier saying pass.", min=0, max=1)
    ] = DISAGREEMENT_THRESHOLD,
) -> None:
    """Show one trial: reward, validity, fields and evidence, reviews beside the reward, disagreement marked.

    --json prints the TrialRecord; with --history one per line, the current one first.
    """
    from adjudge.ledger import open_ledger

    with open_ledger(ledger, create=False) as opened:
        trial_id = opened.find(trial)
        records = opened.history(trial_id) if history else [opened.get(trial_id)]
        said = opened.annotations(trial_id) if history and not out.for_programs else []
    if out.for_programs:
        indent = None if history else 2
        out.write_lines(f"{record.model_dump_json(indent=indent)}\n" for record in records)
        return
    from adjudge.reports import terminal

    shown = terminal.render_trial(records[0], out.terminal, threshold)
    if history:
        shown += terminal.render_history(records, said, out.terminal)
    out.write(shown)
