"""Limits from `[verifier]`, `[environment]` and `[output]`."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.tasks import load_task
from support.task_folders import write_task


@pytest.mark.parametrize(
    ("written", "megabytes"),
    [
        ("memory_mb = 512", 512),
        ("memory_mb = 512.5", 513),
        ('memory = "2G"', 2048),
        ('memory = "1.5g"', 1536),
        ('memory = "512M"', 512),
        ('memory = "512 MiB"', 512),
        ('memory = "2GB"', 2048),
        ('memory = "2Gi"', 2048),
        ('memory = "1048576"', 1),
        ('memory = "1T"', 1024 * 1024),
        ('memory = "1K"', 1),
        ('memory_mb = 512\nmemory = "2G"', 512),
    ],
)
def test_memory(tmp_path: Path, written: str, megabytes: int) -> None:
    """Sizes are powers of 1024, rounded up to whole megabytes; memory_mb wins over memory."""
    task = load_task(write_task(tmp_path / "t", toml=f"[environment]\n{written}\n"))
    assert task.limits.memory_mb == megabytes


def test_storage_time_and_output_size(tmp_path: Path) -> None:
    toml = "[environment]\nstorage_mb = 5120\n[verifier]\ntimeout_sec = 90\n[output]\nmax_mb = 2\n"
    limits = load_task(write_task(tmp_path / "t", toml=toml)).limits
    assert (limits.disk_mb, limits.wall_time_sec, limits.output_mb) == (5120, 90.0, 2)


def test_a_verifiers_own_environment_comes_first(tmp_path: Path) -> None:
    toml = "[environment]\nmemory_mb = 4096\nstorage_mb = 99\n[verifier.environment]\nmemory_mb = 256\n"
    limits = load_task(write_task(tmp_path / "t", toml=toml)).limits
    assert (limits.memory_mb, limits.disk_mb) == (256, 99)
