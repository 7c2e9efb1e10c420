"""Find a container engine that answers, and call it.

Engines differ in what they need on a machine. What is to be said to the engine itself, before its command
(`--runtime`, `--cgroup-manager`), and what to each container that is started (`--ulimit`) can be set by
whoever calls, or by two variables of the environment; an option that is set there displaces our own.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from adjudge._spawn import public_environment
from adjudge.errors import SandboxError, UsageError

NAMES = ("docker", "podman")
OPTIONS_VARIABLE = "ADJUDGE_ENGINE_OPTIONS"
RUN_OPTIONS_VARIABLE = "ADJUDGE_ENGINE_RUN_OPTIONS"
_ANSWER_TIMEOUT_SEC = 20.0
_CALL_TIMEOUT_SEC = 300.0
"""Long, since starting a container may fetch its image."""
_SAID = 4000
"""How much of an engine's own words is passed on: the end of them, where the reason stands."""


class Engine(Struct, frozen=True):
    """The command line of a container engine; docker's and podman's are alike in all that is used here."""

    program: Path
    options: tuple[str, ...] = ()
    """Said to the engine itself, before every command."""
    run_options: tuple[str, ...] = ()
    """Said when a container is started."""

    def command(self, *arguments: str) -> list[str]:
        return [str(self.program), *self.options, *arguments]

    def call(self, arguments: Sequence[str], *, stdin: bytes = b"") -> bytes:
        """Run one command of the engine to its end; `SandboxError` with its own words if it fails."""
        try:
            done = subprocess.run(
                self.command(*arguments),
                input=stdin,
                capture_output=True,
                timeout=_CALL_TIMEOUT_SEC,
                check=False,
                env=public_environment(),
                cwd=tempfile.gettempdir(),  # podman's helper leaves a file where it is started
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SandboxError(f"`{self.program.name} {arguments[0]}` failed", found=str(error)) from error
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip()[-_SAID:]
            ended = f"`{self.program.name} {arguments[0]}` failed with exit code {done.returncode}"
            raise SandboxError(f"{ended}: {said}" if said else ended)
        return done.stdout


def find_engine(
    options: str | None = None, run_options: str | None = None
) -> tuple[Engine, None] | tuple[None, str]:
    """The first engine that answers, or None and what each of them said.

    Options are words as in a shell; those not given are taken from the environment.
    """
    own = _words(options, OPTIONS_VARIABLE)
    of_runs = _words(run_options, RUN_OPTIONS_VARIABLE)
    problems: list[str] = []
    for name in NAMES:
        found = shutil.which(name)
        if found is None:
            problems.append(f"{name} is not installed")
            continue
        try:
            # docker's `version` fails if its daemon does not answer; podman has none to ask
            done = subprocess.run(
                [found, *own, "version"],
                capture_output=True,
                timeout=_ANSWER_TIMEOUT_SEC,
                check=False,
                env=public_environment(),
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            problems.append(f"{name} does not answer: {error}")
            continue
        if done.returncode == 0:
            return Engine(Path(found), own, of_runs), None
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        problems.append(f"{name} is installed, but its engine does not answer: {said[-1] if said else ''}")
    return None, "; ".join(problems)


def _words(given: str | None, variable: str) -> tuple[str, ...]:
    text = os.environ.get(variable, "") if given is None else given
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(
            f"options for the container engine that cannot be read: {error}", field=variable, found=text
        ) from None
