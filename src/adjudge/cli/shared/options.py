"""Options that many commands share, written once: which ledger, and which trials.

`takes_filter` gives a command every option of `TrialFilter`; the command only sees the finished filter.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from adjudge.cli.shared import typed

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from adjudge.ledger import TrialFilter

LedgerOption = Annotated[
    str | None,
    typed.Option(
        "--ledger",
        metavar="PATH|URL",
        help="The ledger: a SQLite file or a postgresql:// URL. [default: ADJUDGE_LEDGER, else ./adjudge.db]",
    ),
]
BlobsOption = Annotated[
    str | None,
    typed.Option(
        "--blobs",
        metavar="FOLDER|URL",
        help="Where large blobs are kept. [default: ADJUDGE_BLOBS, else beside a SQLite ledger]",
    ),
]


def takes_filter(command: typed.Function) -> typed.Function:
    """Give a command the options of `TrialFilter`; its parameter `wanted` receives the filter."""
    return typed.add_options(command, _filter_options, "wanted", _filter)


def takes_filter_beside_judges(command: typed.Function) -> typed.Function:
    """The same for commands in which `--model` names a judge: the agent's model is `--agent-model` there."""
    return typed.add_options(command, _options_beside_judges, "wanted", _filter)


def _filter(values: dict[str, Any]) -> TrialFilter:
    from adjudge.ledger import TrialFilter

    return TrialFilter.from_options(values)


@cache
def _filter_options() -> dict[str, typed.Added]:
    """The options of all fields, as the filter itself describes them."""
    from adjudge.ledger import TrialFilter

    return {name: _option(name, field) for name, field in TrialFilter.model_fields.items()}


def _options_beside_judges() -> dict[str, typed.Added]:
    options = _filter_options()
    theirs = options["model"]
    spelled = typed.Option("--agent-model", metavar=theirs.option.metavar, help=theirs.option.help)
    return {**options, "model": theirs._replace(option=spelled)}


def _option(name: str, field: FieldInfo) -> typed.Added:
    from adjudge.ledger import flag_of, kind_of

    flag, kind = flag_of(name), kind_of(name)
    words = f"{field.description} Repeatable." if kind is str else str(field.description)
    return typed.Added(
        {str: list[str], datetime: str}.get(kind, kind),
        typed.Option(flag.spelling, metavar=flag.metavar, help=words),
        field.default if isinstance(field.default, float) else None,
    )
