"""Every branch of the kit is run by its own tests: a verifier's kit has no untried corner."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NOT_NEEDED = (
    *("test_coverage.py", "test_portability.py", "test_hostile_answers.py"),
    *("test_false_labels.py", "test_after_the_fact.py"),
)


def test_every_branch_is_covered(tmp_path: Path) -> None:
    """In a process of its own, so that it also works where the tests are spread over workers."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "COV_"))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(HERE)]
    command += [f"--ignore={HERE / name}" for name in NOT_NEEDED]
    command += ["--cov=adjudge_kit", "--cov-branch", "--cov-report=term-missing", "--cov-fail-under=100"]
    done = subprocess.run(
        command,
        cwd=HERE.parents[1],
        env={**environment, "COVERAGE_FILE": str(tmp_path / "coverage")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert "src/adjudge_kit.py" in done.stdout
