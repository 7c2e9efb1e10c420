"""The demo run of the docs: made once, copied where it is needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEMO_RUN = "adjudge run examples/outputs/manifest.jsonl --experiment demo"
PRINTED = "printed"


def environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("ADJUDGE_", "PYTEST_"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
    return {**kept, "ADJUDGE_STANDBY": "0", "PATH": path, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONUTF8": "1"}


def make_demo_run(home: Path) -> None:
    """Fill a folder with `examples/`, the ledger of the demo run, and what the run printed."""
    shutil.copytree(ROOT / "examples", home / "examples")
    done = subprocess.run(DEMO_RUN.split(), cwd=home, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (home / PRINTED).write_text(done.stdout, encoding="utf-8")


def copy_ledger(home: Path, folder: Path) -> None:
    """Put a copy of the demo run's ledger into a folder."""
    for part in home.glob("adjudge.db*"):
        (shutil.copytree if part.is_dir() else shutil.copy)(part, folder / part.name)
