"""The command line: one module per command, in rooms, and only the module of the wanted command is imported.

A command module has either `command`, a function whose types say what the command takes (`shared/typed.py`),
or `app`, a group of such functions. Modules are thin: parse, call, print. They import what they call inside
their functions, so that a wrong option or `--help` costs no more than itself.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from importlib import import_module
from keyword import iskeyword

from adjudge.standby import offer

TYPE_CHECKING = False  # as in `adjudge._lazy`
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from adjudge.errors import AdjudgeError

ROOMS: dict[str, dict[str, str]] = {
    "scoring": {
        "score": "Score one output with a task's verifier, in the sandbox.",
        "run": "Score every output that a manifest or a folder names.",
        "rescore": "Score stored outputs again with today's verifiers.",
        "ingest": "Record verifier artifacts that already exist.",
    },
    "records": {
        "trials": "List trials: filter, sort, page.",
        "show": "Show one trial: reward, validity, fields, reviews.",
        "traces": "Keep, show and search what agents did, turn by turn.",
        "annotate": "Record what people think of a trial.",
        "tags": "Group the error tags of trials by category, task and agent.",
        "ledger": "Look after a ledger: info, verify, sign, backup, migrate.",
    },
    "judges": {
        "judge": "Let models score trials by a rubric, beside the reward.",
        "calibrate": "Hold judges against people, criterion by criterion.",
        "classify": "Let judges say why trials failed, in given categories.",
    },
    "reporting": {
        "report": "Report on trials: rewards with intervals and coverage.",
        "compare": "Compare sides on the tasks they share.",
        "gate": "Pass or fail a candidate against a baseline.",
        "plan": "Plan how many tasks and attempts show a difference.",
    },
    "serving": {
        "serve": "Serve the review app and the HTTP API of a ledger.",
        "users": "Say who may use a server over a ledger, and as what.",
    },
    "exchange": {
        "import": "Bring trials that others ran into the ledger.",
        "export": "Write trials as tables, or in other people's formats.",
        "harbor": "Run Harbor in our sandbox, recording into the ledger.",
    },
    "tasks": {
        "audit": "Find out whether a verifier can be trusted.",
        "check": "Check tasks without running them.",
        "init": "Start a task: instruction, verifier, solution, goldens.",
        "redteam": "Let a model try to pass a task without solving it.",
        "kit": "Write the authoring kit into tasks, or refresh it.",
        "tasks": "List the tasks in a folder: format, output path, limits.",
    },
    "machine": {
        "schema": "Print the JSON Schema of one contract, or of all of them.",
        "doctor": "Say what works here, what does not, and what to install.",
        "standby": "Keep a process ready, so that commands start at once.",
    },
}
"""The folders of this one and the commands in each, in the order in which `adjudge --help` lists them.

