"""Find a container engine that answers, and call it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudge.errors import SandboxError

NAMES = ("docker", "podman")
_ANSWER_TIMEOUT_SEC = 20.0
_CALL_TIMEOUT_SEC = 300.0
"""Long, since starting a container may fetch its image."""


@dataclass(frozen=True)
class Engine:
    """The command line of a container engine; docker's and podman's are alike in all that is used here."""

    program: Path

    def call(self, arguments: Sequence[str], *, stdin: bytes = b"") -> bytes:
        """Run one command of the engine to its end; `SandboxError` with its own words if it fails."""
        try:
            done = subprocess.run(
                [self.program, *arguments],
                input=stdin,
                capture_output=True,
                timeout=_CALL_TIMEOUT_SEC,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SandboxError(f"`{self.program.name} {arguments[0]}` failed", found=str(error)) from error
        if done.returncode != 0:
            raise SandboxError(
                f"`{self.program.name} {arguments[0]}` failed with exit code {done.returncode}",
                found=done.stderr.decode("utf-8", "replace").strip(),
            )
        return done.stdout


def find_engine() -> tuple[Engine | None, str]:
    """The first engine that answers, or None and what each of them said."""
    problems: list[str] = []
    for name in NAMES:
        found = shutil.which(name)
        if found is None:
            problems.append(f"{name} is not installed")
            continue
        try:
            # docker's `version` fails if its daemon does not answer; podman has none to ask
            done = subprocess.run(
                [found, "version"], capture_output=True, timeout=_ANSWER_TIMEOUT_SEC, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            problems.append(f"{name} does not answer: {error}")
            continue
        if done.returncode == 0:
            return Engine(Path(found)), ""
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        problems.append(f"{name} is installed, but its engine does not answer: {said[-1] if said else ''}")
    return None, "; ".join(problems)
