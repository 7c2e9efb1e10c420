"""`adjudge report`: what the trials of a ledger say, in a terminal, Markdown, HTML or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.choices import takes_choices
from adjudge.cli.shared.options import LedgerOption, takes_filter
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.ledger import TrialFilter
    from adjudge.reports import Choices, Report


_GROUP_BY = typed.Option(
    "--group-by",
    metavar="KEY",
    help="One group for each agent (with its model), model, experiment, category, metadata.KEY.",
)
_SUCCESS = typed.Option(
    "--success",
    metavar="REWARD",
    help="The lowest reward that is a success, for pass rate, pass@k and pass^k.",
)
_K = typed.Option(
    "--k",
    "-k",
    min=1,
    help="The k of pass@k and pass^k. Repeatable. [default: the usual number of attempts]",
)


@takes_filter
@prints(Format.TERMINAL, Format.MARKDOWN, Format.HTML, Format.JSON)
@takes_choices(
    typed.Added(str, _GROUP_BY, "agent"),
    success=typed.Added(float, _SUCCESS, 1.0),
    ks=typed.Added(list[int], _K, None),
)
def command(
    wanted: TrialFilter,
    out: Out,
    choices: Choices,
    ledger: LedgerOption = None,
    fields: Annotated[
        bool, typed.Option("--fields", help="Report on fields, too, however many trials there are.")
    ] = False,
    baselines: Annotated[
        bool,
        typed.Option("--baselines", help="Say what trivial agents earn on these tasks, by their audits."),
    ] = False,
    tasks: Annotated[
        Path | None,
        typed.Option(metavar="ROOT", help="Show instructions from this folder of tasks (html)."),
    ] = None,
    trials: Annotated[
        int, typed.Option(min=0, metavar="N", help="Put at most this many trials in full into the html.")
    ] = 5_000,
) -> None:
    """Report on trials: rewards with intervals and coverage, tasks, fields, errors, agreement, cost.

    The same ledger, filter and options give the same report, byte for byte. The html is one file that works
    offline. To compare two agents use adjudge compare: it pairs them
    on their tasks, which two intervals side by side do not.
    """
    from adjudge.api import report
    from adjudge.cli.shared.progress import waiting
    from adjudge.ledger import open_ledger
    from adjudge.reports import markdown, terminal

    if tasks is not None and not tasks.is_dir():
        raise UsageError(
            "there is no such folder", file=str(tasks), remedy="Name the folder that holds the tasks."
        )
    choices = choices.model_copy(update={"threshold": wanted.threshold})
    with open_ledger(ledger, create=False) as opened, waiting("reading the ledger"):
        found = report(opened, where=wanted, choices=choices, every_field=fields, baselines=baselines)

        def page(found: Report) -> str:
            from adjudge.reports import html, read_drilldown  # late: they load what scores and what judges

            return html.render_report(found, read_drilldown(opened, wanted, found, tasks=tasks, most=trials))

        text = out.render(found, terminal.render_report, markdown.render_report, page)
    out.write(text)
