"""A verifier in a few words of shell, as a job for the real sandbox."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pytest

from adjudge.contracts import Limits
from adjudge.errors import AdjudgeError
from adjudge.gates import OutputFile
from adjudge.sandbox import Sandbox, SandboxJob, SandboxOutcome, choose_sandbox

SMALL = Limits(wall_time_sec=180, memory_mb=128, processes=24, disk_mb=24, file_size_mb=8, artifact_mb=1)
"""Gentle to the machine: a bomb that goes off here goes off small."""


class Verify(Protocol):
    def __call__(self, script: str, *, files: Mapping[str, str] = ..., **fields: Any) -> SandboxOutcome: ...


everyone = pytest.mark.parametrize(
    "verify", ["as is", "ordinary user", "warm", "warm, ordinary user"], indirect=True
)
"""Run the test's verifier as whoever runs the tests and as an ordinary user, cold and warm."""


def python(code: str) -> str:
    """A script that runs some Python."""
    return f"python3 - <<'END'\n{code}\nEND\n"


def job_for(tests: Path, script: str, files: Mapping[str, str] | None = None, **fields: Any) -> SandboxJob:
    """A job that runs `script` with bash; `limits` is a dict of changes to the small limits."""
    tests.mkdir(exist_ok=True)
    (tests / "test.sh").write_text(script)
    limits = SMALL.model_copy(update=fields.pop("limits", {}))
    placed = {path: OutputFile(data=text.encode()) for path, text in (files or {}).items()}
    return SandboxJob(
        command=("bash", "/tests/test.sh"),
        tests=tests,
        files=placed,
        workdir=fields.pop("workdir", "/workspace"),
        limits=limits,
        **fields,
    )


def host_processes(marker: str) -> list[int]:
    """The processes of this machine whose command line holds a marker."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if marker.encode() in words:
                found.append(int(entry.name))
    return found


@cache
def real_engine() -> Sandbox | str:
    """A docker or podman that can start a container here; else why there is none.

    One may answer and still be unable to start anything, so a container is started to see.
    """
    try:
        engine = choose_sandbox("container")
        with tempfile.TemporaryDirectory() as tests:
            outcome = engine.run(job_for(Path(tests), "echo started"))
    except AdjudgeError as error:
        return str(error)
    return engine if outcome.stdout == b"started\n" else f"a container ended with {outcome.exit_code}"
