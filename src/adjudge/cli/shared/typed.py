"""How a command says what it takes: the types of its function, with an `Option` or `Argument` beside each.

    @prints(Format.TERMINAL, Format.JSON)
    def command(
        out: Out,
        task: Annotated[Path, typed.Argument(metavar="TASK", help="The task's folder.")],
        workers: Annotated[int, typed.Option("--workers", min=1, help="Verifiers at once.")] = 2,
    ) -> None:

These are plain values: declaring a command imports nothing, and its annotations are read only once the
command is called or asked for its help (`build.py` makes a Click command of it then). A decorator such as
`prints` adds options to a command and takes their values for it.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

Function = Callable[..., None]


class Exit(Exception):  # noqa: N818 - the way a command ends, not an error
    """Ends the command with this exit code; whatever is to be said has been said."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Option:
    """Beside a parameter's type: an option, by its names (else by the parameter's)."""

    def __init__(
        self,
        *names: str,
        help: str = "",  # noqa: A002 - as everyone calls it
        metavar: str | None = None,
        min: float | None = None,  # noqa: A002
        max: float | None = None,  # noqa: A002
    ) -> None:
        self.names, self.help, self.metavar = names, help, metavar
        self.min, self.max = min, max


class Argument:
    """Beside a parameter's type: an argument, which goes by its place."""

    def __init__(self, *, help: str = "", metavar: str | None = None) -> None:  # noqa: A002
        self.help, self.metavar = help, metavar


class Added(NamedTuple):
    """An option that a decorator gives to a command."""

    kind: Any
    option: Option
    default: Any


def added(declared: Any, default: Any) -> Added:
    """The same as a parameter that is declared `Annotated[type, Option(...)]` with this default."""
    kind, option = get_args(declared)
    return Added(kind, option, default)


@dataclass(frozen=True)  # not a Struct: help screens do without msgspec
class Parameter:
    """One option or argument of a command. `kind` is the type of one value, of which it may take several."""

    name: str
    kind: Any
    several: bool
    info: Option | Argument
    default: Any
    required: bool

    @property
    def names(self) -> tuple[str, ...]:
        """An option's names as they are typed: `("--output", "-o")`, `("--cache/--no-cache",)`."""
        given = self.info.names if isinstance(self.info, Option) else ()
        plain = self.name.replace("_", "-")
        return given or ((f"--{plain}/--no-{plain}",) if self.kind is bool else (f"--{plain}",))

    @property
    def default_shown(self) -> str:
        """`[default: …]`, unless there is none or the help itself says what it is."""
        if self.required or self.default in (None, False) or "[default:" in self.info.help:
            return ""
        if self.default is True:
            return f"[default: {self.names[0].split('/')[0]}]"
        return f"[default: {getattr(self.default, 'value', self.default)}]"

    @property
    def words(self) -> tuple[str, ...]:
        """The words that a choice allows; none for a type that is no choice."""
        members = getattr(self.kind, "__members__", None)
        if members is not None:
            return tuple(str(member.value) for member in members.values())
        return tuple(str(word) for word in get_args(self.kind))


class Commands:
    """A command with subcommands; `default` is the one that is meant if none of them is named."""

    def __init__(self, *, help: str, default: str | None = None) -> None:  # noqa: A002
        self.help, self.default = help, default
        self.commands: dict[str, Function] = {}

    def command(self, name: str) -> Callable[[Function], Function]:
        """Make a function the subcommand of this name."""

        def add(function: Function) -> Function:
            self.commands[name] = function
            return function

        return add


def add_options(
    command: Function,
    options: Callable[[], Mapping[str, Added]],
    receives: str,
    make: Callable[[dict[str, Any]], Any],
) -> Function:
    """The command with further options, which are asked for when the command is.

    Their values go through `make`, and the command's parameter `receives` gets what comes out.
    """

    @functools.wraps(command)
    def wrapped(**arguments: Any) -> None:
        values = {name: arguments.pop(name) for name in options()}
        command(**{receives: make(values)}, **arguments)

    del wrapped.__wrapped__  # its parameters are others
    wrapped.__dict__["adds"] = (command, options, receives)
    return wrapped


def passes_on(receives: str) -> Callable[[Function], Function]:
    """The command's parameter `receives` gets every argument that is none of its own, for another program."""

    def mark(command: Function) -> Function:
        command.__dict__["passes_on"] = receives
        return command

    return mark


def parameters_of(command: Function, received: frozenset[str] = frozenset()) -> list[Parameter]:
    """The options and arguments of a command, its own first, without those that it receives ready-made.

    Reads the annotations, so it imports their types.
    """
    if hasattr(command, "adds"):
        inner, options, receives = command.adds
        added = [
            _parameter(name, Annotated[given.kind, given.option], given.default)
            for name, given in options().items()
        ]
        return parameters_of(inner, received | {receives}) + added
    received |= {getattr(command, "passes_on", "")}
    own = [p for p in inspect.signature(command).parameters.values() if p.name not in received]
    declared = types.SimpleNamespace(__annotations__={p.name: p.annotation for p in own})
    hints = get_type_hints(declared, command.__globals__, include_extras=True)
    return [_parameter(p.name, hints[p.name], p.default) for p in own]


def _parameter(name: str, hint: Any, default: Any) -> Parameter:
    """Of `list[str] | None` the kind is str, and it takes several."""
    kind, info = get_args(hint)
    if get_origin(kind) in (types.UnionType, typing.Union):
        (kind,) = (part for part in get_args(kind) if part is not types.NoneType)
    several = get_origin(kind) is list
    if several:
        (kind,) = get_args(kind)
    required = default is inspect.Parameter.empty
    return Parameter(name, kind, several, info, None if required else default, required)
