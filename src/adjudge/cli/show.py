"""`adjudge show`: one trial, what people said of it, and how it came to be."""

from __future__ import annotations

from typing import Annotated

import typer

from adjudge.cli._options import JsonOption, LedgerOption
from adjudge.ledger import DISAGREEMENT_THRESHOLD


def command(
    trial: Annotated[str, typer.Argument(help="A trial's id, or enough of its beginning.", metavar="TRIAL")],
    ledger: LedgerOption = None,
    history: Annotated[
        bool, typer.Option("--history", help="Also every earlier evaluation, with the fields that moved.")
    ] = False,
    threshold: Annotated[
        float, typer.Option(help="The reward from which on a verifier counts as saying pass.", min=0, max=1)
    ] = DISAGREEMENT_THRESHOLD,
    as_json: JsonOption = False,
) -> None:
    """Show one trial: reward, gates, fields and evidence, reviews beside the reward, disagreement marked.

    --json prints the TrialRecord; with --history one a line, the current one first.
    """
    from adjudge.ledger import open_ledger

    with open_ledger(ledger, create=False) as opened:
        trial_id = opened.find(trial)
        records = opened.history(trial_id) if history else [opened.get(trial_id)]
        said = opened.annotations(trial_id) if history and not as_json else []
    if as_json:
        for record in records:
            print(record.model_dump_json(indent=None if history else 2))
        return
    from adjudge.reports.terminal import terminal_of
    from adjudge.reports.trial_view import history_lines, trial_view

    terminal = terminal_of()
    for line in trial_view(records[0], terminal, threshold):
        print(line)
    if history:
        for line in history_lines(records, said, terminal):
            print(line)
