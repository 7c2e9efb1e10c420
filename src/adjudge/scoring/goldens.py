"""The known right answers of a task: its passing goldens, and what its reference solution writes.

`goldens/pass/` holds outputs, a file or a whole workspace each; `[goldens] pass_at_least` says what they must
reach, 1.0 if nothing is said. A reference solution (`solution/solve.sh`, or a name like it) is run in a
sandbox of its own, with its folder at `/solution`, and whatever it leaves in the workspace is its answer.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from adjudge.contracts import Limits, Task
from adjudge.evidence import Scene, Sign, listen, weigh
from adjudge.gates import OutputFile, workspace_of
from adjudge.sandbox import Sandbox, SandboxJob, frozen_tests
from adjudge.tasks import golden_paths, golden_settings

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


@dataclass(frozen=True)
class Solution:
    """What a reference solution left behind."""

    files: dict[str, OutputFile]
    exit_code: int | None
    said: str
    """The last line of its error stream."""
    signs: tuple[Sign, ...]
    """What it could not find or reach."""


def pass_mark(task: Task, golden: Path) -> float:
    """The reward that a passing golden must reach; 1.0 if `task.toml` does not say, or says nonsense."""
    settings = golden_settings(task)
    return settings.rewards.get(f"pass/{golden.name}", settings.pass_at_least)


def has_right_answer(task: Task) -> bool:
    """Is there anything a control could try?"""
    return bool(golden_paths(task, "pass")) or solution_of(task) is not None


def solution_of(task: Task) -> str | None:
    """The reference solution's path below the task; None if it has none."""
    return next((name for name in _SOLVERS if (task.folder / name).is_file()), None)


def run_solution(task: Task, script: str, sandbox: Sandbox, limits: Limits) -> Solution:
    """Run the reference solution that `solution_of` found. Raises `SandboxError` if the machine fails."""
    folder = (task.folder / script).parent
    inside = [task.folder / script] if folder == task.folder else sorted(folder.rglob("*"))
    files: dict[str, OutputFile] = {}
    for path in inside:
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _MAX_FILE:
            mode = 0o755 if os.access(path, os.X_OK) else 0o644
            files[f"/solution/{path.relative_to(folder).as_posix()}"] = OutputFile(path.read_bytes(), mode)
    workspace = workspace_of(task)
    with frozen_tests(task) as tests:
        outcome = sandbox.run(
            SandboxJob(
                command=(_SOLVERS[script], f"/solution/{PurePosixPath(script).name}"),
                tests=tests,
                files=files,
                workdir=workspace,
                limits=limits,
                collect=workspace,
                env=task.env,
            )
        )
    written = {
        f"{workspace}/{name}": OutputFile(found.data)
        for name, found in outcome.artifacts.items()
        if found.data is not None
    }
    said = outcome.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
    signs = weigh(listen((outcome.stderr, outcome.stdout), Scene()), exit_code=outcome.exit_code)
    return Solution(written, outcome.exit_code, said, tuple(signs))
