"""The command line: one module per command, in rooms, and only the module of the wanted command is imported.

A command module has either `command`, a function that Typer turns into the command, or `app`, a Typer
application with subcommands. Modules are thin: parse, call, print.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from adjudge.errors import AdjudgeError, UsageError

ROOMS: dict[str, tuple[str, ...]] = {
    "scoring": ("score", "run", "rescore", "ingest"),
    "records": ("trials", "show", "traces", "annotate", "tags", "ledger"),
    "reporting": ("report", "compare", "gate", "plan"),
    "exchange": ("import", "export", "harbor"),
    "tasks": ("audit", "check", "init", "tasks"),
    "machine": ("schema", "doctor"),
}
"""The folders of this one and the commands in each, in the order in which `adjudge --help` lists them.

A dash in a name is an underscore in its module's; a word that Python has taken has one at its end.
"""
COMMANDS = tuple(command for commands in ROOMS.values() for command in commands)


NO_MEMORY = "this machine gives adjudge no more memory or threads; free some, then run the same command again"
_SAID_WITHOUT_MEMORY = ("can't start new thread", "error return without exception set")
"""All that Python, or an extension of it, says on a machine that has no room left."""


def module_name(command: str) -> str:
    """The module of a command of `COMMANDS`."""
    room = next(room for room, commands in ROOMS.items() if command in commands)
    return f"adjudge.cli.{room}.{command.replace('-', '_')}{'_' * iskeyword(command)}"


def main() -> None:
    """The entry point: every failure becomes a sentence on stderr and an exit code, never a traceback.

    With `--json` it becomes `{"error": {what, file, …}, "exit_code": n}`, with every part of the `Problem`.
    """
    from adjudge.cli.shared.streams import open_standard_streams

    open_standard_streams()
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from adjudge._version import __version__

        print(f"adjudge {__version__}")
        return
    from adjudge.errors import AdjudgeError, UsageError

    try:
        for argument in arguments:
            if not _is_utf8(argument):
                raise UsageError("this argument is not UTF-8", found=argument)
        sys.exit(_run(arguments))
    except AdjudgeError as error:
        _fail(error, arguments)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except OSError as error:  # a full disk, a limit of this machine: the system's own words say it best
        if os.environ.get("ADJUDGE_TRACEBACK") == "1":
            raise
        _fail(AdjudgeError(str(error)), arguments)
    except MemoryError:
        _fail(AdjudgeError(NO_MEMORY), arguments)
    except Exception as error:  # the last line of defence: whatever it is, no traceback reaches a user
        if str(error) in _SAID_WITHOUT_MEMORY:
            _fail(AdjudgeError(NO_MEMORY), arguments)
        if os.environ.get("ADJUDGE_TRACEBACK") == "1":
            raise
        _fail(
            AdjudgeError(
                f"{type(error).__name__}: {error}",
                remedy="\nThis is a bug in adjudge. Set ADJUDGE_TRACEBACK=1 and run again to see where.",
            ),
            arguments,
        )


def _is_utf8(argument: str) -> bool:
    try:
        argument.encode("utf-8")
    except UnicodeEncodeError:  # Python keeps the bytes that are none as lone surrogates
        return False
    return True


def _run(arguments: list[str]) -> int:
    """Run a command; its exit code. UsageError for options and arguments that it does not take."""
    import typer
    from typer.core import TyperGroup

    class InOrder(TyperGroup):
        """Lists the commands as `COMMANDS` does; Typer by itself puts those with subcommands last."""

        def list_commands(self, ctx: object) -> list[str]:
            return sorted(self.commands, key=COMMANDS.index)

    app = typer.Typer(
        name="adjudge",
        cls=InOrder,
        help="Turn an agent's output into a validated reward, and keep that reward trustworthy.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )

    @app.callback()
    def root(
        version: bool = typer.Option(False, "--version", help="Print the version and stop."),
        engine_options: str | None = typer.Option(
            None, metavar="WORDS", help="For a container engine itself, such as '--runtime runc'."
        ),
        engine_run_options: str | None = typer.Option(
            None, metavar="WORDS", help="For each container, such as '--ulimit nofile=1024:1024'."
        ),
    ) -> None:
        # Through the environment, which is the other way to set them and reaches worker processes.
        for name, words in (("OPTIONS", engine_options), ("RUN_OPTIONS", engine_run_options)):
            if words is not None:
                os.environ[f"ADJUDGE_ENGINE_{name}"] = words

    wanted = next((a for a in arguments if not a.startswith("-")), None)
    for name in (wanted,) if wanted in COMMANDS else COMMANDS:
        module = import_module(module_name(name))
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(module.command)
    # Typer brings its own Click or takes the one installed; this class of either stands for wrong usage.
    bad_usage: Any = typer.BadParameter.__mro__[2]
    try:
        return app(args=arguments, prog_name="adjudge", standalone_mode=False) or 0
    except bad_usage as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message(), file=sys.stderr)
            return 2
        raise _usage_error(error) from None


def _usage_error(error: Any) -> UsageError:
    """What Typer has to say, in our words; how to call the command comes after it."""
    from adjudge.errors import UsageError

    context = getattr(error, "ctx", None)
    command = "adjudge" if context is None else context.command_path
    said = error.format_message().rstrip(".")
    return UsageError(said[:1].lower() + said[1:], remedy=f"See {command} --help.")


def _fail(error: AdjudgeError, arguments: list[str]) -> NoReturn:
    if "--json" in arguments:
        import json

        from adjudge._escape import escape_json

        told = {"error": error.problem.as_json(), "exit_code": error.exit_code}
        print(escape_json(json.dumps(told, indent=2, ensure_ascii=False)), file=sys.stderr)
    else:
        from adjudge.errors import printable

        print(printable(f"error: {error}", keep_newlines=True), file=sys.stderr)
    sys.exit(error.exit_code)
