"""Temporary folders that go away with their owner, even if the owner is killed.

A folder's owner holds a lock on it, which the kernel lets go of when the owner dies. Whoever claims a folder
of the same kind next removes those that nobody holds any more.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import tempfile
import uuid
from pathlib import Path

from adjudge._spawn import public_environment


def claim_folder(prefix: str, place: Path | None = None) -> tuple[Path, int]:
    """A fresh folder in `place`, and the descriptor of its lock, held until this process closes it or dies.

    Folders of this prefix that nobody holds any more, because their owner was killed, are removed first.
    """
    place = place or Path(tempfile.gettempdir())
    for old in place.glob(f"{prefix}*"):
        with contextlib.suppress(OSError):  # held by somebody, or gone meanwhile
            held = _lock(old)
            remove(old)
            os.close(held)
    made = Path(tempfile.mkdtemp(prefix="adjudge-new-", dir=place))
    held = _lock(made)  # before it bears the name by which others would find it
    return made.rename(place / f"{prefix}{uuid.uuid4().hex[:12]}"), held


def _lock(folder: Path) -> int:
    """Raises OSError if another process has it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def remove(folder: Path) -> None:
    """Remove a folder of any depth, whatever modes were set in it. Nothing raises: what stays is in /tmp.

    By the system's own programs, since Python's `rmtree` ends with a RecursionError in a tree that an
    agent made deep.
    """
    for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        subprocess.run(
            [*command, "--", str(folder)], check=False, capture_output=True, env=public_environment()
        )
