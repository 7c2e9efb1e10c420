"""`adjudge run`: score many outputs into the ledger; running the same command again resumes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli.shared.options import BlobsOption, LedgerOption
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.cli.shared.place import (
    ImageOption,
    PackagesOption,
    PreflightOption,
    PrepareOption,
    RootfsOption,
    StrictPreflightOption,
    load_each,
    place_of,
    ready,
)
from adjudge.cli.shared.progress import run_progress
from adjudge.cli.shared.running import (
    ExecutorChoice,
    ExecutorName,
    RayAddress,
    SandboxChoice,
    Workers,
    choose_executor,
    say_how_to_resume,
    stoppable,
    tally_json,
)
from adjudge.errors import UsageError
from adjudge.ledger import open_ledger
from adjudge.runs import (
    MANIFEST_NAME,
    BadRow,
    ManifestRow,
    Run,
    Tally,
    count_rows,
    read_manifest,
    read_outputs_folder,
)
from adjudge.tasks import load_tasks

if TYPE_CHECKING:
    from adjudge.cli.shared.watch import Watch


@prints(Format.TERMINAL, Format.JSON)
def command(
    out: Out,
    manifest: Annotated[Path, typer.Argument(help="A JSONL manifest, or a folder AGENT/ATTEMPT/TASK_ID/.")],
    experiment: Annotated[str, typer.Option("--experiment", "-e", help="The name these trials go by.")],
    tasks: Annotated[
        Path | None,
        typer.Option("--tasks", help="The root that task ids are relative to; needed for a plain folder."),
    ] = None,
    workers: Workers = None,
    executor: ExecutorChoice = ExecutorName.LOCAL,
    ray_address: RayAddress = None,
    sandbox: SandboxChoice = "auto",
    rootfs: RootfsOption = None,
    image: ImageOption = None,
    packages: PackagesOption = None,
    prepare: PrepareOption = False,
    preflight: PreflightOption = True,
    strict_preflight: StrictPreflightOption = False,
    cache: Annotated[
        bool,
        typer.Option("--cache/--no-cache", help="Reuse results of verifiers known to be deterministic."),
    ] = True,
    retry_failed: Annotated[
        bool,
        typer.Option(
            "--retry-failed",
            help="Score again what failed or is suspected; so do --prepare, --packages, --image.",
        ),
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Show the mean so far, with an interval that holds at every look.")
    ] = False,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="EXPERIMENT",
            help="With --watch: show the difference to it, and stop once a loss or its absence is shown.",
        ),
    ] = None,
    margin: Annotated[
        float, typer.Option(min=0, max=1, help="With --baseline: how much mean reward may be lost.")
    ] = 0.02,
    ledger: LedgerOption = None,
    blobs: BlobsOption = None,
) -> None:
    """Score every output that a manifest or a folder names. The same command again resumes.

    Each task is looked at first: what cannot pass here is said before anything is scored, with what to type.
    Exit code 0: all recorded; 1: some rows could not be scored, or --strict-preflight; 130: interrupted.
    """
    if baseline is not None and not watch:
        raise UsageError("--baseline goes with --watch", found=baseline)
    rows, total = _rows(manifest, tasks)
    seen: Watch | None = None
    if watch:
        from adjudge.cli.shared.watch import Watch, planned_tasks

        rows = list(rows)
        seen = Watch(ledger, experiment, planned_tasks(rows, tasks), baseline, margin)
    place = place_of(sandbox, rootfs, image, packages, prepare=prepare)
    if executor is ExecutorName.LOCAL or not place.is_plain:
        chosen = ready(
            place,
            load_each(_folders(manifest, rows), tasks),
            preflight=preflight,
            strict=strict_preflight,
            workers=workers,
        )
        execute = choose_executor(executor, workers, ray_address, chosen)
    else:
        execute = choose_executor(executor, workers, ray_address, sandbox)
    tally = Tally(total=total)
    with (
        open_ledger(ledger, blobs=blobs) as book,
        stoppable() as should_stop,
        run_progress(tally, beside=None if seen is None else seen.describe),
    ):
        Run(
            book,
            experiment,
            tally=tally,
            tasks_root=tasks,
            cache=cache,
            retry_failed=retry_failed or not place.is_plain,
        ).execute(rows, execute, should_stop if seen is None else lambda: should_stop() or seen.decided)
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
        raise typer.Exit(1)


def _folders(manifest: Path, rows: Iterable[ManifestRow | BadRow]) -> Iterable[str]:
    """The folders of the tasks that the rows name. A manifest is read once more, since it may be long."""
    file = manifest / MANIFEST_NAME if manifest.is_dir() else manifest
    listed = rows if isinstance(rows, list) else read_manifest(file)
    return (row.task for row in listed if not isinstance(row, BadRow))


def _rows(manifest: Path, tasks: Path | None) -> tuple[Iterable[ManifestRow | BadRow], int | None]:
    """The rows to score, and how many there are if that is known beforehand."""
    if manifest.is_dir() and not (manifest / MANIFEST_NAME).exists():
        if tasks is None:
            raise UsageError(
                f"the folder has no {MANIFEST_NAME}, so its tasks must be named",
                file=manifest,
                remedy="Add --tasks ROOT; the folder is then read as AGENT/ATTEMPT/TASK_ID/.",
            )
        found = load_tasks(tasks)
        broken = {problem.id: problem.message for problem in found.problems}
        rows = list(read_outputs_folder(manifest, list(found), broken))
        if not rows:
            raise UsageError(
                "no outputs were found",
                file=manifest,
                allowed="AGENT/ATTEMPT/TASK_ID/ with ids as `adjudge tasks` lists them",
            )
        return rows, len(rows)
    file = manifest / MANIFEST_NAME if manifest.is_dir() else manifest
    total = count_rows(file) if file.is_file() else None
    if total == 0:
        raise UsageError("the manifest has no rows", file=file, remedy="Add one JSON object per line.")
    return read_manifest(file), total
