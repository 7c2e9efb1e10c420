"""A file that does not fit is named, and what was there before stays."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from adjudge.errors import MachineryError
from adjudge.reports import whole_file


def _run_out_of_room(target: Path) -> None:
    with whole_file(target) as scratch:
        scratch.write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_told_by_the_file_and_leaves_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("old")
    with pytest.raises(MachineryError, match=r"report\.html: the disk is full\. Make room"):
        _run_out_of_room(target)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert target.read_text() == "old"
