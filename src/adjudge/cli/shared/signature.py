"""Options that many commands share, added to a command's signature by a decorator."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_type_hints


def add_options(
    command: Callable[..., None],
    options: Mapping[str, tuple[Any, Any, Any]],
    receives: str,
    make: Callable[[dict[str, Any]], Any],
) -> Callable[..., None]:
    """The command with further options: name -> (type, typer.Option, default).

    Their values go through `make`, and the command's parameter `receives` gets what comes out.
    """
    hints = get_type_hints(command, include_extras=True)
    own = [
        p.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[p.name])
        for p in inspect.signature(command).parameters.values()
        if p.name != receives
    ]
    added = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
        )
        for name, (kind, option, default) in options.items()
    ]

    @functools.wraps(command)
    def wrapped(**arguments: Any) -> None:
        values = {name: arguments.pop(name) for name in options}
        command(**{receives: make(values)}, **arguments)

    del wrapped.__wrapped__  # else Typer would read the signature of the command itself
    wrapped.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in (*own, *added)}
    return wrapped
