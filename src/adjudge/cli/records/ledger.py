"""`adjudge ledger`: look after a ledger."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec.structs import asdict

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import BlobsOption, LedgerOption
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.ledger import LedgerInfo

app = typed.Commands(help="Look after a ledger: info, verify, sign, backup, migrate.")
_MOST_SHOWN = 20
PublicKey = Annotated[
    str | None,
    typed.Option(
        "--public-key", metavar="HEX", help="The key that must have signed. [default: that of the first head]"
    ),
]


@app.command("info")
@prints(Format.TERMINAL, Format.JSON)
def info(out: Out, ledger: LedgerOption = None) -> None:
    """What is in the ledger, how large it is, and the head of its hash chain."""

    from adjudge.ledger import open_ledger

    with open_ledger(ledger, create=False) as opened:
        found = opened.info()
    if out.for_programs:
        out.write_json(asdict(found))
        return
    out.write("".join(f"{line}\n" for line in _info_lines(found)))


def _info_lines(found: LedgerInfo) -> Iterator[str]:
    from adjudge.errors import printable

    size = "" if found.size_bytes is None else f", {_bytes(found.size_bytes)}"
    yield f"{printable(found.location)}  ({found.database}{size}, schema {found.schema_version})"
    for name in ("trials", "evaluations", "annotations", "tags", "certificates"):
        yield f"{name:<13}{getattr(found, name):>12,}"
    for kind, count in found.attachments.items():
        yield f"{'attached':<13}{count:>12,}   {printable(kind)}"
    where = f" (large ones in {printable(found.blob_location)})" if found.blob_location else ""
    yield f"{'blobs':<13}{found.blobs:>12,}   {_bytes(found.blob_bytes)} before compression{where}"
    if found.created_at:
        yield f"{'created':<13}{found.created_at}"
    yield f"{'head':<13}{found.head}"
    for name, count in found.experiments.items():
        yield f"{'experiment':<13}{count:>12,}   {printable(name)}"


@app.command("verify")
@prints(Format.TERMINAL, Format.JSON)
def verify(
    out: Out,
    ledger: LedgerOption = None,
    blobs: Annotated[
        bool, typed.Option("--blobs", help="Also read every blob, and find those that are gone.")
    ] = False,
    expect: Annotated[
        str | None,
        typed.Option(
            "--expect", metavar="ROW:HASH", help="A head kept elsewhere that must still be on the chain."
        ),
    ] = None,
    witness: Annotated[
        str | None,
        typed.Option(
            "--witness", metavar="FILE|git:PATH|URL", help="Signed heads that the ledger must still extend."
        ),
    ] = None,
    public_key: PublicKey = None,
) -> None:
    """Walk the whole hash chain and name the first row that was changed, removed, added or reordered.

    Looks also whether the guards, indexes and the view are as they were made. Exits with 1 if anything is
    wrong.
    """

    from adjudge.ledger import open_ledger

    with open_ledger(ledger, create=False) as opened:
        found = opened.verify(expect)
        problems = list(found.problems)
        if witness is not None:
            problems += opened.check_witness(witness, public_key)
        checked = 0
        if blobs:
            for problem in opened.verify_blobs():
                checked += 1
                if problem is not None:
                    problems.append(problem)
        location = opened.location
    if out.for_programs:
        head = f"{found.rows}:{found.head}"
        out.write_json(
            {
                "intact": not problems,
                "rows": found.rows,
                "head": head,
                "blobs_checked": checked,
                "problems": problems,
            }
        )
    else:
        read = f", {checked:,} blobs read" if blobs else ""
        _say_problems(out, location, problems)
        intact = "NOT intact" if problems else "intact"
        head = "" if problems else f"head {found.rows}:{found.head}\n"
        out.write(f"{intact}: {found.rows:,} rows are as they were written{read}\n{head}")
    if problems:
        raise typed.Exit(1)


@app.command("key")
@prints(Format.TERMINAL, Format.JSON)
def key(
    out: Out, file: Annotated[Path, typed.Argument(help="A new file for the private key.", metavar="FILE")]
) -> None:
    """Make an Ed25519 key to sign heads with; prints the public key, which those who check need.

    The file is readable by its owner only. Keep it away from the ledger: whoever has both can sign a forged
    one.
    """
    from adjudge.ledger import new_key

    public = new_key(file)
    if out.for_programs:
        out.write_json({"file": str(file), "public_key": public})
    else:
        out.write(f"public key {public}\n")


@app.command("sign")
@prints(Format.TERMINAL, Format.JSON)
def sign(
    out: Out,
    ledger: LedgerOption = None,
    witness: Annotated[
        str | None,
        typed.Option(
            "--witness",
            metavar="FILE|git:PATH|URL",
            help="Where the signed head is added. [default: ADJUDGE_WITNESS]",
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typed.Option(
            "--key",
            metavar="FILE",
            help="The key to sign with. [default: the file ADJUDGE_SIGNING_KEY names]",
        ),
    ] = None,
) -> None:
    """Sign where the ledger's chain stands, and add that head to a witness outside the ledger.

    Commands that record do this at their end if ADJUDGE_WITNESS and ADJUDGE_SIGNING_KEY are set. A ledger
    that no longer holds what was signed last is not signed.
    """

    from adjudge.ledger import open_ledger

    where = witness or os.environ.get("ADJUDGE_WITNESS")
    file = key or (Path(found) if (found := os.environ.get("ADJUDGE_SIGNING_KEY")) else None)
    if where is None or file is None:
        raise UsageError(
            "nothing is signed without a key and a place for the head",
            field="--witness" if where is None else "--key",
            remedy="Name both; adjudge ledger key FILE makes a key.",
        )
    with open_ledger(ledger, create=False) as opened:
        head = opened.sign(where, file)
    if out.for_programs:
        out.write_json(head.model_dump(mode="json"))
    else:
        out.write(f"signed: {head.rows:,} rows, head {head.rows}:{head.chain}\n")


@app.command("heads")
@prints(Format.TERMINAL, Format.JSON)
def heads(
    out: Out,
    witness: Annotated[str, typed.Argument(help="Where signed heads are kept.", metavar="FILE|git:PATH|URL")],
    public_key: PublicKey = None,
) -> None:
    """Check signed heads without the ledger: each signature, and that each head extends the one before it.

    Exits with 1 if anything is wrong.
    """
    from adjudge.ledger import check_heads, find_witness

    found = find_witness(witness).read()
    problems = list(check_heads(found, public_key)) or ([] if found else ["there is no head"])
    if out.for_programs:
        listed = [head.model_dump(mode="json") for head in found]
        out.write_json({"sound": not problems, "problems": problems, "heads": listed})
    else:
        for head in found:
            out.write(
                f"{head.signed_at.isoformat(timespec='seconds')}  {head.rows:>12,} rows  {head.chain}\n"
            )
        for problem in problems:
            out.say(problem)
        out.write(
            "NOT sound\n" if problems else f"{len(found)} heads, each signed and extending the one before\n"
        )
    if problems:
        raise typed.Exit(1)


@app.command("backup")
@prints(Format.TERMINAL, Format.JSON)
def backup(
    out: Out,
    destination: Annotated[
        str, typed.Argument(help="A new file, or the URL of an empty database.", metavar="DEST")
    ],
    ledger: LedgerOption = None,
    blobs: BlobsOption = None,
) -> None:
    """Copy the whole ledger, blobs and all, into a new one of either database, and verify the copy.

    Writers need not stop. --blobs names where the copy keeps large blobs. Exits with 1 if anything is wrong
    with the copy; a blob that is gone or damaged is left out of it.
    """

    from adjudge.ledger import open_ledger

    with open_ledger(ledger, create=False) as opened:
        found = opened.backup(destination, blobs=blobs)
        location = opened.location
    if out.for_programs:
        head = f"{found.rows}:{found.head}"
        out.write_json(
            {"intact": found.intact, "rows": found.rows, "head": head, "problems": list(found.problems)}
        )
    elif found.intact:
        out.write(f"{found.rows:,} rows copied and verified; head {found.rows}:{found.head}\n")
    else:
        _say_problems(out, location, found.problems)
        out.write(f"NOT whole: {found.rows:,} rows copied and verified, without what is named above\n")
    if not found.intact:
        raise typed.Exit(1)


@app.command("migrate")
@prints(Format.TERMINAL, Format.JSON)
def migrate(out: Out, ledger: LedgerOption = None) -> None:
    """Bring a ledger that an older adjudge made up to date. Does nothing to one that is."""

    from adjudge.ledger import migrate_ledger

    before, after = migrate_ledger(ledger)
    if out.for_programs:
        out.write_json({"before": before, "after": after})
    elif before == after:
        out.write(f"schema {after}, nothing to do\n")
    else:
        out.write(f"schema {before} migrated to {after}\n")


def _say_problems(out: Out, location: str, problems: Sequence[str]) -> None:
    for problem in problems[:_MOST_SHOWN]:
        out.say(f"{location}: {problem}")
    if len(problems) > _MOST_SHOWN:
        rest = len(problems) - _MOST_SHOWN
        out.say(f"… and {rest} more (adjudge ledger verify --blobs --json lists all)")


def _bytes(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} TiB"
