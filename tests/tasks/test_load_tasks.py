"""Every task below a root is found, and a broken one never hides its neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge import load_tasks
from adjudge.errors import TaskError
from support.no_hang import no_hang
from support.task_folders import write_task


def test_tasks_are_found_at_any_depth_and_sorted_by_id(tmp_path: Path) -> None:
    for name in ("b", "a/deep/er", "a/deep-er", "c/x"):
        write_task(tmp_path / name)
    write_task(tmp_path / "d", toml=None)  # instruction.md and tests/ are enough
    found = load_tasks(tmp_path)
    assert [task.id for task in found] == ["a/deep-er", "a/deep/er", "b", "c/x", "d"]
    assert found.problems == ()
    assert len(found) == 5
    assert found[0].id == "a/deep-er"
    assert [task.id for task in found[1:3]] == ["a/deep/er", "b"]


def test_broken_ones_are_told_apart(tmp_path: Path) -> None:
    write_task(tmp_path / "good")
    write_task(tmp_path / "bad/syntax", toml="[")
    write_task(tmp_path / "bad/empty", instruction=None)
    found = load_tasks(tmp_path)
    assert [task.id for task in found] == ["good"]
    assert [problem.id for problem in found.problems] == ["bad/empty", "bad/syntax"]
    assert "instruction.md: this file is missing" in found.problems[0].message
    assert "not TOML" in found.problems[1].message


def test_the_root_itself_may_be_a_task(tmp_path: Path) -> None:
    write_task(tmp_path / "one")
    assert [task.id for task in load_tasks(tmp_path / "one")] == ["one"]
    write_task(tmp_path / "two", script=None)
    assert [problem.id for problem in load_tasks(tmp_path / "two").problems] == ["two"]


def test_nothing_is_looked_for_inside_a_task(tmp_path: Path) -> None:
    """Goldens and fixtures may hold whole tasks."""
    write_task(tmp_path / "outer")
    write_task(tmp_path / "outer" / "goldens" / "inner")
    assert [task.id for task in load_tasks(tmp_path)] == ["outer"]


def test_hidden_folders_links_and_loops_are_passed_over(tmp_path: Path) -> None:
    write_task(tmp_path / "real")
    write_task(tmp_path / ".git" / "hidden")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(tmp_path / "real")
    (tmp_path / "dangling").symlink_to("nowhere")
    found = load_tasks(tmp_path)
    assert [task.id for task in found] == ["real"]
    assert found.problems == ()


def test_a_root_that_is_a_link_is_what_it_points_to(tmp_path: Path) -> None:
    write_task(tmp_path / "real" / "a")
    (tmp_path / "link").symlink_to("real")
    assert [task.id for task in load_tasks(tmp_path / "link")] == ["a"]


def test_no_tasks_at_all(tmp_path: Path) -> None:
    assert list(load_tasks(tmp_path)) == []
    with pytest.raises(TaskError, match="there is no such folder"):
        load_tasks(tmp_path / "nowhere")


def test_a_thousand_tasks_load(tmp_path: Path) -> None:
    for number in range(1000):
        write_task(
            tmp_path / f"group{number % 10}" / f"task{number}", files={"tests/verify.py": "print(1)\n"}
        )
    with no_hang():
        assert len(load_tasks(tmp_path)) == 1000
