"""Files are put into a sandbox so that whatever comes next finds them at rest."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from adjudge.gates import OutputFile
from adjudge.sandbox.files import place as placing


def test_a_writer_in_another_process_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is being started has a copy of the descriptor; a program runs only once it lets go."""
    let_go = threading.Event()
    chmod = os.fchmod

    def copied(fd: int, mode: int) -> None:
        chmod(fd, mode)
        if mode != 0o755:
            return
        copy = os.dup(fd)

        def release() -> None:
            let_go.set()
            os.close(copy)

        threading.Timer(0.2, release).start()

    monkeypatch.setattr(os, "fchmod", copied)
    root = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        placing.place_files(root, {"bin/tool": OutputFile(b"#!/bin/sh\nexit 3\n", 0o755)})
    finally:
        os.close(root)
    assert let_go.is_set()
    assert subprocess.run([tmp_path / "bin/tool"], check=False).returncode == 3


@pytest.mark.parametrize("mode", [0o000, 0o200, 0o4755])
def test_whatever_its_mode(tmp_path: Path, mode: int) -> None:
    root = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        placing.place_files(root, {"a": OutputFile(b"x", mode)})
    finally:
        os.close(root)
    assert (tmp_path / "a").stat().st_mode & 0o7777 == mode & 0o777
