"""An agent's folder with every oddity of a file system: scored as its answer deserves, or a reason."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

import adjudge
from adjudge.contracts import Task
from support.run_folders import ECHO, echo_task

FAR = 2**33  # the year 2242


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    """Gives what the answer asks for, and lists the workspace as it finds it."""
    script = ECHO + "ls -Ab /workspace; find /workspace -perm /6000; cd /workspace; stat -c '%h %n' *.txt\n"
    return adjudge.load_task(echo_task(tmp_path_factory.mktemp("task") / "echo", script))


def odd_names(folder: bytes) -> None:
    for name in (
        b"new\nline",
        b"\xff\xfe",
        b"-rf",
        b"$(touch x)",
        b"x" * 255,
        " \u202egpj.exe".encode(),
        b"\x1b[2J",
    ):
        with open(folder + b"/" + name, "wb") as file:  # noqa: PTH123 - a Path has no bytes
            file.write(b"x")
    deep = folder
    while len(deep) < 3500:
        deep += b"/" + b"d" * 200
        os.mkdir(deep)  # noqa: PTH102
    (Path(os.fsdecode(deep)) / "bottom").write_text("x")


def test_names_times_modes_and_links_change_nothing(task: Task, tmp_path: Path) -> None:
    folder = tmp_path / "output"
    folder.mkdir()
    (folder / "answer.json").write_text('{"r": 0.3}')
    odd_names(os.fsencode(folder))
    (folder / "one.txt").write_text("one")
    os.link(folder / "one.txt", folder / "two.txt")
    (folder / "setuid").write_text("#!/bin/sh")
    (folder / "setuid").chmod(0o6755)
    with (folder / "sparse").open("wb") as file:
        file.truncate(4 << 20)
    for path in (folder / "answer.json", folder / "one.txt"):
        os.utime(path, (FAR, FAR))
    os.utime(folder / "setuid", (-(2**31), -(2**31)))
    scored = adjudge.score_trial(task, folder, experiment="odd", agent="a")
    assert scored.evaluation.reward == 0.3, scored.evaluation
    again = adjudge.score_trial(task, folder, experiment="odd", agent="a")
    assert again.trial_id == scored.trial_id


@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "link out", "unreadable"])
def test_what_is_no_file_is_not_waited_for(task: Task, tmp_path: Path, kind: str) -> None:
    """Beside a right answer: it is left out or named, and nothing blocks."""
    folder = tmp_path / "output"
    folder.mkdir()
    (folder / "answer.json").write_text('{"r": 0.3}')
    odd = folder / "odd"
    if kind == "pipe":
        os.mkfifo(odd)
    elif kind == "socket":
        here = Path.cwd()
        os.chdir(folder)
        with socket.socket(socket.AF_UNIX) as endpoint:
            endpoint.bind("odd")
        os.chdir(here)
    elif kind == "device":
        if os.geteuid():
            pytest.skip("needs root to make a device")
        os.mknod(odd, 0o600 | 0o020000, os.makedev(1, 5))
    elif kind == "link out":
        odd.symlink_to("/etc/shadow")
    else:
        odd.write_text("x")
        odd.chmod(0)
    result = adjudge.score(task, folder)
    assert result.reward in (0.0, 0.3)
    if result.reward == 0.0:
        assert "odd" in " ".join(result.validity.errors)
    assert not any(tag.category == "verifier failure" for tag in result.error_taxonomy or ())
