"""Every branch of the kit is run by its own tests: a verifier's kit has no untried corner."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NOT_NEEDED = (
    *("test_coverage.py", "test_portability.py", "test_hostile_answers.py", "test_docs.py"),
    *("test_false_labels.py", "test_after_the_fact.py"),
)
LONG = (
    "test_rollups.py::test_the_same_reward_as_score_rubric",
    "test_units.py::test_every_pair_of_one_dimension_converts_wherever_its_units_stand",
    "test_reading.py::test_kit_and_gates_agree_on_any_mixture",
)
"""Thousands of cases that run no branch which another test does not run. They are run by themselves."""


def test_every_branch_is_covered(tmp_path: Path) -> None:
    """In a process of its own, so that it also works where the tests are spread over workers."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "COV_"))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(HERE)]
    command += [f"--ignore={HERE / name}" for name in NOT_NEEDED]
    command += [f"--deselect={(HERE / name).relative_to(HERE.parents[1])}" for name in LONG]
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
