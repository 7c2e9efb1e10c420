"""`adjudge gate`: has a candidate lost more than a margin against its baseline? For CI."""

from __future__ import annotations

from typing import Annotated

import typer

from adjudge.cli._choices import (
    ClusterOption,
    IntervalOption,
    LevelOption,
    PolicyOption,
    SeedOption,
    SuccessOnlyOption,
    choices_of,
)
from adjudge.cli._options import LedgerOption, takes_filter
from adjudge.cli.compare import FormatOption, TextFormat
from adjudge.ledger import TrialFilter


@takes_filter
def command(
    wanted: TrialFilter,
    baseline: Annotated[str, typer.Option(metavar="NAME", help="What to hold the candidate against.")],
    candidate: Annotated[str, typer.Option(metavar="NAME", help="What is to be let through.")],
    margin: Annotated[
        float, typer.Option(min=0, max=1, help="How much mean reward may be lost at most.")
    ] = 0.02,
    ledger: LedgerOption = None,
    by: Annotated[
        str, typer.Option(metavar="KEY", help="What the names are: experiment, agent, model, metadata.KEY.")
    ] = "experiment",
    success: SuccessOnlyOption = None,
    cluster: ClusterOption = None,
    policy: PolicyOption = "zero",
    level: LevelOption = 0.95,
    interval: IntervalOption = "score",
    seed: SeedOption = 0,
    form: FormatOption = TextFormat.TERMINAL,
) -> None:
    """Pass or fail a candidate on the tasks it shares with a baseline.

    Exit code 0: a loss of the margin or more is ruled out. 3: a loss is shown. 4: too little data to tell, or
    machinery failures could decide it. 2: there are no such trials.
    """
    from adjudge.ledger import open_ledger
    from adjudge.reports.comparison import read_columns_for
    from adjudge.reports.gate_view import build_gate, gate_lines, gate_markdown
    from adjudge.reports.terminal import terminal_of
    from adjudge.reports.waiting import waiting

    choices = choices_of(
        group_by=by, cluster=cluster, policy=policy, ks=None, level=level, method=interval, seed=seed
    )
    with open_ledger(ledger, create=False) as opened, waiting("reading the ledger"):
        columns = read_columns_for(opened, wanted, choices)
    found = build_gate(columns, baseline, candidate, choices, margin=margin, threshold=success)
    if form is TextFormat.JSON:
        print(found.model_dump_json(indent=2))
    elif form is TextFormat.MARKDOWN:
        print(gate_markdown(found), end="")
    else:
        for line in gate_lines(found, terminal_of()):
            print(line)
    raise typer.Exit(found.exit_code)
