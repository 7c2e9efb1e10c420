"""`adjudge import`: bring trials that others ran into the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption
from adjudge.cli.shared.output import Format, Out, prints

app = typed.Commands(help="Bring trials that others ran into the ledger.")


@app.command("harbor")
@prints(Format.TERMINAL, Format.JSON)
def harbor(
    out: Out,
    jobs: Annotated[
        list[Path],
        typed.Argument(metavar="JOB_DIR...", help="Job folders, folders of them, or single trial folders."),
    ],
    experiment: Annotated[
        str | None,
        typed.Option(
            "--experiment", "-e", metavar="NAME", help="The name these trials go by. [default: the job's]"
        ),
    ] = None,
    tasks: Annotated[
        Path | None,
        typed.Option(
            "--tasks", metavar="ROOT", help="The tasks' folder: outputs are checked, and can be scored again."
        ),
    ] = None,
    reward_key: Annotated[
        str, typed.Option("--reward-key", metavar="KEY", help="The key of reward.json that is the reward.")
    ] = "reward",
    ledger: LedgerOption = None,
) -> None:
    """Import Harbor jobs: finished, running or crashed, old or new. Importing again adds only what is new.

    Exit code 0: every trial folder is in the ledger; 1: some are not, and the reasons are printed.
    """
    from adjudge.integrations.harbor import import_jobs, import_json, import_lines, import_progress
    from adjudge.ledger import open_ledger

    with open_ledger(ledger) as book, import_progress(quiet=out.for_programs) as on_progress:
        summary = import_jobs(
            book, jobs, experiment=experiment, tasks=tasks, reward_key=reward_key, on_progress=on_progress
        )
        where = book.location
    if out.for_programs:
        out.write_json(import_json(summary))
    else:
        out.write("".join(f"{line}\n" for line in import_lines(summary, where)))
    for conflict in summary.conflicts:
        out.say(f"not imported: {conflict}")
    if summary.conflicts:
        raise typed.Exit(1)
