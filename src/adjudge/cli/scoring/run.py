"""`adjudge run`: score many outputs into the ledger; running the same command again resumes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import BlobsOption, LedgerOption
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
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.cli.shared.watch import Watch
    from adjudge.preflight import VerifierPlace


@prints(Format.TERMINAL, Format.JSON)
@takes_executor
@takes_place
@takes_preflight
def command(
    out: Out,
    executor: ExecutorChoice,
    place: VerifierPlace,
    preflight: Preflight,
    manifest: Annotated[Path, typed.Argument(help="A JSONL manifest, or a folder AGENT/ATTEMPT/TASK_ID/.")],
    experiment: Annotated[str, typed.Option("--experiment", "-e", help="The name these trials go by.")],
    tasks: Annotated[
        Path | None,
        typed.Option("--tasks", help="The root that task ids are relative to; needed for a plain folder."),
    ] = None,
    output_path: OutputPathOption = None,
    cache: Annotated[
        bool,
        typed.Option("--cache/--no-cache", help="Reuse results of verifiers known to be deterministic."),
    ] = True,
    retry_failed: Annotated[
        bool,
        typed.Option(
            "--retry-failed",
            help="Score again what failed or is suspected; so do --prepare, --packages, --image.",
        ),
    ] = False,
    watch: Annotated[
        bool, typed.Option("--watch", help="Show the mean so far, with an interval that holds at every look.")
    ] = False,
    baseline: Annotated[
        str | None,
        typed.Option(
            "--baseline",
            metavar="EXPERIMENT",
            help="With --watch: show the difference to this one; stop once a loss is shown or ruled out.",
        ),
    ] = None,
    margin: Annotated[
        float,
        typed.Option(min=0, max=1, help="With --baseline: the loss of mean reward that must be ruled out."),
    ] = 0.02,
    ledger: LedgerOption = None,
    blobs: BlobsOption = None,
) -> None:
    """Score every output that a manifest or a folder names. The same command again resumes.

    Each verifier is looked at first. If one cannot pass here, you are told why and what to type before
    anything is scored.
    Exit code 0: all recorded; 1: some rows could not be scored, or --strict-preflight; 130: interrupted.
    """

    from adjudge.runs import Tally, find_rows, run

    if baseline is not None and not watch:
        raise UsageError("--baseline goes with --watch", found=baseline)
    rows = find_rows(manifest, tasks, output_path=output_path)
    seen: Watch | None = None
    if watch:
        from adjudge.cli.shared.watch import Watch

        seen = Watch(ledger, experiment, rows.attempts(), baseline, margin)
        rows = rows.in_order_of(seen.order)
    sandbox = executor.sandbox_for(place, rows.tasks(), preflight)
    tally = Tally()
    with stoppable() as should_stop:
        run(
            rows,
            experiment=experiment,
            ledger=ledger,
            blobs=blobs,
            sandbox=sandbox,
            workers=executor.workers,
            executor=executor.name,
            ray_address=executor.ray_address,
            cache=cache,
            retry_failed=retry_failed or not place.is_plain,
            tally=tally,
            should_stop=lambda: should_stop() or (seen is not None and seen.decided),
            around=run_progress(tally, beside=None if seen is None else seen.describe),
        )
    if seen is not None:
        seen.look()
    if out.for_programs:
        out.write_json(tally_json(tally))
    else:
        from adjudge.reports import terminal

        shown = terminal.render_run(tally)
        if (tally.outcomes["machinery failed"] or tally.outcomes["suspected"]) and not tally.interrupted:
            shown += "add --retry-failed to score again what the machinery failed on or what is suspected\n"
        if seen is not None and seen.said:
            shown += f"watched: {seen.said}\n"
        out.write(shown)
    if seen is not None and seen.decided:
        out.say("stopped early: the sequential gate is decided")
    elif tally.interrupted:
        say_how_to_resume()
    if tally.bad_rows or tally.machinery:
        raise typed.Exit(1)
