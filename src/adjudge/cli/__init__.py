"""The command line: one module a command, and only the module of the command that was asked for is imported.

A command module has either `command`, a function that Typer turns into the command, or `app`, a Typer
application with subcommands. Modules are thin: parse, call, print.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from keyword import iskeyword
from typing import NoReturn

COMMANDS: tuple[str, ...] = (
    *("score", "run", "rescore", "ingest"),
    *("trials", "show", "annotate", "ledger"),
    *("report", "compare", "gate"),
    *("import", "export", "harbor"),
    *("audit", "check", "init", "tags"),
    *("tasks", "schema", "doctor"),
)
"""In the order in which `adjudge --help` lists them. A dash in a name is an underscore in its module's;
a word that Python has taken has one at its end."""


NO_MEMORY = "this machine gives adjudge no more memory or threads; free some, then run the same command again"


def module_name(command: str) -> str:
    """The module of a command of `COMMANDS`."""
    return f"adjudge.cli.{command.replace('-', '_')}{'_' * iskeyword(command)}"


def main() -> None:
    """The entry point: every failure becomes a sentence on stderr and an exit code, never a traceback."""
    _open_standard_streams()
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from adjudge._version import __version__

        print(f"adjudge {__version__}")
        return
    from adjudge.errors import AdjudgeError

    try:
        _run(arguments)
    except AdjudgeError as error:
        _fail(f"error: {error}", error.exit_code)
    except KeyboardInterrupt:
        _fail("interrupted", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # keeps the exit flush quiet
        sys.exit(141)
    except OSError as error:  # a full disk, a limit of this machine: the system's own words say it best
        if os.environ.get("ADJUDGE_TRACEBACK") == "1":
            raise
        _fail(f"error: {error}", 1)
    except MemoryError:
        _fail(f"error: {NO_MEMORY}", 1)
    except Exception as error:  # the last line of defence: whatever it is, no traceback reaches a user
        if str(error) == "can't start new thread":  # all that Python says of a machine without room for one
            _fail(f"error: {NO_MEMORY}", 1)
        if os.environ.get("ADJUDGE_TRACEBACK") == "1":
            raise
        _fail(
            f"error: {type(error).__name__}: {error}\n"
            "This is a bug in adjudge. Set ADJUDGE_TRACEBACK=1 and run again to see where.",
            1,
        )


def _open_standard_streams() -> None:
    """Whoever starts adjudge with a stream closed gets an empty one.

    Else the next file that is opened would take its number, and be mistaken for it by every program started.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115 - stays


def _run(arguments: list[str]) -> None:
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
    def root(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
        pass

    wanted = next((a for a in arguments if not a.startswith("-")), None)
    for name in (wanted,) if wanted in COMMANDS else COMMANDS:
        module = import_module(module_name(name))
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(module.command)
    app(args=arguments, prog_name="adjudge")


def _fail(message: str, code: int) -> NoReturn:
    from adjudge.reports.printable import printable

    print(printable(message, keep_newlines=True), file=sys.stderr)
    sys.exit(code)
