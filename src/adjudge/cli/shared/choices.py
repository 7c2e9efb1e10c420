"""Options of every command that makes numbers: how a mean, its interval and a success are defined.

`takes_choices` gives a command these options; its parameter `choices` receives them, checked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from adjudge.cli.shared import typed
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.reports import Choices

_CHOICES = {
    "cluster": typed.Added(
        str,
        typed.Option(
            "--cluster",
            metavar="KEY",
            help="Which tasks belong together: category (the task's folder) or metadata.KEY; 'none' for "
            "none. [default: metadata.cluster, if trials have it]",
        ),
        None,
    ),
    "policy": typed.Added(
        Literal["zero", "exclude"],
        typed.Option(
            "--policy",
            help="A machinery failure counts as 0.0, or its trial is left out. The report says which.",
        ),
        "zero",
    ),
    "level": typed.Added(
        float, typed.Option("--level", help="The confidence level of every interval."), 0.95
    ),
    "method": typed.Added(
        Literal["score", "t", "bca"],
        typed.Option("--interval", help="How intervals are made; docs/statistics.md compares them."),
        "score",
    ),
    "seed": typed.Added(
        int, typed.Option("--seed", min=0, help="The seed of whatever is drawn at random."), 0
    ),
}
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


def takes_choices(
    group_by: typed.Added, *, without: tuple[str, ...] = (), **more: typed.Added
) -> Callable[[typed.Function], typed.Function]:
    """Give a command the options of `Choices`; how groups are named differs, and a command may add fields."""
    options = {"group_by": group_by, **more, **_CHOICES}
    for name in without:
        del options[name]
    return lambda command: typed.add_options(command, lambda: options, "choices", _choices)


def _choices(values: dict[str, Any]) -> Choices:
    """The choices, checked. UsageError says which is out of range."""
    from pydantic import ValidationError

    from adjudge.contracts import problem_of
    from adjudge.reports import Choices

    ks = values.pop("ks", None)
    try:
        return Choices(ks=None if ks is None else tuple(sorted(set(ks))), **values)
    except ValidationError as error:
        option = lambda name: "--" + name.replace("_", "-")  # noqa: E731 - one use
        raise UsageError(problem_of(error, named=option)) from None
