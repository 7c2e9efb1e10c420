"""`adjudge compare`: agents, models or experiments, paired on the tasks they share."""

from __future__ import annotations

from enum import StrEnum
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
from adjudge.errors import UsageError
from adjudge.ledger import TrialFilter


class TextFormat(StrEnum):
    """How a comparison or a verdict is written."""

    TERMINAL = "terminal"
    MARKDOWN = "md"
    JSON = "json"


FormatOption = Annotated[TextFormat, typer.Option("--format", help="How to write it.")]


@takes_filter
def command(
    wanted: TrialFilter,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="A B...", help="Two or more sides. [default: all there are]")
    ] = None,
    ledger: LedgerOption = None,
    by: Annotated[
        str, typer.Option(metavar="KEY", help="agent, model, experiment, category or metadata.KEY.")
    ] = "agent",
    rescored: Annotated[
        bool, typer.Option("--rescored", help="Trials that were scored again: after against before.")
    ] = False,
    success: SuccessOnlyOption = None,
    cluster: ClusterOption = None,
    policy: PolicyOption = "zero",
    level: LevelOption = 0.95,
    interval: IntervalOption = "score",
    seed: SeedOption = 0,
    fields: Annotated[
        bool, typer.Option("--fields", help="Compare fields however many trials there are.")
    ] = False,
    form: FormatOption = TextFormat.TERMINAL,
) -> None:
    """Compare sides on the tasks they share: difference, interval, p, wins, what more data would do.

    With more than two sides every pair is compared, Holm's p covers all of them, and ranks show ties.
    """
    from adjudge.ledger import open_ledger
    from adjudge.reports.comparison import compare_groups, compare_rescored, read_columns_for
    from adjudge.reports.documents import read_documents
    from adjudge.reports.waiting import waiting

    choices = choices_of(
        group_by=by, cluster=cluster, policy=policy, ks=None, level=level, method=interval, seed=seed
    )
    if rescored and names:
        raise UsageError("--rescored compares before with after; it takes no names", found=names)
    with open_ledger(ledger, create=False) as opened, waiting("reading the ledger"):
        columns = read_columns_for(opened, wanted, choices)
        if rescored:
            found = compare_rescored(columns, opened.replaced_columns(wanted), choices, threshold=success)
        else:
            documents = read_documents(opened, wanted, columns, every=fields)
            found = compare_groups(columns, names or (), choices, threshold=success, documents=documents)
    if form is TextFormat.JSON:
        print(found.model_dump_json(indent=2))
        return
    from adjudge.reports.comparison_view import comparison_lines, comparison_markdown
    from adjudge.reports.terminal import terminal_of

    if form is TextFormat.MARKDOWN:
        print(comparison_markdown(found), end="")
        return
    for line in comparison_lines(found, terminal_of()):
        print(line)
