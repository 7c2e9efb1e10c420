"""Variables for the verifier, from `[environment.env]` and `[verifier.env]`."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import TaskError
from adjudge.scoring import score
from adjudge.tasks import load_task
from support.task_folders import write_task


def test_the_verifiers_own_variables_win(tmp_path: Path) -> None:
    toml = '[environment.env]\nA = "1"\nB = "2"\n[verifier.env]\nB = "3"\nTOL = 0.5\n'
    assert load_task(write_task(tmp_path / "t", toml=toml)).env == {"A": "1", "B": "3", "TOL": "0.5"}
    assert load_task(write_task(tmp_path / "u")).env == {}


def test_nothing_of_this_machine_enters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A default is taken although the variable is set here; without one the variable stays unset."""
    monkeypatch.setenv("SECRET", "s3cret")
    toml = '[verifier.env]\nA = "${SECRET}"\nB = "${SECRET:-none}"\nC = "x-${SECRET:-}-$HOME"\n'
    assert load_task(write_task(tmp_path / "t", toml=toml)).env == {"B": "none", "C": "x--$HOME"}


@pytest.mark.parametrize("line", ['"A=B" = "1"', '"" = "1"', 'A = "\\u0000"', "A = true", "A = [1]"])
def test_what_no_environment_can_hold_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(TaskError, match=r"task\.toml: \[verifier\.env\] .*allowed: "):
        load_task(write_task(tmp_path / "t", toml=f"[verifier.env]\n{line}\n"))


def test_the_verifier_sees_them(tmp_path: Path) -> None:
    script = 'echo "{\\"reward\\": $TOLERANCE}" > /logs/verifier/reward.json\n'
    task = write_task(tmp_path / "t", toml='[verifier.env]\nTOLERANCE = "0.25"\n', script=script)
    (tmp_path / "answer.json").write_text("{}")
    assert score(task, tmp_path / "answer.json").reward == 0.25
