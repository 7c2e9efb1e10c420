"""`adjudge compare`: agents, models or experiments, paired on the tasks they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.choices import (
    AnyVerifierOption,
    ClusterOption,
    IntervalOption,
    LevelOption,
    PolicyOption,
    SeedOption,
    SuccessOnlyOption,
    choices_of,
)
from adjudge.cli.shared.options import LedgerOption, takes_filter
from adjudge.cli.shared.output import Format, Out, prints

if TYPE_CHECKING:
    from adjudge.ledger import TrialFilter


@takes_filter
@prints(Format.TERMINAL, Format.MARKDOWN, Format.HTML, Format.JSON)
def command(
    wanted: TrialFilter,
    out: Out,
    names: Annotated[
        list[str] | None, typed.Argument(metavar="A B...", help="Two or more sides. [default: all there are]")
    ] = None,
    ledger: LedgerOption = None,
    by: Annotated[
        str,
        typed.Option(
            metavar="KEY", help="What the names are: agent, model, experiment, category or metadata.KEY."
        ),
    ] = "agent",
    rescored: Annotated[
        bool,
        typed.Option("--rescored", help="Compare trials that were scored again with what they had before."),
    ] = False,
    any_verifier: AnyVerifierOption = False,
    success: SuccessOnlyOption = None,
    cluster: ClusterOption = None,
    policy: PolicyOption = "zero",
    level: LevelOption = 0.95,
    interval: IntervalOption = "score",
    seed: SeedOption = 0,
    fields: Annotated[
        bool, typed.Option("--fields", help="Compare fields, too, however many trials there are.")
    ] = False,
) -> None:
    """Compare sides on the tasks they share: difference, interval, p, wins, what more data would do.

    With more than two sides every pair is compared, Holm's p covers all of them, and ranks show ties.
    """
    from adjudge.api import compare
    from adjudge.cli.shared.progress import waiting
    from adjudge.reports import html, markdown, terminal

    choices = choices_of(
        group_by=by, cluster=cluster, policy=policy, ks=None, level=level, method=interval, seed=seed
    )
    with waiting("reading the ledger"):
        found = compare(
            *(names or ()),
            ledger=ledger,
            where=wanted,
            choices=choices,
            success=success,
            rescored=rescored,
            every_field=fields,
            any_verifier=any_verifier,
        )
    if out.for_programs:
        out.write(found.model_dump_json(indent=2) + "\n")
    elif out.format is Format.MARKDOWN:
        out.write(markdown.render_comparison(found))
    elif out.format is Format.HTML:
        out.write(html.render_comparison(found))
    else:
        out.write(terminal.render_comparison(found, out.terminal))
