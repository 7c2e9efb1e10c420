"""A command's declaration (`typed`) becomes a Click command: Click parses, and writes the help screens.

Click and the types that options speak of are imported only here, when a command is called or asked for its
help. The values that a command gets have been checked: a number is finite and in its range, a choice is one
of its words.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from inspect import getdoc
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click

from adjudge._secrets import without_secrets
from adjudge.cli.shared import typed
from adjudge.errors import UsageError


def run(root: Root, arguments: list[str]) -> int:
    """Call the command that the arguments name; its exit code. UsageError if they cannot be meant."""
    try:
        root.main(args=arguments, prog_name="adjudge", standalone_mode=False)
    except typed.Exit as end:
        return end.code
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message(), file=sys.stderr)
        return 2
    except click.UsageError as error:
        raise _usage_error(error) from None
    except click.Abort:  # what Click makes of Ctrl-C
        raise KeyboardInterrupt from None
    return 0


def _usage_error(error: click.UsageError) -> UsageError:
    """What Click has to say, in our words; how to call the command comes after it."""
    command = "adjudge" if error.ctx is None else error.ctx.command_path
    if isinstance(error, click.NoSuchOption):  # each version of Click words it in its own way
        near = f" (Possible options: {', '.join(error.possibilities)})" if error.possibilities else ""
        said = f"no such option: {error.option_name}{near}"
    else:
        said = error.format_message().rstrip(".")
    return UsageError(said[:1].lower() + said[1:], remedy=f"See {command} --help.")


def _short(text: str, room: int) -> str:
    """The first sentence of a description, or as much of it as there is room for."""
    return click.Command(None, help=text).get_short_help_str(limit=room)


def _command(name: str, function: typed.Function) -> click.Command:
    receives = getattr(function, "passes_on", None)

    parameters = typed.parameters_of(function)

    def call(**values: Any) -> None:
        for parameter in parameters:
            if parameter.several:
                values[parameter.name] = list(values[parameter.name]) or parameter.default
        if receives is not None:
            values[receives] = click.get_current_context().args
        function(**values)

    return _Command(
        name,
        callback=call,
        params=[_Argument(p) if isinstance(p.info, typed.Argument) else _option(p) for p in parameters],
        help=getdoc(function),
        context_settings={
            "allow_extra_args": receives is not None,
            "ignore_unknown_options": receives is not None,
        },
    )


class _Command(click.Command):
    """Its help screen explains arguments as it does options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(p.shown, p.about) for p in self.params if isinstance(p, _Argument)]
        if rows:
            with formatter.section("Arguments"):
                formatter.write_dl(rows)
        super().format_options(ctx, formatter)


