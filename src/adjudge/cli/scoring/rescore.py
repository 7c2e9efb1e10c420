"""`adjudge rescore`: today's verifiers on stored outputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import to_builtins

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import BlobsOption, LedgerOption, takes_filter
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.cli.shared.place import OutputPathOption, Preflight, takes_place, takes_preflight
from adjudge.cli.shared.progress import run_progress
from adjudge.cli.shared.running import (
    ExecutorChoice,
    say_how_to_resume,
    stoppable,
    takes_executor,
    tally_json,
)
from adjudge.errors import UsageError, printable

if TYPE_CHECKING:
    from adjudge.ledger import TrialFilter
    from adjudge.preflight import VerifierPlace


@takes_filter
@prints(Format.TERMINAL, Format.JSON)
@takes_executor
@takes_place
@takes_preflight
def command(
    wanted: TrialFilter,
    out: Out,
    executor: ExecutorChoice,
    place: VerifierPlace,
    preflight: Preflight,
    tasks: Annotated[Path, typed.Option("--tasks", help="The root that task ids are relative to.")] = Path(
        "tasks"
    ),
    again: Annotated[
        bool, typed.Option("--again", help="Also trials whose task has not changed since they were scored.")
    ] = False,
    output_path: OutputPathOption = None,
    ledger: LedgerOption = None,
    blobs: BlobsOption = None,
) -> None:
    """Score stored outputs again with today's verifiers and print what changed. History stays.

    Exit code 0: done; 1: some could not be scored again; 130: interrupted.
    """

    from adjudge.ledger import open_ledger
    from adjudge.reports import terminal
    from adjudge.runs import Tally, choose_executor, rescore
    from adjudge.tasks import load_tasks

    found = load_tasks(tasks, output_path=output_path)
    known = {task.id: task for task in found}
    if not known:
        raise UsageError("no task was found", file=tasks, remedy="Name the root of the tasks with --tasks.")
    sandbox = executor.sandbox_for(place, list(found), preflight)
    execute = choose_executor(executor.name, executor.workers, executor.ray_address, sandbox)
    tally = Tally()
    with open_ledger(ledger, create=False, blobs=blobs) as book:
        tally.total = book.count(wanted)
        with stoppable() as should_stop, run_progress(tally, "scoring again"):
            done = rescore(
                book,
                wanted,
                known,
                execute,
                tally=tally,
                again=again,
                should_stop=should_stop,
            )
    if out.for_programs:
        left = {"unchanged_task": done.unchanged_task, "no_task": done.no_task, "not_kept": done.not_kept}
        changes = [to_builtins(change) for change in done.changes]
        out.write_json({**tally_json(tally), "changes": changes, "left_alone": left})
    else:
        lines = [
            f"{printable(problem.id)} cannot be used: {printable(problem.message)}\n"
            for problem in found.problems
            if problem.id in done.no_task
        ]
        if not tally.total:
            lines.append("no trial matches\n")
        shown = terminal.render_rescore(done, out.terminal) + "".join(lines)
        out.write(shown + terminal.render_run(tally, untouched="left alone"))
    if tally.interrupted:
        say_how_to_resume()
    if done.not_kept or done.no_task or tally.machinery:
        raise typed.Exit(1)
