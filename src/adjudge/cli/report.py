"""`adjudge report`: what the trials of a ledger say, in a terminal, Markdown, HTML or JSON."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from adjudge.cli._choices import (
    ClusterOption,
    IntervalOption,
    KOption,
    LevelOption,
    PolicyOption,
    SeedOption,
    SuccessOption,
    choices_of,
)
from adjudge.cli._options import LedgerOption, takes_filter
from adjudge.errors import UsageError
from adjudge.ledger import TrialFilter

if TYPE_CHECKING:
    from adjudge.ledger import Ledger
    from adjudge.reports.model import Report


class ReportFormat(StrEnum):
    """How a report is written."""

    TERMINAL = "terminal"
    MARKDOWN = "md"
    HTML = "html"
    JSON = "json"


@takes_filter
def command(
    wanted: TrialFilter,
    ledger: LedgerOption = None,
    form: Annotated[
        ReportFormat | None,
        typer.Option("--format", help="[default: by the ending of --output, else terminal]"),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
    group_by: Annotated[
        str,
        typer.Option(
            metavar="KEY", help="agent (with its model), model, experiment, category, metadata.KEY."
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
        bool, typer.Option("--fields", help="Read every breakdown, however many trials there are.")
    ] = False,
    tasks: Annotated[
        Path | None,
        typer.Option(metavar="ROOT", help="Show instructions from this folder of tasks (html)."),
    ] = None,
    trials: Annotated[
        int, typer.Option(min=0, metavar="N", help="Put at most so many trials in full into the html.")
    ] = 5_000,
) -> None:
    """Report on trials: rewards with intervals and coverage, tasks, fields, errors, agreement, cost.

    The same ledger, filter and options give the same report, byte for byte. The html is one file that works
    offline. adjudge compare pairs two agents on their tasks, which intervals side by side do not.
    """
    from adjudge.ledger import open_ledger
    from adjudge.reports.read import read_report
    from adjudge.reports.waiting import waiting

    form = form or _format_of(output)
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
        report = read_report(opened, wanted, choices, every_field=fields)
        text = _render(report, form, opened, wanted, tasks, trials, output)
    _write(text, output)


def _format_of(output: Path | None) -> ReportFormat:
    endings = {".md": ReportFormat.MARKDOWN, ".html": ReportFormat.HTML, ".htm": ReportFormat.HTML}
    endings[".json"] = ReportFormat.JSON
    return endings.get(output.suffix.lower() if output else "", ReportFormat.TERMINAL)


def _render(
    report: Report,
    form: ReportFormat,
    ledger: Ledger,
    wanted: TrialFilter,
    tasks: Path | None,
    trials: int,
    output: Path | None,
) -> str:
    if form is ReportFormat.JSON:
        return report.model_dump_json(indent=2) + "\n"
    if form is ReportFormat.MARKDOWN:
        from adjudge.reports.report_markdown import report_markdown

        return report_markdown(report)
    if form is ReportFormat.HTML:
        from adjudge.reports.drilldown import read_drilldown
        from adjudge.reports.report_html import report_html

        return report_html(report, read_drilldown(ledger, wanted, report, tasks=tasks, most=trials))
    from adjudge.reports.report_terminal import report_lines
    from adjudge.reports.terminal import Terminal, terminal_of

    terminal = terminal_of() if output is None else Terminal(100)
    return "".join(f"{line}\n" for line in report_lines(report, terminal))


def _write(text: str, output: Path | None) -> None:
    if output is None:
        print(text, end="")
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError("the report cannot be written there", file=output, found=error.strerror) from None
    typer.echo(f"wrote {output} ({len(text.encode()):,} bytes)", err=True)
