"""What a task declares is read once, and a file beside it speaks for tasks that are not ours to edit."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from adjudge.packages import declared_packages
from adjudge.preflight import look_before, obstacle_lines
from adjudge.sandbox import choose_sandbox
from adjudge.tasks import check_tasks, declarations_of, golden_settings, load_task, load_tasks


def make_task(folder: Path, toml: str = "", beside: str | None = None) -> Path:
    (folder / "tests").mkdir(parents=True)
    (folder / "instruction.md").write_text("Write /workspace/answer.json.")
    (folder / "tests" / "test.sh").write_text(
        "#!/bin/bash\nno-such-runner /workspace/answer.json && echo 1 > /logs/verifier/reward.txt\n"
    )
    (folder / "task.toml").write_text(toml)
    if beside is not None:
        (folder / "adjudge.toml").write_text(beside)
    return folder


def test_the_file_beside_speaks_for_packages_and_goldens(tmp_path: Path) -> None:
    toml = '[verifier]\ntimeout_sec = 9.0\npackages = ["numpy"]\n[goldens]\npass_at_least = 0.4\n'
    beside = '[verifier]\npackages = ["pytest==8.4.1"]\n[goldens]\npass_at_least = 0.7\n'
    task = load_task(make_task(tmp_path / "one", toml, beside))
    assert declared_packages(task) == ("pytest==8.4.1",)
    assert golden_settings(task).pass_at_least == 0.7
    assert task.limits.wall_time_sec == 9.0


def test_a_check_reads_the_settings_of_each_task_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(12):
        make_task(tmp_path / f"t{number}", f'[verifier]\npackages = ["pytest=={number}"]\n')
    parsed: list[str] = []
    real = tomllib.loads

    def counting(text: str) -> dict[str, object]:
        parsed.append(text)
        return real(text)

    monkeypatch.setattr(tomllib, "loads", counting)
    found = load_tasks(tmp_path)
    list(check_tasks(found))
    lines = list(obstacle_lines(look_before(list(found), choose_sandbox(), control=False)))
    assert len(parsed) == 12
    assert len(lines) == 2  # one cause, one message, for all twelve


def test_declarations_are_read_again_if_the_task_changed(tmp_path: Path) -> None:
    folder = make_task(tmp_path / "one", '[metadata]\nkind = "old"\n')
    assert declarations_of(load_task(folder))["metadata"] == {"kind": "old"}
    (folder / "task.toml").write_text('[metadata]\nkind = "new"\n')
    assert declarations_of(load_task(folder))["metadata"] == {"kind": "new"}