What each is for stands here, too, so that listing them imports none of them. A dash in a name is an
underscore in its module's; a word that Python has taken has one at its end.
"""
COMMANDS = tuple(command for commands in ROOMS.values() for command in commands)


NO_MEMORY = "this machine gives adjudge no more memory or threads; free some, then run the same command again"
_SAID_WITHOUT_MEMORY = (
    "can't start new thread",
    "error return without exception set",
    "failed to map segment from shared object",
)
"""All that Python, or an extension of it, says on a machine that has no room left."""


def module_name(command: str) -> str:
    """The module of a command of `COMMANDS`."""
    room = next(room for room, commands in ROOMS.items() if command in commands)
    return f"adjudge.cli.{room}.{command.replace('-', '_')}{'_' * iskeyword(command)}"


def main() -> None:
    """The entry point: the resident process runs the command if there is one, else this process does."""
    run_here(offer)


def run_here(first: Callable[[], object]) -> None:
    """Call `first`, then run the command here; an interruption of either becomes a word and an exit code."""
    try:
        first()
        _run_here()
    except KeyboardInterrupt:
        _fail(_interrupted(), sys.argv[1:], before="")


def _run_here() -> None:
    """Every failure becomes a sentence on stderr and an exit code, never a traceback.

    With `--json` or `--format json` it becomes `{"error": {what, file, …}, "exit_code": n}`, with every
    part of the `Problem`.
    """
    from adjudge.cli.shared.streams import open_standard_streams

    open_standard_streams()
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from adjudge._version import __version__

        print(f"adjudge {__version__}")
        return
    from adjudge._lazy import start_light
    from adjudge.errors import AdjudgeError, UsageError

    start_light()
    atexit.register(gc.freeze)  # Python's end would look for cycles among all that ends with it
    try:
        for argument in arguments:
            if not _is_utf8(argument):
                raise UsageError("this argument is not UTF-8", found=argument)
        sys.exit(_run(arguments))
    except AdjudgeError as error:
        _fail(error, arguments)
    except OSError as error:  # a full disk, a limit of this machine: the system's own words say it best
        if os.environ.get("ADJUDGE_TRACEBACK") == "1":
            raise
        _fail(AdjudgeError(error.strerror or str(error), file=error.filename), arguments)
    except MemoryError:
        _fail(AdjudgeError(NO_MEMORY), arguments)
    except Exception as error:  # the last line of defence: whatever it is, no traceback reaches a user
        if str(error).endswith(_SAID_WITHOUT_MEMORY):
            _fail(AdjudgeError(NO_MEMORY), arguments)
        if os.environ.get("ADJUDGE_TRACEBACK") == "1":
            raise
        _fail(
            _forged_ledger()
            or AdjudgeError(
                f"{type(error).__name__}: {error}",
                remedy="\nThis is a bug in adjudge. Set ADJUDGE_TRACEBACK=1 and run again to see where.",
            ),
            arguments,
        )


def _interrupted() -> AdjudgeError:
    from adjudge.errors import AdjudgeError

    stopped = AdjudgeError("interrupted")
    stopped.exit_code = 130
    return stopped


def _forged_ledger() -> AdjudgeError | None:
    """If the command read a ledger that was changed by others: that, for then it is no bug."""
    if "adjudge.ledger" not in sys.modules:
        return None
    from adjudge.ledger import forged_ledger

    try:
        return forged_ledger()
    except Exception:  # a second failure must not hide the first, nor reach a user as a traceback
        return None


def _is_utf8(argument: str) -> bool:
    try:
        argument.encode("utf-8")
    except UnicodeEncodeError:  # Python keeps the bytes that are none as lone surrogates
        return False
    return True


def _run(arguments: list[str]) -> int:
    """Run a command; its exit code. UsageError for options and arguments that it does not take."""
    from adjudge.cli.shared.build import Root, run
    from adjudge.cli.shared.root import enter

    summaries = {name: text for commands in ROOMS.values() for name, text in commands.items()}
    root = Root(
        "Turn an agent's output into a validated reward, and keep that reward trustworthy.",
        summaries,
        lambda name: import_module(module_name(name)),
        enter,
    )
    return run(root, arguments)


def _asks_for_json(arguments: list[str]) -> bool:
    """By `--json` or `--format json`: whoever reads the result with a program reads the failure with it."""
    line = f" {' '.join(arguments)} ".replace("--format=", "--format ")
    return any(f" {words} " in line for words in ("--json", "--format json", "--format jsonl"))


def _fail(error: AdjudgeError, arguments: list[str], *, before: str = "error: ") -> NoReturn:
    if _asks_for_json(arguments):
        import json

        from adjudge._escape import escape_json

        told = {"error": error.problem.as_json(), "exit_code": error.exit_code}
        print(escape_json(json.dumps(told, indent=2, ensure_ascii=False)), file=sys.stderr)
    else:
        from adjudge.errors import printable

        print(printable(f"{before}{error}", keep_newlines=True), file=sys.stderr)
    sys.exit(error.exit_code)
