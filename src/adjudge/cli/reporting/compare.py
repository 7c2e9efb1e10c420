"""`adjudge compare`: agents, models or experiments, paired on the tasks they share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.choices import AnyVerifierOption, SuccessOnlyOption, takes_choices
from adjudge.cli.shared.options import LedgerOption, takes_filter
from adjudge.cli.shared.output import Format, Out, prints

if TYPE_CHECKING:
    from adjudge.ledger import TrialFilter
    from adjudge.reports import Choices


_BY = typed.Option(
    "--by", metavar="KEY", help="What the names are: agent, model, experiment, category or metadata.KEY."
)


@takes_filter
@prints(Format.TERMINAL, Format.MARKDOWN, Format.HTML, Format.JSON)
@takes_choices(typed.Added(str, _BY, "agent"))
def command(
    wanted: TrialFilter,
    out: Out,
    choices: Choices,
    names: Annotated[
        list[str] | None, typed.Argument(metavar="A B...", help="Two or more sides. [default: all there are]")
    ] = None,
    ledger: LedgerOption = None,
    rescored: Annotated[
        bool,
        typed.Option("--rescored", help="Compare trials that were scored again with what they had before."),
    ] = False,
    any_verifier: AnyVerifierOption = False,
    success: SuccessOnlyOption = None,
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
    out.write(
        out.render(found, terminal.render_comparison, markdown.render_comparison, html.render_comparison)
    )
