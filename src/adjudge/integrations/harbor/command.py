"""`adjudge harbor run`: Harbor's own command with our two plug-ins put in front; everything else passes
through."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from adjudge.errors import MissingExtra
from adjudge.gates import workspace_of
from adjudge.integrations.harbor.serve import ENVIRONMENT
from adjudge.ledger import DEFAULT_LEDGER, LEDGER_VARIABLE
from adjudge.tasks import load_tasks

PLUGIN = "adjudge.integrations.harbor:LedgerPlugin"


@dataclass(frozen=True)
class HarborRun:
    """How Harbor ended, and under which name its trials are in the ledger."""

    exit_code: int
    experiment: str
    recorded: bool


def run_harbor(
    arguments: Sequence[str],
    *,
    ledger: str | None = None,
    experiment: str | None = None,
    tasks: Path | None = None,
    reward_key: str = "reward",
) -> HarborRun:
    """Run `harbor run` with these arguments. MissingExtra where there is no Harbor beside this Python."""
    program = harbor_program()
    command, job = harbor_command(
        arguments, ledger=ledger, experiment=experiment, tasks=tasks, reward_key=reward_key
    )
    if asks_for_help(arguments):
        return HarborRun(subprocess.run([program, "run", *arguments], check=False).returncode, "", False)
    code = subprocess.run([program, *command], check=False).returncode
    return HarborRun(code, experiment or job, recorded=_exists(ledger))


def harbor_command(
    arguments: Sequence[str],
    *,
    ledger: str | None,
    experiment: str | None,
    tasks: Path | None,
    reward_key: str = "reward",
) -> tuple[list[str], str]:
    """The arguments for Harbor, and the job's name. What the caller says for himself is not said twice."""
    command = ["run"]
    if not _given(arguments, "--env", "-e"):
        command += ["--env", ENVIRONMENT]
    job = _value(arguments, "--job-name")
    if job is None:
        job = datetime.now().astimezone().strftime("%Y-%m-%d__%H-%M-%S")
        command += ["--job-name", job]
    if tasks is not None and not _given(arguments, "--artifact"):
        for workspace in sorted({workspace_of(task) for task in load_tasks(tasks)}):
            command += ["--artifact", workspace]
    options = {
        "ledger": ledger,
        "experiment": experiment,
        "tasks": None if tasks is None else str(tasks.resolve()),
        "reward_key": reward_key,
    }
    command += ["--plugin", PLUGIN]
    for name, value in options.items():
        if value is not None:
            command += ["--pk", f"{PLUGIN}.{name}={value}"]
    return [*command, *arguments], job


def harbor_program() -> str:
    """The `harbor` that belongs to this Python, else the one on the PATH."""
    beside = Path(sys.executable).with_name("harbor")
    found = str(beside) if beside.exists() else shutil.which("harbor")
    if found is None:
        raise MissingExtra("harbor", needed_for="adjudge harbor run")
    return found


def asks_for_help(arguments: Sequence[str]) -> bool:
    """Is nothing to be run at all?"""
    return any(argument in ("--help", "-h", "--print-config") for argument in arguments)


def _given(arguments: Sequence[str], *names: str) -> bool:
    return any(
        a in names or a.startswith(tuple(f"{name}=" for name in names if len(name) > 2)) for a in arguments
    )


def _value(arguments: Sequence[str], name: str) -> str | None:
    for place, argument in enumerate(arguments):
        if argument == name and place + 1 < len(arguments):
            return arguments[place + 1]
        if argument.startswith(f"{name}="):
            return argument.partition("=")[2]
    return None


def _exists(ledger: str | None) -> bool:
    where = ledger or os.environ.get(LEDGER_VARIABLE) or DEFAULT_LEDGER
    return "://" in str(where) or Path(where).exists()
