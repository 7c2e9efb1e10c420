"""`adjudge standby`: a process that has everything imported, so that commands start at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from adjudge.cli.shared import typed
from adjudge.cli.shared.output import Format, Out, prints
from adjudge.errors import UsageError, printable

if TYPE_CHECKING:
    from adjudge.standby import StandbyStatus


@prints(Format.TERMINAL, Format.JSON)
def command(
    out: Out,
    *,
    stop: Annotated[bool, typed.Option("--stop", help="End it. Commands under way go on.")] = False,
    status: Annotated[bool, typed.Option("--status", help="Only say whether it stands by.")] = False,
    idle: Annotated[
        float,
        typed.Option(
            "--idle", metavar="HOURS", help="It ends by itself after so long unused.", min=0.001, max=1000.0
        ),
    ] = 8.0,
) -> None:
    """Keep a process ready that has everything imported, so that commands start at once.

    It stays in the background, for this user alone. Commands that are called at the prompt (score, check,
    trials, report, ledger and others, and help pages) then run in a fork of it, and behave as they do without
    it. Whatever is not exactly alike runs without it: another version of adjudge, another user, sandbox,
    limit or priority. ADJUDGE_STANDBY=0 turns it off for a command.

    Exit codes: 0, or 1 if --status finds none.
    """
    from adjudge import standby
    from adjudge.cli import run_here

    if stop and status:
        raise UsageError("--stop and --status ask for two things")
    if stop:
        was_there = standby.stop()
        _tell(out, None, "It has ended." if was_there else "Nothing stands by.")
        return
    if status:
        found, started = standby.standing(), False
    else:
        found, started = standby.start(idle * 3600, run_here)
    if found is None:
        _tell(out, None, "Nothing stands by. adjudge standby starts a process that does.")
        raise typed.Exit(1)
    _tell(out, found, _words(found, "Stands by now" if started else "Stands by"))


def _words(found: StandbyStatus, begin: str) -> str:
    import os
    import time

    from adjudge.standby import VARIABLE

    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(found.since))
    said = (
        f"{begin}: process {found.process}, since {since}, {found.memory_bytes >> 20} MiB, "
        f"{found.served} command{'' if found.served == 1 else 's'} served; "
        f"ends after {found.idle_sec / 3600:g} hours unused."
    )
    if not found.is_current:
        return f"{said} What it has imported was changed since: it serves no more commands, and ends soon."
    if os.environ.get(VARIABLE) == "0":
        return f"{said} Commands that are called here run without it, because {VARIABLE} is 0."
    if found.differs:
        differs = ", ".join(map(printable, found.differs))
        return f"{said} Commands that are called here run without it, because they differ in: {differs}."
    return said


def _tell(out: Out, found: StandbyStatus | None, words: str) -> None:
    if out.for_programs:
        told = None if found is None else {**found._asdict(), "since": _iso(found.since)}
        out.write_json({"standby": told})
    else:
        out.write(words + "\n")


def _iso(since: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(since, UTC).isoformat(timespec="seconds")
