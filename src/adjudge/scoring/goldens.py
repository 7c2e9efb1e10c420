"""The known right answers of a task: its passing goldens, and what its reference solution writes.

`goldens/pass/` holds outputs, a file or a whole workspace each; `[goldens] pass_at_least` says what they must
reach, 1.0 if nothing is said. `solution/solve.sh` is run in a sandbox of its own, with its folder at
`/solution`, and whatever it leaves in the workspace is its answer.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from adjudge.contracts import Limits, Task
from adjudge.evidence import Scene, Sign, listen, weigh
from adjudge.gates import OutputFile, workspace_of
from adjudge.sandbox import Sandbox, SandboxJob

SOLUTION = "solution/solve.sh"
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


def golden_paths(task: Task, kind: str) -> list[Path]:
    """The goldens in `goldens/pass` or `goldens/fail`, a reference first; hidden files are not goldens."""
    folder = task.folder / "goldens" / kind
    if not folder.is_dir():
        return []
    found = [path for path in folder.iterdir() if not path.name.startswith(".")]
    return sorted(found, key=lambda path: (not path.name.startswith("reference"), path.name))


def pass_mark(task: Task, golden: Path) -> float:
    """The reward that a passing golden must reach; 1.0 if `task.toml` does not say, or says nonsense."""
    try:
        table = tomllib.loads((task.folder / "task.toml").read_text("utf-8-sig")).get("goldens", {})
    except (OSError, ValueError):
        return 1.0
    if not isinstance(table, dict):
        return 1.0
    rewards = table.get("rewards")
    stated = rewards.get(f"pass/{golden.name}") if isinstance(rewards, dict) else None
    mark = table.get("pass_at_least", 1.0) if stated is None else stated
    usable = isinstance(mark, int | float) and not isinstance(mark, bool) and 0 <= mark <= 1
    return float(mark) if usable else 1.0


def has_right_answer(task: Task) -> bool:
    """Is there anything a control could try?"""
    return bool(golden_paths(task, "pass")) or (task.folder / SOLUTION).is_file()


def run_solution(task: Task, sandbox: Sandbox, limits: Limits) -> Solution:
    """Run the reference solution. Raises `SandboxError` if the machine fails."""
    folder = task.folder / "solution"
    files: dict[str, OutputFile] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _MAX_FILE:
            mode = 0o755 if os.access(path, os.X_OK) else 0o644
            files[f"/solution/{path.relative_to(folder).as_posix()}"] = OutputFile(path.read_bytes(), mode)
    workspace = workspace_of(task)
    outcome = sandbox.run(
        SandboxJob(
            command=("bash", f"/{SOLUTION}"),
            tests=task.folder / "tests",
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
