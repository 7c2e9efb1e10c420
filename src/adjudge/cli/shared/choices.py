"""Options of every command that makes numbers: how a mean, its interval and a success are defined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from adjudge.cli.shared import typed
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.reports import Choices

ClusterOption = Annotated[
    str | None,
    typed.Option(
        "--cluster",
        metavar="KEY",
        help="Which tasks belong together: category (the task's folder) or metadata.KEY; 'none' for none. "
        "[default: metadata.cluster, if trials have it]",
    ),
]
PolicyOption = Annotated[
    Literal["zero", "exclude"],
    typed.Option(
        "--policy", help="A machinery failure counts as 0.0, or its trial is left out. The report says which."
    ),
]
SuccessOption = Annotated[
    float,
    typed.Option(
        "--success",
        metavar="REWARD",
        help="The lowest reward that is a success, for pass rate, pass@k and pass^k.",
    ),
]
KOption = Annotated[
    list[int] | None,
    typed.Option(
        "--k",
        "-k",
        min=1,
        help="The k of pass@k and pass^k. Repeatable. [default: the usual number of attempts]",
    ),
]
LevelOption = Annotated[float, typed.Option("--level", help="The confidence level of every interval.")]
IntervalOption = Annotated[
    Literal["score", "t", "bca"],
    typed.Option("--interval", help="How intervals are made; docs/statistics.md compares them."),
]
SeedOption = Annotated[int, typed.Option("--seed", min=0, help="The seed of whatever is drawn at random.")]
AnyVerifierOption = Annotated[
    bool,
    typed.Option(
        "--any-verifier", help="Also compare trials that different versions of a task's verifier scored."
    ),
]
SuccessOnlyOption = Annotated[
    float | None,
    typed.Option(
        "--success",
        metavar="REWARD",
        help="Compare the share of attempts with at least this reward, not the reward itself.",
    ),
]


def choices_of(*, ks: list[int] | None, **values: Any) -> Choices:
    """The choices, checked. UsageError says which is out of range."""
    from pydantic import ValidationError

    from adjudge.contracts import problem_of
    from adjudge.reports import Choices

    try:
        return Choices(ks=None if ks is None else tuple(sorted(set(ks))), **values)
    except ValidationError as error:
        option = lambda name: "--" + name.replace("_", "-")  # noqa: E731 - one use
        raise UsageError(problem_of(error, named=option)) from None
