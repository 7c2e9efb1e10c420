"""What pre-flight tells people to type is what would help."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.evidence import Lack, Sign, SignKind
from adjudge.preflight import Obstacle, remedy_for
from adjudge.tasks import load_task
from support.task_folders import write_task


@pytest.mark.parametrize(
    ("lack", "name", "remedy"),
    [
        (Lack.COMMAND, "pytest", "Add --packages pytest, or"),
        (Lack.COMMAND, "py.test", "Add --packages pytest, or"),
        (Lack.MODULE, "numpy", "Add --packages numpy, or"),
        (Lack.COMMAND, "ffmpeg", "Give the verifier what it needs: --sandbox container --image"),
        (Lack.FILE, "/tests/expected.json", "Mend the task: /tests/expected.json"),
    ],
)
def test_a_remedy_fits_what_is_missing(lack: Lack, name: str, remedy: str, tmp_path: Path) -> None:
    task = load_task(write_task(tmp_path / "task"))
    sign = Sign(SignKind.STATIC, lack, name, "tests/test.sh line 2")
    assert remedy_for(Obstacle((task,), (sign,), None)).startswith(remedy)
