"""Run a task's reference solution: in a sandbox of its own, with its folder at `/solution`.

It starts where an agent would, with the files that the task's image would hold. Whatever it leaves in the
folders of the answer is its answer, modes included: a solution may change files and make programs.
"""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path, PurePosixPath

from msgspec import Struct

from adjudge.contracts import Limits, Task
from adjudge.evidence import Scene, Sign, listen, weigh
from adjudge.gates import OutputFile, workspace_of
from adjudge.sandbox import Sandbox, SandboxJob, frozen_tests
from adjudge.scoring.provided import files_of_image

_SOLVERS = {
    "solution/solve.sh": "bash",
    "solution.sh": "bash",
    "solution/solution.sh": "bash",
    "solution/run.sh": "bash",
    "solution/solve.py": "python3",
    "solution/solution.py": "python3",
    "solution.py": "python3",
    "oracle/solve.sh": "bash",
}
"""Where people put a reference solution, and what runs it."""
_MAX_FILE = 4 << 20
_MOST_WRITTEN = 20_000
_PACKED = ".solution.tar"
_KEEP_FILES = (
    '"$0" "$1"; status=$?; shift; '
    f'tar -C / -cf "/logs/verifier/{_PACKED}" --ignore-failed-read "$@" 2>/dev/null; exit $status'
)
_SHARED = frozenset({"home", "logs", "var", "srv", "opt"})


class Solution(Struct, frozen=True):
    """What a reference solution left behind."""

    files: dict[str, OutputFile]
    exit_code: int | None
    said: str
    """The last line of its error stream."""
    signs: tuple[Sign, ...]
    """What it could not find or reach."""


def solution_of(task: Task) -> str | None:
    """The reference solution's path below the task; None if it has none."""
    return next((name for name in _SOLVERS if (task.folder / name).is_file()), None)


def run_solution(task: Task, script: str, sandbox: Sandbox, limits: Limits) -> Solution:
    """Run the reference solution that `solution_of` found. Raises `SandboxError` if the machine fails."""
    folder = (task.folder / script).parent
    inside = [task.folder / script] if folder == task.folder else sorted(folder.rglob("*"))
    files: dict[str, OutputFile] = dict(files_of_image(task))
    for path in inside:
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _MAX_FILE:
            mode = 0o755 if os.access(path, os.X_OK) else 0o644
            files[f"/solution/{path.relative_to(folder).as_posix()}"] = OutputFile(path.read_bytes(), mode)
    start = (_SOLVERS[script], f"/solution/{PurePosixPath(script).name}")
    with frozen_tests(task) as tests:
        return run_producer(task, start, files, tests, sandbox, limits)


def run_producer(
    task: Task,
    start: tuple[str, str],
    files: Mapping[str, OutputFile],
    tests: Path,
    sandbox: Sandbox,
    limits: Limits,
) -> Solution:
    """Run a program that writes an answer (an interpreter, a script among `files`); keep what it wrote.

    It sees `tests` as `/tests`. Raises `SandboxError` if the machine fails.
    """
    kept = sorted({_top(path) for path in (workspace_of(task), task.workdir, *task.output.paths) if path})
    outcome = sandbox.run(
        SandboxJob(
            command=("bash", "-c", _KEEP_FILES, *start, *kept),
            tests=tests,
            files=files,
            workdir=task.workdir or workspace_of(task),
            limits=limits.model_copy(update={"artifact_mb": max(limits.artifact_mb, limits.output_mb)}),
            env=task.env,
        )
    )
    packed = outcome.artifacts.get(_PACKED)
    written = dict(_unpacked(packed.data)) if packed is not None and packed.data is not None else {}
    said = outcome.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
    signs = weigh(listen((outcome.stderr, outcome.stdout), Scene()), exit_code=outcome.exit_code)
    return Solution(written, outcome.exit_code, said, tuple(signs))


def _top(path: str) -> str:
    """The first folder of a path, without its slash; the first two of those that many have files in."""
    parts = path.split("/")[1:]
    return "/".join(parts[: 2 if parts[0] in _SHARED else 1])


def _unpacked(packed: bytes) -> Iterator[tuple[str, OutputFile]]:
    """The plain files and links of an archive, by absolute path; of a broken one what can be read."""
    try:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            for member in islice(archive, _MOST_WRITTEN):
                path = f"/{member.name}"
                if member.issym():
                    yield path, OutputFile(b"", link=member.linkname)
                elif member.isfile() and (file := archive.extractfile(member)) is not None:
                    yield path, OutputFile(file.read(), 0o755 if member.mode & 0o111 else 0o644)
    except (tarfile.TarError, EOFError, OSError):
        return
