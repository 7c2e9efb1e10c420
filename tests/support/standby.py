"""A resident process of a test's own: in a private folder, started and ended by the test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.patience import HANG_SEC, wait_until
from support.run_folders import echo_task

PROGRAM = str(Path(sys.executable).parent / "adjudge")


@dataclass(frozen=True)
class StandbyHome:
    """A runtime folder, and the environment that leads into it."""

    folder: Path
    environment: dict[str, str]

    @property
    def place(self) -> Path:
        """The folder with the socket."""
        return self.folder / "adjudge-standby"

    def run(
        self, *words: object, plain: bool = False, check: bool = False, **options: Any
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command with what stands by, or `plain`: without."""
        options = {"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": HANG_SEC, **options}
        environment = {**options.pop("env", self.environment), **({"ADJUDGE_STANDBY": "0"} if plain else {})}
        return subprocess.run([PROGRAM, *map(str, words)], env=environment, check=check, **options)

    def start(self, *words: str, **variables: str) -> dict[str, Any]:
        """Start it, or find it; how it stands."""
        done = self.run("standby", "--json", *words, env={**self.environment, **variables})
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)["standby"]
        return found

    def status(self) -> dict[str, Any] | None:
        done = self.run("standby", "--status", "--json")
        assert done.returncode in (0, 1), done.stderr
        found: dict[str, Any] | None = json.loads(done.stdout)["standby"]
        return found

    @property
    def served(self) -> int:
        """How many commands it has run."""
        found = self.status()
        assert found is not None
        return int(found["served"])

    def stop(self) -> None:
        self.run("standby", "--stop", check=True)


def waits(folder: Path) -> list[str]:
    """A command that goes on until it is ended."""
    task = echo_task(folder / "task", script="#!/bin/bash\nsleep 600\n")
    (folder / "answer").write_text("{}")
    return ["score", str(task), str(folder / "answer")]


@contextmanager
def standby_home(folder: Path) -> Iterator[StandbyHome]:
    """Nothing stands by there yet, and nothing does afterwards."""
    folder.mkdir(mode=0o700, parents=True)
    out = ("ADJUDGE_", "COVERAGE", "COV_", "FORCE_COLOR", "NO_COLOR", "PYTEST_", "COLUMNS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(out)}
    home = StandbyHome(folder, {**kept, "XDG_RUNTIME_DIR": str(folder), "COLUMNS": "100"})
    try:
        yield home
    finally:
        home.stop()


def is_alive(process: int) -> bool:
    """Does it run, and is it no mere entry of a process that nobody has buried?"""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def blocks(process: int, number: int) -> bool:
    """Does a signal to it wait?"""
    return _is_in_mask(process, "SigBlk", number)


def ignores(process: int, number: int) -> bool:
    """Does a signal to it do nothing?"""
    return _is_in_mask(process, "SigIgn", number)


def _is_in_mask(process: int, name: str, number: int) -> bool:
    mask = Path(f"/proc/{process}/status").read_text().split(f"{name}:")[1].split()[0]
    return bool(int(mask, 16) >> (number - 1) & 1)


def children(process: int) -> list[int]:
    """The children of a process, by `/proc`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(fields[1]) == process:
                found.append(int(entry.name))
    return found


def commands_of(server: int) -> list[int]:
    """The processes in which a server has commands run."""
    return [command for attendant in children(server) for command in children(attendant)]


def command_of(server: int) -> int:
    """The only one, once there is one."""
    assert wait_until(lambda: len(commands_of(server)) == 1)
    return commands_of(server)[0]
