"""Start real Harbor, through our wrapper or by itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples" / "tasks"
ENVIRONMENT = "adjudge.integrations.harbor:BubblewrapEnvironment"
PLUGIN = "adjudge.integrations.harbor:LedgerPlugin"


def surroundings(folder: Path) -> dict[str, str]:
    """The environment for a program: no telemetry, our agents importable, a home of its own."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "HARBOR_TELEMETRY": "0",
        "PYTHONPATH": str(HERE),
        "NO_COLOR": "1",
        "COLUMNS": "120",
    }


def adjudge(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("adjudge")
    return _run([str(program), *arguments], folder, check=check)


def harbor(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("harbor")
    return _run([str(program), *arguments], folder, check=check)


def _run(command: list[str], folder: Path, *, check: bool) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, cwd=folder, env=surroundings(folder), capture_output=True, text=True)
    assert not check or done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done


def write_config(folder: Path, agents: list[str], tasks: list[Path], **more: Any) -> Path:
    """A job's configuration for many agents and tasks. A busy machine may take ten times as long."""
    path = folder / "job-config.json"
    config = {
        "timeout_multiplier": 10,
        "agents": [{"name": agent} for agent in agents],
        "tasks": [{"path": str(task)} for task in tasks],
        **more,
    }
    path.write_text(json.dumps(config))
    return path


def results(job: Path) -> dict[str, dict[str, Any]]:
    """Harbor's own result of each trial, by the trial's name."""
    return {path.parent.name: json.loads(path.read_text()) for path in sorted(job.glob("*/result.json"))}
