"""`adjudge ingest`: verifier artifacts that were produced elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli._options import BlobsOption, LedgerOption
from adjudge.cli._running import say_how_to_resume, stoppable
from adjudge.ledger import open_ledger
from adjudge.reports.printable import printable
from adjudge.reports.run_progress import run_progress
from adjudge.reports.run_summary import summary_lines
from adjudge.runs import Tally, ingest_folders


def command(
    folder: Annotated[Path, typer.Argument(help="A folder of artifact folders.")],
    experiment: Annotated[str, typer.Option("--experiment", "-e", help="The name these trials go by.")],
    layout: Annotated[
        str | None,
        typer.Option(
            "--layout",
            help="What the folders' names mean, such as '{agent}/{attempt}/{task}'; left out, "
            "the whole path is the task. A trial.json in a folder goes before its path.",
        ),
    ] = None,
    agent: Annotated[str, typer.Option("--agent", help="Whose they are, where nothing says so.")] = "unknown",
    ledger: LedgerOption = None,
    blobs: BlobsOption = None,
) -> None:
    """Record verifier artifacts that already exist, and list what was quarantined and why.

    A folder with an artifact such as reward.json, or a trial.json, is a trial, with all that lies below it.
    Exit code 0: every folder is a trial; 1: some were quarantined; 130: interrupted.
    """
    tally = Tally()
    with (
        open_ledger(ledger, blobs=blobs) as book,
        stoppable() as should_stop,
        run_progress(tally, "ingesting") as on_change,
    ):
        done = ingest_folders(
            book,
            folder,
            experiment,
            tally=tally,
            layout=layout,
            agent=agent,
            should_stop=should_stop,
            on_change=on_change,
        )
    for line in summary_lines(tally):
        print(line)
    if not done.found:
        print(f"no artifact folder below {printable(str(folder))}: nothing was recorded")
    for bad in done.quarantined:
        print(f"quarantined {printable(bad.folder)}: {printable(bad.reason)}")
    folders = "folder" if done.found == 1 else "folders"
    print(f"{done.found} {folders}: {tally.done} recorded, {len(done.quarantined)} quarantined")
    if tally.interrupted:
        say_how_to_resume()
    if done.quarantined:
        raise typer.Exit(1)
