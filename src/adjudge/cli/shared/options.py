"""Options that many commands share, written once: which ledger, and which trials.

`takes_filter` gives a command every option of `TrialFilter`; the command only sees the finished filter.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, get_type_hints

import typer

from adjudge.ledger import TrialFilter, flag_of, kind_of

LedgerOption = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="PATH|URL",
        help="The ledger: a SQLite file or a postgresql:// URL. [default: ADJUDGE_LEDGER, else ./adjudge.db]",
    ),
]
BlobsOption = Annotated[
    str | None,
    typer.Option(
        "--blobs",
        metavar="FOLDER|URL",
        help="Where large blobs are kept. [default: ADJUDGE_BLOBS, else beside a SQLite ledger]",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]

_GIVEN: dict[type, Any] = {
    str: list[str] | None,
    float: float | None,
    bool: bool | None,
    datetime: str | None,
}
"""What Typer reads for a field of the filter, by the kind of its values."""


def takes_filter(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `TrialFilter`; its parameter `wanted` receives the filter."""
    own = [p for p in inspect.signature(command).parameters.values() if p.name != "wanted"]
    added = [_parameter(name) for name in TrialFilter.model_fields]

    @functools.wraps(command)
    def wrapped(**arguments: Any) -> None:
        values = {name: arguments.pop(name) for name in TrialFilter.model_fields}
        command(wanted=TrialFilter.from_options(values), **arguments)

    hints = get_type_hints(command, include_extras=True)
    kept = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[p.name]) for p in own]
    del wrapped.__wrapped__
    wrapped.__signature__ = inspect.Signature([*kept, *added])  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in (*kept, *added)}
    return wrapped


def _parameter(name: str) -> inspect.Parameter:
    """The option of a field, as the filter itself describes it."""
    field, flag, kind = TrialFilter.model_fields[name], flag_of(name), kind_of(name)
    words = f"{field.description} Repeatable." if kind is str else str(field.description)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=field.default if isinstance(field.default, float) else None,
        annotation=Annotated[
            float if isinstance(field.default, float) else _GIVEN[kind],
            typer.Option(flag.spelling, metavar=flag.metavar, help=words),
        ],
    )
