"""`adjudge rescore`: today's verifiers on stored outputs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli._options import BlobsOption, LedgerOption, takes_filter
from adjudge.cli._running import (
    ExecutorChoice,
    ExecutorName,
    RayAddress,
    SandboxChoice,
    Workers,
    choose_executor,
    say_how_to_resume,
    stoppable,
)
from adjudge.errors import UsageError
from adjudge.ledger import TrialFilter, open_ledger
from adjudge.reports.printable import printable
from adjudge.reports.run_progress import run_progress
from adjudge.reports.run_summary import flip_lines, leftover_lines, rescore_table, summary_lines
from adjudge.runs import Tally, rescore
from adjudge.tasks import load_tasks

_UNBOUNDED = 10_000
"""A file or a pipe has no width that names would have to be broken for."""


@takes_filter
def command(
    wanted: TrialFilter,
    tasks: Annotated[Path, typer.Option("--tasks", help="The root that task ids are relative to.")] = Path(
        "tasks"
    ),
    again: Annotated[
        bool, typer.Option("--again", help="Also where the task has not changed since it was last scored.")
    ] = False,
    workers: Workers = None,
    executor: ExecutorChoice = ExecutorName.LOCAL,
    ray_address: RayAddress = None,
    sandbox: SandboxChoice = "auto",
    ledger: LedgerOption = None,
    blobs: BlobsOption = None,
) -> None:
    """Score stored outputs again with today's verifiers and print what changed. History stays.

    Exit code 0: done; 1: some could not be scored again; 130: interrupted.
    """
    from rich.console import Console

    found = load_tasks(tasks)
    known = {task.id: task for task in found}
    if not known:
        raise UsageError("no task was found", file=tasks, remedy="Name the root of the tasks with --tasks.")
    execute = choose_executor(executor, workers, ray_address, sandbox)
    tally = Tally()
    with open_ledger(ledger, create=False, blobs=blobs) as book:
        tally.total = book.count(wanted)
        with stoppable() as should_stop, run_progress(tally, "scoring again") as on_change:
            done = rescore(
                book,
                wanted,
                known,
                execute,
                tally=tally,
                again=again,
                should_stop=should_stop,
                on_change=on_change,
            )
    if done.changes:
        width = None if sys.stdout.isatty() else _UNBOUNDED
        Console(width=width).print(rescore_table(done.changes))
        print()
    for line in (*flip_lines(done.changes), *leftover_lines(done)):
        print(line)
    for problem in found.problems:
        if problem.id in done.no_task:
            print(printable(f"{problem.id} cannot be used: {problem.message}"))
    if not tally.total:
        print("no trial matches")
    for line in summary_lines(tally, untouched="left alone"):
        print(line)
    if tally.interrupted:
        say_how_to_resume()
    if done.not_kept or done.no_task or tally.machinery:
        raise typer.Exit(1)
