"""`adjudge tasks`: a table where it fits, a list where it does not, JSON for machines."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from adjudge.cli import main
from support.task_folders import write_task


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str, columns: int = 200) -> int:
    monkeypatch.setattr(sys, "argv", ["adjudge", "tasks", *arguments])
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    with pytest.raises(SystemExit) as caught:
        main()
    assert isinstance(caught.value.code, int)
    return caught.value.code


@pytest.fixture
def root(tmp_path: Path) -> Path:
    toml = '[metadata]\ndifficulty = "easy"\ncategory = "cables"\n[verifier]\ntimeout_sec = 30\n'
    write_task(tmp_path / "electrical" / "drop", toml=toml)
    write_task(tmp_path / "hvac", instruction='```json\n{"a": 0}\n```\nWrite /workspace/output.md')
    return tmp_path


def test_a_wide_terminal_shows_a_table(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, str(root)) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["output", "format", "schema", "limits", "difficulty", "category"]
    assert " ".join(lines[1]) == "electrical/drop /workspace/answer.json json none 30 s, 2048 MB easy cables"
    assert " ".join(lines[2]) == "hvac /workspace/output.md markdown inferred 600 s, 2048 MB"
    assert lines[-1] == ["2", "tasks"]


def test_a_narrow_one_shows_a_list(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, str(root), columns=44) == 0
    out = capsys.readouterr().out
    assert all(len(line) <= 44 for line in out.splitlines())
    assert " ".join(out.split()).startswith(
        "electrical/drop output /workspace/answer.json format json · schema none limits 30 s, 2048 MB · "
        "difficulty easy category cables hvac output /workspace/output.md"
    )


def test_broken_tasks_are_named_and_the_exit_code_says_so(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_task(root / "bad\x1b[31m", script=None)
    assert run(monkeypatch, str(root)) == 1
    out = capsys.readouterr().out
    assert "electrical/drop" in out
    assert "broken: bad\\x1b[31m" in out
    assert "the verifier's entry point is missing. Add a shell script" in " ".join(out.split())
    assert "2 tasks, 1 broken" in out
    assert "\x1b" not in out


def test_nothing_found_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, str(tmp_path)) == 1
    out = capsys.readouterr().out
    assert "No tasks in" in out
    assert "Is this the right folder?" in out


def test_a_root_that_is_not_there_is_wrong_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, str(tmp_path / "nowhere")) == 2
    assert "there is no such folder" in capsys.readouterr().err


def test_json_is_json_and_nothing_else(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_task(root / "bad", script=None)
    assert run(monkeypatch, str(root), "--json") == 1
    printed = json.loads(capsys.readouterr().out)
    assert [task["id"] for task in printed["tasks"]] == ["electrical/drop", "hvac"]
    assert printed["tasks"][1]["output"]["schema_origin"] == "inferred"
    assert [problem["id"] for problem in printed["problems"]] == ["bad"]
