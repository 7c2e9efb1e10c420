"""Remember for some minutes that a `bwrap` worked here, so that the next command need not try it out again.

The trial run and the question for its version take longer than many a verifier. What is remembered is a mark
in the user's cache folder, named by everything that could change the answer: the program, the root folder,
the user, the boot. A mark of another user, an old one, or one from the future counts for nothing; without a
mark, or a place for one, the sandbox is tried out as always. If it fails nevertheless, that is a machinery
failure with its reason, as it is whenever a sandbox that worked a moment ago fails.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from pathlib import Path

from adjudge._files import cache_folder
from adjudge._version import __version__

GOOD_FOR_SEC = 600


def worked_lately(program: Path, rootfs: Path | None) -> bool:
    """Did this program run a job in the last minutes?"""
    try:
        status = _mark(program, rootfs).lstat()
    except OSError:
        return False
    return status.st_uid == os.getuid() and 0 <= time.time() - status.st_mtime < GOOD_FOR_SEC


def remember(program: Path, rootfs: Path | None) -> None:
    """It just did."""
    with suppress(OSError):
        mark = _mark(program, rootfs)
        mark.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        mark.touch(mode=0o600)


def _mark(program: Path, rootfs: Path | None) -> Path:
    """Raises OSError for a program that is gone, or a system that does not name its boot."""
    status = program.stat()
    boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    namespace = Path("/proc/self/ns/user").readlink()
    facts = (__version__, program, status.st_ino, status.st_size, status.st_mtime_ns, rootfs, boot, namespace)
    return cache_folder() / "sandboxes" / hashlib.sha256(repr(facts).encode()).hexdigest()[:32]
