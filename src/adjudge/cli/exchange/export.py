"""`adjudge export`: trials as tables, and in other people's formats."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import LedgerOption, takes_filter
from adjudge.cli.shared.streams import while_read
from adjudge.errors import UsageError
from adjudge.reports import TableFormat

if TYPE_CHECKING:
    from adjudge.ledger import TrialFilter
    from adjudge.reports import Level


app = typed.Commands(help="Write trials as tables, or in other people's formats.")


_Target = Annotated[
    Path, typed.Argument(metavar="FILE", help="Ends in .parquet, .csv or .jsonl; - for stdout.")
]
_Format = Annotated[TableFormat | None, typed.Option("--format", help="[default: by the file's ending]")]


@app.command("trials")
@takes_filter
def trials(
    target: _Target, *, wanted: TrialFilter, form: _Format = None, ledger: LedgerOption = None
) -> None:
    """Write one row per trial: who, what, reward, validity, tags, reviews, cost, times, metadata."""
    _export(target, wanted, form, ledger, "trial")


@app.command("fields")
@takes_filter
def fields(
    target: _Target, *, wanted: TrialFilter, form: _Format = None, ledger: LedgerOption = None
) -> None:
    """Write one row per field of a breakdown: score, maximum, share, evidence, beside its trial."""
    _export(target, wanted, form, ledger, "field")


@app.command("judgements")
@takes_filter
def judgements(
    target: _Target, *, wanted: TrialFilter, form: _Format = None, ledger: LedgerOption = None
) -> None:
    """Write one row per criterion that judges answered: score, verdict, agreement, whether to trust it."""
    _export(target, wanted, form, ledger, "judgement")


def _export(
    target: Path, wanted: TrialFilter, form: TableFormat | None, ledger: str | None, level: Level
) -> None:
    from adjudge.cli.shared.progress import waiting
    from adjudge.errors import printable
    from adjudge.ledger import open_ledger
    from adjudge.reports import export_table, write_text

    with open_ledger(ledger, create=False) as book:
        if str(target) == "-":
            if form in (None, TableFormat.PARQUET):
                raise UsageError("stdout takes text only", allowed="--format csv or --format jsonl")
            with while_read():
                write_text(book, wanted, sys.stdout, level, form)
            return
        with waiting("exporting"):
            count = export_table(book, wanted, target, level, form)
    print(f"{count:,} rows written to {printable(str(target))}")


@app.command("harbor")
@takes_filter
def harbor(
    target: Annotated[
        Path, typed.Argument(metavar="FOLDER", help="Where the job folders go; `harbor view` opens it.")
    ],
    *,
    wanted: TrialFilter,
    ledger: LedgerOption = None,
) -> None:
    """Write trials as Harbor job folders, one per experiment. Exporting again adds only what is new."""
    from adjudge.errors import printable
    from adjudge.integrations.harbor import export_jobs
    from adjudge.ledger import open_ledger

    with open_ledger(ledger, create=False) as book:
        done = export_jobs(book, wanted, target)
    print(f"{done.trials} trials written, {done.already} were there already")
    for experiment, folder in sorted(done.jobs.items()):
        print(f"  {printable(experiment)}: {printable(str(folder))}")
    print(f"open them with: harbor view {printable(str(target))}")
