"""`adjudge plan`: how much data would show a difference, or pass a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.choices import SuccessOnlyOption, takes_choices
from adjudge.cli.shared.options import LedgerOption, takes_filter
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.ledger import TrialFilter
    from adjudge.reports import Choices


_BY = typed.Option("--by", metavar="KEY", help="What the names are: agent, model, experiment, metadata.KEY.")


@takes_filter
@prints(Format.TERMINAL, Format.MARKDOWN, Format.HTML, Format.JSON)
@takes_choices(typed.Added(str, _BY, "agent"), without=("method",))
def command(
    wanted: TrialFilter,
    out: Out,
    choices: Choices,
    names: Annotated[
        list[str] | None,
        typed.Argument(metavar="[A B]", help="Two sides of a pilot in the ledger. [default: assumptions]"),
    ] = None,
    ledger: LedgerOption = None,
    delta: Annotated[
        float | None,
        typed.Option(min=0, max=1, help="The difference to show. [default: the pilot's own]"),
    ] = None,
    margin: Annotated[
        float | None, typed.Option(min=0, max=1, help="Plan for a regression gate with this margin instead.")
    ] = None,
    power: Annotated[
        float,
        typed.Option(help="The chance to show the difference, or to pass the gate, that the plan aims at."),
    ] = 0.8,
    attempts: Annotated[
        int | None,
        typed.Option(min=1, help="Without a pilot: attempts per task and side. [default: 1]"),
    ] = None,
    rate: Annotated[
        float | None, typed.Option(help="Without a pilot: how often one attempt succeeds. [default: 0.5]")
    ] = None,
    spread: Annotated[
        float | None,
        typed.Option(
            min=0,
            max=1,
            help="Without a pilot: how far the tasks' true differences scatter. [default: 0.3]",
        ),
    ] = None,
    cost: Annotated[
        float | None, typed.Option(min=0, metavar="USD", help="Without a pilot: what one trial costs.")
    ] = None,
    success: SuccessOnlyOption = None,
) -> None:
    """Plan how many tasks, attempts and clusters show a difference or pass a gate, and what they cost.

    From a pilot of two sides in the ledger, by simulating the test that will be used; or from assumptions.
    """
    from adjudge.cli.shared.progress import waiting
    from adjudge.ledger import open_ledger
    from adjudge.reports import (
        html,
        markdown,
        plan_from_assumptions,
        plan_from_pilot,
        read_columns_for,
        terminal,
    )

    if delta is not None and margin is not None:
        raise UsageError("--delta plans for a difference, --margin for a gate: give one of them")
    if names is None:
        _refuse(
            {"--cluster": choices.cluster, "--success": success, "a filter": wanted.narrows or None},
            "without a pilot",
            "Name two sides of a pilot, or leave it out.",
        )
    else:
        _refuse(
            {"--attempts": attempts, "--rate": rate, "--spread": spread, "--cost": cost},
            "from a pilot",
            "The pilot says it: leave it out, or leave out the names.",
        )
    if names is None:
        goal = margin if margin is not None else delta
        if not goal:
            raise UsageError(
                "a plan without a pilot needs a difference to show",
                remedy="Add --delta 0.05, --margin 0.02, or two names from the ledger.",
            )
        found = plan_from_assumptions(
            choices,
            delta=goal,
            attempts=1 if attempts is None else attempts,
            rate=0.5 if rate is None else rate,
            spread=0.3 if spread is None else spread,
            power=power,
            gate=margin is not None,
            cost_per_trial=cost,
        )
    elif len(names) != 2:
        raise UsageError("a pilot has two sides", found=names)
    else:
        with open_ledger(ledger, create=False) as opened, waiting("planning"):
            columns, choices = read_columns_for(opened, wanted, choices)
            found = plan_from_pilot(
                columns,
                names[0],
                names[1],
                choices,
                delta=delta,
                margin=margin,
                power=power,
                threshold=success,
                wanted=wanted,
            )
    out.write(out.render(found, terminal.render_plan, markdown.render_plan, html.render_plan))


def _refuse(given: dict[str, object], plan: str, remedy: str) -> None:
    """UsageError for an option that would change nothing."""
    for option, value in given.items():
        if value is not None:
            raise UsageError(f"{option} means nothing for a plan {plan}", remedy=remedy)
