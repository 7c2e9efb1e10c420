"""`adjudge harbor run`: Harbor's own command with our two plug-ins put in front; everything else passes
through.

With one exception: Harbor finds no task below `-p` that has no `environment/` folder, which ours need not
have. There the tasks are named to it one by one, in a configuration file.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import IO

from msgspec import Struct

from adjudge.errors import MissingExtra
from adjudge.gates import workspace_of
from adjudge.integrations.harbor.serve import ENVIRONMENT, find_task_folders
from adjudge.ledger import DEFAULT_LEDGER, LEDGER_VARIABLE
from adjudge.tasks import load_tasks

PR_SET_PDEATHSIG = 1
_CHOOSING = (
    *("--config", "-c", "--task", "-t", "--dataset", "-d", "--task-git-url", "--repo"),
    *("--include-task-name", "-i", "--exclude-task-name", "-x", "--n-tasks", "-l"),
)
"""Options that choose tasks in Harbor's own way."""
PLUGIN = "adjudge.integrations.harbor:LedgerPlugin"


class HarborRun(Struct, frozen=True):
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
    """Run `harbor run` with these arguments. MissingExtra if there is no Harbor beside this Python."""
    program = harbor_program()
    if asks_for_help(arguments):
        return HarborRun(_run([program, "run", *arguments]), "", False)
    with tempfile.NamedTemporaryFile("w", prefix="adjudge-harbor-", suffix=".json") as config:
        arguments = with_tasks_named(arguments, config)
        command, job = harbor_command(
            arguments, ledger=ledger, experiment=experiment, tasks=tasks, reward_key=reward_key
        )
        code = _run([program, *command])
    return HarborRun(code, experiment or job, recorded=_exists(ledger))


def _run(command: Sequence[str]) -> int:
    """Harbor's exit code. Ctrl-C is Harbor's to answer, and Harbor ends if this process is killed."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        with subprocess.Popen(command, preexec_fn=_end_with_parent) as process:  # noqa: PLW1509 - no threads here
            code = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else 128 - code


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def with_tasks_named(arguments: Sequence[str], config: IO[str]) -> list[str]:
    """`-p FOLDER` replaced by a configuration that names each task below it, if Harbor would miss some."""
    folder = _value(arguments, "--path", "-p")
    if folder is None or not Path(folder).is_dir() or _given(arguments, *_CHOOSING):
        return list(arguments)
    found = find_task_folders([Path(folder)])
    near = (Path(folder), *Path(folder).iterdir())
    if all((task / "environment").is_dir() and task in near for task in found):
        return list(arguments)
    source = Path(folder).resolve().name
    tasks = [{"path": str(task.resolve()), "source": source} for task in found]
    json.dump({"tasks": tasks}, config)
    config.flush()
    place = next(i for i, a in enumerate(arguments) if a in ("--path", "-p") or a.startswith("--path="))
    rest = [*arguments[:place], *arguments[place + (1 if "=" in arguments[place] else 2) :]]
    return ["--config", config.name, *rest]


def harbor_command(
    arguments: Sequence[str],
    *,
    ledger: str | None,
    experiment: str | None,
    tasks: Path | None,
    reward_key: str = "reward",
) -> tuple[list[str], str]:
    """The arguments for Harbor, and the job's name. An option that the caller gives is not added again."""
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


def tasks_to_look_at(arguments: Sequence[str], tasks: Path | None) -> Path | None:
    """The folder of tasks whose verifiers will run in our sandbox; None if there is no telling."""
    if asks_for_help(arguments) or _given(arguments, "--env", "-e", "--ek"):
        return None
    named = _value(arguments, "--path", "-p")
    root = Path(named) if named is not None else tasks
    return root if root is not None and root.is_dir() else None


def asks_for_help(arguments: Sequence[str]) -> bool:
    """Is nothing to be run at all?"""
    return any(argument in ("--help", "-h", "--print-config") for argument in arguments)


def _given(arguments: Sequence[str], *names: str) -> bool:
    return any(
        a in names or a.startswith(tuple(f"{name}=" for name in names if len(name) > 2)) for a in arguments
    )


def _value(arguments: Sequence[str], name: str, short: str | None = None) -> str | None:
    for place, argument in enumerate(arguments):
        if argument in (name, short) and place + 1 < len(arguments):
            return arguments[place + 1]
        if argument.startswith(f"{name}="):
            return argument.partition("=")[2]
    return None


def _exists(ledger: str | None) -> bool:
    where = ledger or os.environ.get(LEDGER_VARIABLE) or DEFAULT_LEDGER
    return "://" in str(where) or Path(where).exists()
