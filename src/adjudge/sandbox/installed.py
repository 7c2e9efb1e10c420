"""Has anything been installed since? Told by files and folders of the host, without running anything.

Only those of bubblewrap show folders of the host, at the paths that they have there or below a root folder.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable
from pathlib import Path

from adjudge.sandbox.backends.bubblewrap import BubblewrapSandbox
from adjudge.sandbox.files.layout import python_libraries
from adjudge.sandbox.job import Sandbox

_SETTLED_NS = 2_000_000_000
"""A folder that changed later than this ago could change again without a new time."""

Stamps = dict[str, list[int] | None]
"""Of each folder what changes when a name is added or removed; None if there is no such folder."""


def pythons(sandbox: Sandbox) -> tuple[tuple[str, int, int], ...]:
    """Which Pythons are installed: one that was replaced is another, for servers and for what was checked."""
    found = []
    for library in python_libraries(sandbox.rootfs) if isinstance(sandbox, BubblewrapSandbox) else ():
        for path in (library / "os.py", library.parents[1] / "bin" / library.name):
            with contextlib.suppress(OSError):
                status = path.stat()
                found.append((str(path), status.st_size, status.st_mtime_ns))
    return tuple(found)


def stamps_of(sandbox: Sandbox, folders: Iterable[str]) -> Stamps | None:
    """Stamps of folders inside a sandbox; None if they cannot be told, or one has just changed."""
    if not isinstance(sandbox, BubblewrapSandbox):
        return None
    root = Path("/") if sandbox.rootfs is None else sandbox.rootfs
    found: Stamps = {}
    latest = time.time_ns() - _SETTLED_NS
    for folder in folders:
        try:
            status = (root / folder.lstrip("/")).stat()
        except OSError:
            found[folder] = None
            continue
        if status.st_mtime_ns > latest:
            return None
        found[folder] = [status.st_dev, status.st_ino, status.st_mtime_ns]
    return found
