"""`adjudge report`: what the trials of a ledger say, in a terminal, Markdown, HTML or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.choices import (
    ClusterOption,
    IntervalOption,
    KOption,
    LevelOption,
    PolicyOption,
    SeedOption,
    SuccessOption,
    choices_of,
)
from adjudge.cli.shared.options import LedgerOption, takes_filter
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.ledger import Ledger, TrialFilter
    from adjudge.reports import Report


@takes_filter
@prints(Format.TERMINAL, Format.MARKDOWN, Format.HTML, Format.JSON)
def command(
    wanted: TrialFilter,
    out: Out,
    ledger: LedgerOption = None,
    group_by: Annotated[
        str,
        typed.Option(
            metavar="KEY",
            help="One group for each agent (with its model), model, experiment, category, metadata.KEY.",
        ),
    ] = "agent",
    cluster: ClusterOption = None,
    policy: PolicyOption = "zero",
    success: SuccessOption = 1.0,
    k: KOption = None,
    level: LevelOption = 0.95,
    interval: IntervalOption = "score",
    seed: SeedOption = 0,
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

    if tasks is not None and not tasks.is_dir():
        raise UsageError(
            "there is no such folder", file=str(tasks), remedy="Name the folder that holds the tasks."
        )
    choices = choices_of(
        group_by=group_by,
        cluster=cluster,
        policy=policy,
        success=success,
        ks=k,
        level=level,
        method=interval,
        seed=seed,
        threshold=wanted.threshold,
    )
    with open_ledger(ledger, create=False) as opened, waiting("reading the ledger"):
        found = report(opened, where=wanted, choices=choices, every_field=fields, baselines=baselines)
        text = _render(found, out, opened, wanted, tasks, trials)
    out.write(text)


def _render(
    report: Report, out: Out, ledger: Ledger, wanted: TrialFilter, tasks: Path | None, trials: int
) -> str:
    from adjudge.reports import html, markdown, read_drilldown, terminal

    if out.for_programs:
        return report.model_dump_json(indent=2) + "\n"
    if out.format is Format.MARKDOWN:
        return markdown.render_report(report)
    if out.format is Format.HTML:
        return html.render_report(report, read_drilldown(ledger, wanted, report, tasks=tasks, most=trials))
    return terminal.render_report(report, out.terminal)
