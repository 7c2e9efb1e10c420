"""A machine without memory or threads to spare is named as such, not called a bug of adjudge's."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import sys
import adjudge.cli
def fail(arguments):
    raise {error}
adjudge.cli._run = fail
sys.argv = ["adjudge", "tasks"]
adjudge.cli.main()
"""


@pytest.mark.parametrize("error", ["MemoryError()", 'RuntimeError("can\'t start new thread")'])
def test_no_room_is_no_bug(error: str) -> None:
    done = subprocess.run([sys.executable, "-c", CODE.format(error=error)], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("error: this machine gives adjudge no more memory or threads")
    assert "bug" not in done.stderr
