"""`adjudge export`: trials in other people's formats."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli._options import LedgerOption, takes_filter
from adjudge.ledger import TrialFilter

app = typer.Typer(help="Write trials in other people's formats.", no_args_is_help=True)


@app.callback()
def root() -> None:
    pass


@app.command("harbor")
@takes_filter
def harbor(
    target: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where the job folders go; `harbor view` opens it.")
    ],
    *,
    wanted: TrialFilter,
    ledger: LedgerOption = None,
) -> None:
    """Write trials as Harbor job folders, one an experiment. Exporting again adds only what is new."""
    from adjudge.integrations.harbor import export_jobs
    from adjudge.ledger import open_ledger
    from adjudge.reports.printable import printable

    with open_ledger(ledger, create=False) as book:
        done = export_jobs(book, wanted, target)
    print(f"{done.trials} trials written, {done.already} were there already")
    for experiment, folder in sorted(done.jobs.items()):
        print(f"  {printable(experiment)}: {printable(str(folder))}")
    print(f"open them with: harbor view {printable(str(target))}")
