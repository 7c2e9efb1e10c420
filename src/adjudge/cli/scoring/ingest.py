"""`adjudge ingest`: verifier artifacts that were produced elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import BlobsOption, LedgerOption
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.cli.shared.progress import run_progress
from adjudge.cli.shared.running import say_how_to_resume, stoppable, tally_json
from adjudge.errors import printable


@prints(Format.TERMINAL, Format.JSON)
def command(
    out: Out,
    folder: Annotated[Path, typed.Argument(help="A folder of artifact folders.")],
    experiment: Annotated[str, typed.Option("--experiment", "-e", help="The name these trials go by.")],
    layout: Annotated[
        str | None,
        typed.Option(
            "--layout",
            help="What the folders' names mean, such as '{agent}/{attempt}/{task}'; left out, "
            "the whole path is the task. A trial.json in a folder counts more than its path.",
        ),
    ] = None,
    agent: Annotated[
        str, typed.Option("--agent", help="The agent, if neither --layout nor a trial.json names one.")
    ] = "unknown",
    ledger: LedgerOption = None,
    blobs: BlobsOption = None,
) -> None:
    """Record verifier artifacts that already exist, and list what was quarantined and why.

    A folder with an artifact such as reward.json, or a trial.json, is a trial, with all that lies below it.
    Exit code 0: every folder is a trial; 1: some were quarantined; 130: interrupted.
    """

    from adjudge.ledger import open_ledger
    from adjudge.runs import Tally, reading_folders, record_readings

    tally = Tally()
    with (
        reading_folders(folder, experiment, layout=layout, agent=agent, may_fork=True) as readings,
        open_ledger(ledger, blobs=blobs) as book,
        stoppable() as should_stop,
        run_progress(tally, "ingesting"),
    ):
        done = record_readings(book, readings, tally=tally, should_stop=should_stop)
    from adjudge.reports import terminal

    if out.for_programs:
        quarantined = [{"folder": bad.folder, "reason": bad.reason} for bad in done.quarantined]
        out.write_json({**tally_json(tally), "folders": done.found, "quarantined": quarantined})
    else:
        lines = [
            *(f"quarantined {printable(bad.folder)}: {printable(bad.reason)}" for bad in done.quarantined),
            f"{done.found} folder{'' if done.found == 1 else 's'}: {tally.done} recorded, "
            f"{len(done.quarantined)} quarantined",
        ]
        if not done.found:
            lines.insert(0, f"no artifact folder below {printable(str(folder))}: nothing was recorded")
        out.write(terminal.render_run(tally) + "".join(f"{line}\n" for line in lines))
    if tally.interrupted:
        say_how_to_resume()
    if done.quarantined:
        raise typed.Exit(1)
