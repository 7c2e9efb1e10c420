"""Folders are found by a process beside this one: the same ones, in the same order, and none gets lost."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from adjudge.errors import MachineryError
from adjudge.runs import artifact_tree, listing
from adjudge.runs.artifact_tree import trial_folders
from adjudge.runs.listing import list_folders


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """More folders than one process lists alone in these tests, some of them odd."""
    for number in range(620):
        folder = tmp_path / f"agent/{number}/task"
        folder.mkdir(parents=True)
        (folder / "reward.json").write_text("{}")
        (folder / f"log-{number % 150}.txt").write_text("")
    (tmp_path / "agent/7/task/below").mkdir()
    (tmp_path / "agent/8/empty").mkdir()
    (tmp_path / "agent/9/link").symlink_to(tmp_path / "agent/1")
    odd = tmp_path / os.fsdecode(b"agent/caf\xe9 \n/task")
    odd.mkdir(parents=True)
    (odd / "reward.txt").write_text("1")
    return tmp_path


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifact_tree, "ALONE", 20)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that were started to list folders."""
    found: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def starting(*words: object, **options: object) -> subprocess.Popen[bytes]:
        found.append(start(*words, **options))  # type: ignore[call-overload]
        return found[-1]

    monkeypatch.setattr(subprocess, "Popen", starting)
    return found


def test_it_finds_the_same_folders_in_the_same_order(
    tree: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    alone = list(trial_folders(str(tree)))
    assert started == []
    beside = list(trial_folders(str(tree), 2))
    assert len(started) == 1
    assert beside == alone
    assert len(alone) == 622
    assert dict(alone)[f"{tree}/agent/7/task"] is None
    assert dict(alone)[f"{tree}/agent/3/task"] == ["reward.json", "log-3.txt"]


def test_few_folders_are_listed_here(tmp_path: Path, started: list[subprocess.Popen[bytes]]) -> None:
    (tmp_path / "a").mkdir()
    assert list(trial_folders(str(tmp_path), 2)) == [(f"{tmp_path}/a", None)]
    assert started == []


def test_a_lister_that_is_killed_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it has said that it is done: what it has not told would be missing."""
    program = tree.with_name("killed.py")
    program.write_text("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    monkeypatch.setattr(listing, "__file__", str(program))
    with pytest.raises(MachineryError, match="lists folders has died"):
        list(trial_folders(str(tree), 2))


def test_a_lister_ends_with_who_asked(tree: Path, started: list[subprocess.Popen[bytes]]) -> None:
    folders = trial_folders(str(tree), 2)
    for _ in range(30):
        next(folders)
    folders.close()  # type: ignore[attr-defined]  # it is a generator
    assert started[0].returncode is not None


def test_without_a_process_to_spare_it_is_done_here(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    alone = list(trial_folders(str(tree)))
    monkeypatch.setattr(subprocess, "Popen", refused)
    assert list(trial_folders(str(tree), 2)) == alone


def test_what_is_left_is_enough_to_go_on(tree: Path) -> None:
    left = [str(tree)]
    first = list_folders(str(tree), left)
    some = [next(first) for _ in range(50)]
    assert some + list(list_folders(str(tree), left)) == list(list_folders(str(tree), [str(tree)]))
