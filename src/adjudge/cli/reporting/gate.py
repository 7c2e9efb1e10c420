"""`adjudge gate`: has a candidate lost more than a margin against its baseline? For CI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from adjudge.cli.shared import typed
from adjudge.cli.shared.choices import AnyVerifierOption, SuccessOnlyOption, takes_choices
from adjudge.cli.shared.options import LedgerOption, takes_filter
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.ledger import TrialFilter
    from adjudge.reports import Choices, RegressionGate, SequentialGate


_BY = typed.Option("--by", metavar="KEY", help="What the names are: experiment, agent, model, metadata.KEY.")


@takes_filter
@prints(Format.TERMINAL, Format.MARKDOWN, Format.JSON)
@takes_choices(typed.Added(str, _BY, "experiment"))
def command(
    wanted: TrialFilter,
    out: Out,
    choices: Choices,
    baseline: Annotated[str, typed.Option(metavar="NAME", help="What the candidate is compared with.")],
    candidate: Annotated[str, typed.Option(metavar="NAME", help="What is to be passed or failed.")],
    margin: Annotated[
        float, typed.Option(min=0, max=1, help="The loss of mean reward that must be ruled out.")
    ] = 0.02,
    ledger: LedgerOption = None,
    sequential: Annotated[
        bool,
        typed.Option(
            "--sequential",
            help="For looking while the candidate still runs: valid at every look, with wider intervals.",
        ),
    ] = False,
    attempts: Annotated[
        int | None,
        typed.Option(
            min=1,
            help="With --sequential: attempts the candidate makes per task. [default: those of the baseline]",
        ),
    ] = None,
    any_verifier: AnyVerifierOption = False,
    success: SuccessOnlyOption = None,
) -> None:
    """Pass or fail a candidate on the tasks it shares with a baseline: the regression gate.

    Exit code 0: a loss of the margin or more is ruled out. 3: a loss is shown. 4: too little data to tell, or
    machinery failures could decide it. 2: there are no such trials.
    """
    from adjudge.api import gate, sequential_gate
    from adjudge.cli.shared.progress import waiting
    from adjudge.reports import markdown, terminal

    asked: dict[str, Any] = {
        "margin": margin,
        "ledger": ledger,
        "where": wanted,
        "choices": choices,
        "success": success,
        "any_verifier": any_verifier,
    }
    if attempts is not None and not sequential:
        raise UsageError("--attempts goes with --sequential", found=attempts)
    with waiting("reading the ledger"):
        found: RegressionGate | SequentialGate
        if sequential:
            found = sequential_gate(baseline, candidate, attempts=attempts, **asked)
        else:
            found = gate(baseline, candidate, **asked)
    out.write(out.render(found, terminal.render_gate, markdown.render_gate))
    raise typed.Exit(found.exit_code)
