"""`--rootfs` where verifiers run; this machine's own root stands for another system's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.patience import HANG_SEC

ADJUDGE = Path(sys.executable).with_name("adjudge")
TASK = Path(__file__).parents[2] / "examples" / "tasks" / "electrical" / "voltage-drop"


def run(cwd: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(ADJUDGE), *map(str, arguments), "--rootfs", "/"]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANG_SEC, cwd=cwd)


def test_score(tmp_path: Path) -> None:
    [golden, *_] = sorted((TASK / "goldens" / "pass").iterdir())
    scored = run(tmp_path, "score", TASK, golden)
    assert (scored.returncode, scored.stderr) == (0, "")


def test_a_container_takes_no_root_folder(tmp_path: Path) -> None:
    [golden, *_] = sorted((TASK / "goldens" / "pass").iterdir())
    refused = run(tmp_path, "score", TASK, golden, "--sandbox", "container")
    assert refused.returncode == 2
    assert "a root folder is for bubblewrap" in refused.stderr
