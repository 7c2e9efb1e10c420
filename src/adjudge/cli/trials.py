"""`adjudge trials`: the trials of a ledger, filtered and sorted."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli._options import JsonOption, LedgerOption, takes_filter
from adjudge.ledger import Sort, TrialFilter

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

_SHOWN = 50


@takes_filter
def command(
    wanted: TrialFilter,
    ledger: LedgerOption = None,
    sort: Annotated[Sort, typer.Option("--sort", help="In which order.")] = Sort.NEWEST,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help=f"At most so many. [default: {_SHOWN}; with --json, all]"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List trials: filter by experiment, agent, model, task, tag, reward, validity, annotation, disagreement.

    --json prints one TrialRecord a line. Options of one kind widen, of different kinds narrow.
    """
    from adjudge.ledger import open_ledger

    with open_ledger(ledger, create=False) as opened:
        if as_json:
            records = opened.iterate(wanted, sort=sort)
            for record in records if limit is None else islice(records, limit):
                print(record.model_dump_json())
        else:
            _print_table(opened, wanted, sort, limit or _SHOWN)


def _print_table(ledger: Ledger, wanted: TrialFilter, sort: Sort, limit: int) -> None:
    from adjudge.reports.terminal import terminal_of
    from adjudge.reports.trial_table import trial_lines

    terminal = terminal_of()
    records = islice(ledger.iterate(wanted, sort=sort, streams=False), limit)
    shown = 0
    for line in trial_lines(records, terminal, wanted.threshold):
        print(line)
        shown += 1
    shown = max(shown - 1, 0)
    if shown == limit and (total := ledger.count(wanted)) > shown:
        print(terminal.paint(f"{shown} of {total:,} trials; --limit N shows more", "dim"))
    elif shown:
        print(terminal.paint(f"{shown} trial{'' if shown == 1 else 's'}", "dim"))
    else:
        print(_nothing(ledger, wanted), file=sys.stderr)


def _nothing(ledger: Ledger, wanted: TrialFilter) -> str:
    """Why the list may be empty: what there is instead."""
    experiments = ledger.info().experiments
    if not experiments:
        return f"{ledger.location} holds no trials yet."
    from adjudge.reports.printable import printable

    unknown = [name for name in wanted.experiment if name not in experiments]
    known = ", ".join(f"{printable(name)} ({count:,})" for name, count in list(experiments.items())[:20])
    why = f"; no experiment is named {printable(unknown[0])}" if unknown else ""
    return f"no trial matches{why}. The experiments are: {known}"
