"""`adjudge ledger`: look after a ledger."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from adjudge.cli._options import BlobsOption, JsonOption, LedgerOption
from adjudge.ledger import migrate_ledger, open_ledger

app = typer.Typer(no_args_is_help=True, help="Look after a ledger: info, verify, backup, migrate.")
_MOST_SHOWN = 20


@app.command("info")
def info(ledger: LedgerOption = None, as_json: JsonOption = False) -> None:
    """What is in the ledger, how large it is, and the head of its hash chain."""
    with open_ledger(ledger, create=False) as opened:
        found = opened.info()
    if as_json:
        print(json.dumps(asdict(found), indent=2))
        return
    from adjudge.reports.printable import printable

    size = "" if found.size_bytes is None else f", {_bytes(found.size_bytes)}"
    print(f"{printable(found.location)}  ({found.database}{size}, schema {found.schema_version})")
    for name in ("trials", "evaluations", "annotations", "tags", "certificates"):
        print(f"{name:<13}{getattr(found, name):>12,}")
    where = f" (large ones in {printable(found.blob_location)})" if found.blob_location else ""
    print(f"{'blobs':<13}{found.blobs:>12,}   {_bytes(found.blob_bytes)} before compression{where}")
    if found.created_at:
        print(f"{'created':<13}{found.created_at}")
    print(f"{'head':<13}{found.head}")
    for name, count in found.experiments.items():
        print(f"{'experiment':<13}{count:>12,}   {printable(name)}")


@app.command("verify")
def verify(
    ledger: LedgerOption = None,
    blobs: Annotated[bool, typer.Option("--blobs", help="Also read every blob and check its bytes.")] = False,
    expect: Annotated[
        str | None,
        typer.Option(
            "--expect", metavar="ROW:HASH", help="A head kept elsewhere that must still be on the chain."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Walk the whole hash chain and name the first row that was changed, removed, added or reordered.

    Exits with 1 if anything is wrong.
    """
    with open_ledger(ledger, create=False) as opened:
        found = opened.verify(expect)
        problems = list(found.problems)
        checked = 0
        if blobs:
            for problem in opened.verify_blobs():
                checked += 1
                if problem is not None:
                    problems.append(problem)
        location = opened.location
    if as_json:
        report = {"intact": not problems, "rows": found.rows, "head": f"{found.rows}:{found.head}"}
        print(json.dumps({**report, "blobs_checked": checked, "problems": problems}, indent=2))
    else:
        read = f", {checked:,} blobs read" if blobs else ""
        if problems:
            _print_problems(location, problems)
            print(f"NOT intact: {found.rows:,} rows are as they were written{read}")
        else:
            print(
                f"intact: {found.rows:,} rows are as they were written{read}\nhead {found.rows}:{found.head}"
            )
    if problems:
        raise typer.Exit(1)


@app.command("backup")
def backup(
    destination: Annotated[
        str, typer.Argument(help="A new file, or the URL of an empty database.", metavar="DEST")
    ],
    ledger: LedgerOption = None,
    blobs: BlobsOption = None,
) -> None:
    """Copy the whole ledger, blobs and all, into a new one of either database, and verify the copy.

    Writers need not stop. --blobs names where the copy keeps large blobs. Exits with 1 if anything is wrong
    with the copy; a blob that is gone or damaged is left out of it.
    """
    with open_ledger(ledger, create=False) as opened:
        found = opened.backup(destination, blobs=blobs)
        location = opened.location
    if not found.intact:
        _print_problems(location, found.problems)
        print(f"NOT whole: {found.rows:,} rows copied and verified, without what is named above")
        raise typer.Exit(1)
    print(f"{found.rows:,} rows copied and verified; head {found.rows}:{found.head}")


@app.command("migrate")
def migrate(ledger: LedgerOption = None) -> None:
    """Bring a ledger that an older adjudge made up to date. Does nothing to one that is."""
    before, after = migrate_ledger(ledger)
    print(f"schema {after}, nothing to do" if before == after else f"schema {before} migrated to {after}")


def _print_problems(location: str, problems: Sequence[str]) -> None:
    from adjudge.reports.printable import printable

    for problem in problems[:_MOST_SHOWN]:
        print(printable(f"{location}: {problem}"), file=sys.stderr)
    if len(problems) > _MOST_SHOWN:
        rest = len(problems) - _MOST_SHOWN
        print(f"… and {rest} more (adjudge ledger verify --blobs --json lists all)", file=sys.stderr)


def _bytes(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} TiB"
