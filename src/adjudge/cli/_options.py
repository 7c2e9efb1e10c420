"""Options that many commands share, written once: which ledger, and which trials.

`takes_filter` gives a command every option of `TrialFilter`; the command only sees the finished filter.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from typing import Annotated, Any, get_type_hints

import typer

from adjudge.errors import UsageError
from adjudge.ledger import TrialFilter

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

_Names = list[str] | None
_FILTERS: dict[str, tuple[Any, Any]] = {
    "experiment": (
        _Names,
        typer.Option("--experiment", metavar="NAME", help="Of this experiment. Repeatable."),
    ),
    "agent": (_Names, typer.Option("--agent", metavar="NAME", help="By this agent. Repeatable.")),
    "model": (
        _Names,
        typer.Option("--model", metavar="NAME", help="With this model; '' for none. Repeatable."),
    ),
    "task": (
        _Names,
        typer.Option(
            "--task", metavar="ID", help="Of this task; 'circuits/*' for all that begin so. Repeatable."
        ),
    ),
    "task_digest": (
        _Names,
        typer.Option("--task-digest", metavar="SHA256", help="Scored by this version of a task."),
    ),
    "tag": (
        _Names,
        typer.Option("--tag", metavar="CATEGORY", help="With a tag of this category. Repeatable."),
    ),
    "outcome": (
        _Names,
        typer.Option(
            "--outcome",
            metavar="WORD",
            help="scored, wrong, 'nothing usable', suspected or 'machinery failed'. Repeatable.",
        ),
    ),
    "min_reward": (
        float | None,
        typer.Option("--min-reward", metavar="REWARD", help="With at least this reward."),
    ),
    "max_reward": (
        float | None,
        typer.Option("--max-reward", metavar="REWARD", help="With at most this reward."),
    ),
    "output_parseable": (
        bool | None,
        typer.Option("--parseable/--unparseable", help="Whose output does, or does not, parse."),
    ),
    "schema_valid": (
        bool | None,
        typer.Option(
            "--schema-valid/--schema-invalid", help="Whose output has, or has not, the right shape."
        ),
    ),
    "verifier_completed": (
        bool | None,
        typer.Option("--completed/--not-completed", help="Whose verifier did, or did not, finish."),
    ),
    "annotated": (
        bool | None,
        typer.Option("--annotated/--not-annotated", help="That a person has, or has not, reviewed."),
    ),
    "reviewer": (
        _Names,
        typer.Option("--reviewer", metavar="ID", help="Reviewed by this person. Repeatable."),
    ),
    "disagreement": (
        bool | None,
        typer.Option("--disagreement/--no-disagreement", help="Where a reviewer contradicts the reward."),
    ),
    "threshold": (
        float,
        typer.Option(
            "--threshold", metavar="REWARD", help="The reward from which on a verifier counts as saying pass."
        ),
    ),
    "scored_after": (
        str | None,
        typer.Option("--since", metavar="TIME", help="Scored at or after this ISO date or time."),
    ),
    "scored_before": (
        str | None,
        typer.Option("--until", metavar="TIME", help="Scored before this ISO date or time."),
    ),
}


def takes_filter(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `TrialFilter`; its parameter `wanted` receives the filter."""
    own = [p for p in inspect.signature(command).parameters.values() if p.name != "wanted"]
    defaults = {field.name: field.default for field in fields(TrialFilter)}
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults[name] if kind is float else None,
            annotation=Annotated[kind, option],
        )
        for name, (kind, option) in _FILTERS.items()
    ]

    @functools.wraps(command)
    def wrapped(**arguments: Any) -> None:
        values = {name: arguments.pop(name) for name in _FILTERS}
        command(wanted=_filter(values), **arguments)

    hints = get_type_hints(command, include_extras=True)
    kept = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[p.name]) for p in own]
    del wrapped.__wrapped__
    wrapped.__signature__ = inspect.Signature([*kept, *added])  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in (*kept, *added)}
    return wrapped


def _filter(values: dict[str, Any]) -> TrialFilter:
    ready: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    for name in ("scored_after", "scored_before"):
        if ready[name] is not None:
            ready[name] = _moment("--since" if name == "scored_after" else "--until", ready[name])
    return TrialFilter(**{name: value for name, value in ready.items() if value is not None})


def _moment(option: str, text: str) -> datetime:
    """A date or a time; without a zone it is UTC."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            "this is no date or time",
            field=option,
            found=text,
            allowed="2026-03-01 or 2026-03-01T12:30+02:00",
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
