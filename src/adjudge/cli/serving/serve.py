"""`adjudge serve`: the review app and the HTTP API over a ledger."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.options import BlobsOption, LedgerOption


def command(
    ledger: LedgerOption = None,
    blobs: BlobsOption = None,
    tasks: Annotated[
        Path | None, typed.Option("--tasks", metavar="ROOT", help="The tasks: instructions and categories.")
    ] = None,
    host: Annotated[str, typed.Option("--host", help="The address to serve on.")] = "127.0.0.1",
    port: Annotated[
        int, typed.Option("--port", min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 8600,
    name: Annotated[
        list[str] | None,
        typed.Option("--name", metavar="NAME", help="A further name that browsers may ask for. Repeatable."),
    ] = None,
    reviewers: Annotated[
        int, typed.Option("--reviewers", min=1, max=20, help="How many people review each trial.")
    ] = 1,
    round_size: Annotated[
        int, typed.Option("--round", min=1, max=100_000, help="Trials drawn for review at a time.")
    ] = 50,
    tls: Annotated[
        bool, typed.Option("--tls/--no-tls", help="Browsers reach it by HTTPS, through a proxy.")
    ] = False,
    hold_out: Annotated[
        list[str] | None,
        typed.Option("--hold-out", metavar="ID", help="A task that viewers never see. Repeatable."),
    ] = None,
) -> None:
    """Serve the review app of a ledger: review, trials, tasks, comparisons, agreement, live runs.

    On 127.0.0.1 it is for one person and needs no set-up. Beyond it there must be users (adjudge users).
    Stop it with Ctrl-C.
    """
    from adjudge.web import ServeSettings, serve

    settings = ServeSettings(
        host=host,
        port=port,
        names=tuple(name or ()),
        tasks=tasks,
        hold_out=tuple(hold_out or ()),
        reviewers=reviewers,
        round_size=round_size,
        behind_tls=tls,
    )
    serve(
        ledger,
        settings,
        blobs=blobs,
        announce=lambda address: print(f"serving at {address} until Ctrl-C", file=sys.stderr, flush=True),
    )
