"""Files that an audit plants outside of the workspace are written by a shell, whatever bytes they hold."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from adjudge.audit.probes import writing


@pytest.mark.parametrize(
    "data", [b"", b"it's\n\n", b"$(touch x) `id` \\n %s", b"SQLite format 3\0\x10", bytes(range(256))]
)
def test_a_shell_writes_the_very_bytes(data: bytes, tmp_path: Path) -> None:
    place = tmp_path / "a file; 'named' $oddly"
    subprocess.run(["bash", "-c", writing(str(place), data)], check=True)
    assert place.read_bytes() == data
