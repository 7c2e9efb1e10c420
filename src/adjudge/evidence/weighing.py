"""Which signs count: the one place that decides it.

a program, module or file that the verifier needs is missing   counts
the same, but the script has something else to do then         does not
an install or the network failed                               counts if what was to be fetched is needed
                                                               and missing, or if the script ends with it
a test runner said how many tests passed or failed             installs and the network no longer count
a look at the files alone                                      counts if the verifier would not be heard
exit code 126 or 127, or a signal                              counts, unless the agent's program did it, or
                                                               an assertion of a compiled test failed
a library that the linker lacks                                counts if the scripts themselves name it
exit code 1, a failed assertion, an error that data can cause  never counts
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from adjudge._lazy import late_pattern
from adjudge.evidence.command_line import gives_up, has_fallback, started_by_uv, unwrapped
from adjudge.evidence.sign import PREPARATION, Lack, Sign, SignKind
from adjudge.evidence.words import Heard

if TYPE_CHECKING:
    from adjudge.evidence.shell import Command
    from adjudge.evidence.static import StaticLook

_ABORTED = (-signal.SIGABRT, 128 + signal.SIGABRT)
_CAUSE = {126: "found but could not be executed", 127: "command not found"}
_ORNAMENT_NAMES = "tput clear stty reset figlet nproc free lscpu hostname locale lsb_release tree banner"
_ORNAMENTS = frozenset(_ORNAMENT_NAMES.split())
"""Programs whose absence changes no result."""
_RUNNERS = frozenset({"pytest", "py.test", "unittest", "uv", "uvx", "pip", "pip3", "pipx"})
_DOWNLOAD = late_pattern(
    r"^-[a-zA-Z]*[oO]$|--output|\.(?:sh|gz|zip|whl|deb|tgz|xz|py)$|install|releases/download"
)
_UV_ENVIRONMENT = late_pattern(r"/\.(?:local/bin|cargo)/env$")


def weigh(
    heard: Heard,
    observed: Sequence[Sign] = (),
    look: StaticLook | None = None,
    *,
    exit_code: int | None = None,
    runs_output: bool = False,
) -> list[Sign]:
    """The signs that count, those of one thing put together; the verifier's own words come first.

    With `runs_output` a signal may have ended the agent's program, whose status the verifier passes on.
    """
    commands = [] if look is None else [c for listed in look.needs.commands.values() for c in listed]
    signs: dict[tuple[Lack, str], Sign] = {}
    preparation: dict[tuple[Lack, str], Sign] = {}
    for sign in (*heard.signs, *observed):
        if sign.lack is Lack.COMMAND and not _matters(sign.name, commands):
            continue
        if sign.lack is Lack.HEADER and not _asks_for(sign.name, commands):
            continue
        if _is_preparation(sign, commands):
            preparation.setdefault(sign.key, sign)
        else:
            signs.setdefault(sign.key, sign)
    missing = [] if look is None else _unheard(look, heard)
    for sign in missing:
        signs.setdefault(sign.key, sign)
    if preparation and not heard.ran:
        lacking = bool(signs) or (look is not None and bool(look.lacking))
        if look is None or not look.known or lacking or _ends_the_script(commands):
            signs.update(preparation)
    ended = how_it_ended(exit_code)
    by_agent = runs_output if exit_code not in _CAUSE else bool(heard.agents) and not signs
    if heard.asserted and exit_code in _ABORTED:
        ended = None
    if ended is not None and not by_agent:
        signs[Lack.ENDED, ""] = Sign(SignKind.DID, Lack.ENDED, "", ended)
    return list(signs.values())


def how_it_ended(exit_code: int | None) -> str | None:
    """Words for an exit that no verifier chooses: not started, or ended by a signal. None for the others.

    A shell reports a child that died of signal N as 128 + N; that and -N are worded alike, so that the
    same death reads the same whichever process was told of it.
    """
    if exit_code is None:
        return None
    if exit_code in _CAUSE:
        return f"exit code {exit_code} ({_CAUSE[exit_code]})"
    number = -exit_code if exit_code < 0 else exit_code - 128
    if 0 < number < signal.NSIG:
        try:
            return f"ended by {signal.Signals(number).name}"
        except ValueError:
            return f"ended by signal {number}"
    return None


def _matters(name: str, commands: Iterable[Command]) -> bool:
    """Does any use of a program matter to the result? One that the scripts do not show does."""
    uses = [command for command in commands if unwrapped(command.words)[:1] == (name,)]
    return not uses or any(_use_matters(command) for command in uses)


def _asks_for(name: str, commands: Iterable[Command]) -> bool:
    """Do the verifier's own scripts link with a library? A header is named in a source that has spoken."""
    return not name.startswith("-l") or any(name in command.words for command in commands)


def _use_matters(command: Command) -> bool:
    if has_fallback(command):
        return False
    touches = any("/tests" in word or "/logs" in word for word in command.words[1:])
    name = PurePosixPath(unwrapped(command.words)[0]).name
    if (
        command.otherwise is not None
        and gives_up(command.otherwise)
        and command.otherwise[:1] in (("true",), (":",))
    ):
        return touches or (len(command.words) > 1 and name not in _ORNAMENTS)
    return touches or name not in _ORNAMENTS


def _is_preparation(sign: Sign, commands: Iterable[Command]) -> bool:
    """Is it about fetching something rather than about using it?"""
    if sign.lack is Lack.NETWORK and sign.name:
        return not any(sign.name in word for c in commands if not _only_prepares(c.words) for word in c.words)
    if sign.lack in PREPARATION:
        return True
    if sign.lack is Lack.FILE and _UV_ENVIRONMENT.search(sign.name):
        return True
    if sign.lack is not Lack.COMMAND:
        return False
    uses = [unwrapped(command.words) for command in commands]
    uses = [words for words in uses if words[:1] == (sign.name,)]
    return bool(uses) and all(_only_prepares(words) for words in uses)


def _only_prepares(words: tuple[str, ...]) -> bool:
    if not words:
        return False
    name = words[0]
    if name in ("uvx", "npx"):
        return False
    if name in ("uv", "pipx"):
        return not started_by_uv(words)
    if name in ("curl", "wget"):
        return any(_DOWNLOAD.search(word) for word in words)
    return name in ("apt-get", "apt", "apk", "yum", "dnf", "pip", "pip3", "conda", "npm", "gem")


def _ends_the_script(commands: Sequence[Command]) -> bool:
    """Does the script stop when a step fails, with nothing to catch it?"""
    for command in commands:
        if command.name == "set" and any(re.match(r"-\w*e|errexit", word) for word in command.words[1:]):
            return any(
                _only_prepares(unwrapped(c.words)) and c.otherwise is None for c in commands if c.words
            )
    return any(
        _only_prepares(unwrapped(command.words)) and (command.chained or command.tested)
        for command in commands
        if unwrapped(command.words)
    )


def _unheard(look: StaticLook, heard: Heard) -> list[Sign]:
    """What is missing by the files alone, where the verifier's words could not be expected to tell."""
    said = {sign.key for sign in heard.signs}
    quiet = {(need.lack, need.name) for need in look.lacking if need.quiet}
    return [
        sign
        for sign in look.signs
        if (sign.key in quiet or sign.key in said or sign.name in look.needs.asked)
        and not (heard.ran and sign.name in _RUNNERS)
    ]