class _Named(click.Group):
    """A group that knows the names of its commands before it builds one, and names the nearest."""

    def __init__(self, name: str, help: str, summaries: Mapping[str, str], **rest: Any) -> None:  # noqa: A002
        super().__init__(name, help=help, no_args_is_help=True, **rest)
        self.summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        room = formatter.width - 6 - max(map(len, self.summaries))
        rows = [(name, _short(text, room)) for name, text in self.summaries.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.summaries and name[:1] not in ("-", ""):
            from difflib import get_close_matches

            near = ", ".join(map(repr, get_close_matches(name, self.summaries)))
            ctx.fail(f"no such command {name!r}" + (f". Did you mean {near}?" if near else ""))
        return super().resolve_command(ctx, args)


class Root(_Named):
    """All commands, each imported when it is called; `enter` gets the options that stand before one."""

    def __init__(
        self,
        help: str,  # noqa: A002
        summaries: Mapping[str, str],
        load: Callable[[str], ModuleType],
        enter: typed.Function,
    ) -> None:
        options = [_option(parameter) for parameter in typed.parameters_of(enter)]
        super().__init__("adjudge", help, summaries, params=options, callback=enter)
        self.load = load

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.summaries:
            return None
        module = self.load(cmd_name)
        group: typed.Commands | None = getattr(module, "app", None)
        return _command(cmd_name, module.command) if group is None else _Group(cmd_name, group)


class _Group(_Named):
    """The subcommands of a `typed.Commands`."""

    def __init__(self, name: str, group: typed.Commands) -> None:
        summaries = {name: getdoc(function) or "" for name, function in group.commands.items()}
        super().__init__(name, group.help, summaries)
        self.declared = group

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        function = self.declared.commands.get(cmd_name)
        return None if function is None else _command(cmd_name, function)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        default = self.declared.default
        if default and args and args[0] != "--help" and args[0] not in self.declared.commands:
            args = [default, *args]
        return super().parse_args(ctx, args)


class _Argument(click.Argument):
    """An argument with its help, which Click itself has for options only."""

    def __init__(self, parameter: typed.Parameter) -> None:
        self.about = " ".join(filter(None, (parameter.info.help, parameter.default_shown)))
        super().__init__(
            [parameter.name],
            required=parameter.required,
            nargs=-1 if parameter.several else 1,
            type=_Value(parameter),
            **_default(parameter),
        )
        word = (parameter.info.metavar or parameter.name.upper()).strip("[]")
        self.shown = word if parameter.required else f"[{word}]"

    def make_metavar(self, ctx: click.Context | None = None) -> str:
        return self.shown


def _option(parameter: typed.Parameter) -> click.Option:
    is_flag = parameter.kind is bool
    return click.Option(
        [parameter.name, *parameter.names],
        required=parameter.required,
        multiple=parameter.several,
        is_flag=is_flag,
        type=bool if is_flag else _Value(parameter),
        metavar=parameter.info.metavar,
        help=" ".join(filter(None, (parameter.info.help, _bounds(parameter.info), parameter.default_shown))),
        **_default(parameter),
    )


def _default(parameter: typed.Parameter) -> dict[str, Any]:
    """As a keyword: to newer Click an explicit None is a value, so that nothing would be missing."""
    return {} if parameter.required or parameter.several else {"default": parameter.default}


def _bounds(info: typed.Option | typed.Argument) -> str:
    low, high = getattr(info, "min", None), getattr(info, "max", None)
    if low is not None and high is not None:
        return f"[from {low:g} to {high:g}]"
    return "" if low is None else f"[at least {low:g}]"


if TYPE_CHECKING:
    _AnyValue = click.ParamType[Any]
else:
    _AnyValue = click.ParamType  # older versions of which are not generic


class _Value(_AnyValue):
    """One value of a kind, read from its text."""

    def __init__(self, parameter: typed.Parameter) -> None:
        self.kind, self.words = parameter.kind, parameter.words
        self.low, self.high = getattr(parameter.info, "min", None), getattr(parameter.info, "max", None)
        self.name = "word" if self.words else self.kind.__name__.lower()

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return f"<{'|'.join(self.words) or _KINDS[self.kind].split()[-1]}>"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):  # a default
            return value
        if self.words:
            if value not in self.words:
                self.fail(f"{value!r} is not one of {', '.join(map(repr, self.words))}", param, ctx)
            return self.kind(value) if isinstance(self.kind, type) else value
        if self.kind is Path and "://" in value:  # of a ledger, most likely, with its password
            self.fail(f"{without_secrets(value)!r} is an address, not a path", param, ctx)
        return self.kind(value) if self.kind in (str, Path) else self._number(value, param, ctx)

    def _number(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number: float = self.kind(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            self.fail(f"{text!r} is not {_KINDS[self.kind]}", param, ctx)
        if self.low is not None and number < self.low:
            self.fail(f"{text} is less than {self.low:g}", param, ctx)
        if self.high is not None and number > self.high:
            self.fail(f"{text} is more than {self.high:g}", param, ctx)
        return number


_KINDS = {str: "text", Path: "path", int: "a whole number", float: "a number"}
