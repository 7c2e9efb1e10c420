"""What sandboxes are shown of `/etc`, copied into one folder: one mount instead of one for each part.

bubblewrap looks through all mounts there are for each that it makes read-only, about a tenth of a
millisecond; a root file system may have a hundred parts in `/etc`. So once a process has run some sandboxes,
the parts are copied beside its frozen tests, and that folder is shown at `layout.ETC`.

A sandbox finds the same in it: links keep their text, files their modes and times. If a part cannot be
copied, all together are large, or a link leads out of its part, all are mounted as before. If a part changes
on the machine, all are copied anew; a copy is never changed, and goes with the process.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from adjudge.sandbox.files.frozen import own_folder
from adjudge.sandbox.files.layout import ETC, Mount

_AFTER = 8
"""Copying takes as long as is saved in so many sandboxes."""
_MOST_ENTRIES, _MOST_BYTES = 4000, 8 << 20
_MOST_COPIES = 16
"""Of one process: after so many changes nothing is copied any more."""
_LOOK_SEC = 5.0
"""How often it is looked whether something has changed."""


class _Gathering(Struct):
    """What was found out about the mounts of one root."""

    uses: int = 0
    looked: float = 0.0
    signature: tuple[object, ...] = ()
    mounts: tuple[Mount, ...] | None = None
    copy: Path | None = None
    """The folder that one of the mounts shows."""


class _CannotBeCopiedError(Exception):
    """A part is none of a file, a folder and a link within it, or is too large."""


_guard = threading.Lock()
_gatherings: dict[tuple[Mount, ...], _Gathering] = {}
_copies = 0


def gathered(mounts: tuple[Mount, ...]) -> tuple[Mount, ...]:
    """The same mounts with those of `/etc` as one, if this process has use for that."""
    if not _guard.acquire(blocking=False):
        return mounts  # somebody copies just now: nobody waits for that
    try:
        known = _gatherings.setdefault(mounts, _Gathering())
        known.uses += 1
        if known.uses <= _AFTER:
            return mounts
        now = time.monotonic()
        gone = known.copy is not None and not known.copy.is_dir()
        if known.mounts is None or gone or now - known.looked > _LOOK_SEC:
            known.looked = now
            _look_again(known, mounts)
        return known.mounts or mounts
    finally:
        _guard.release()


def _look_again(known: _Gathering, mounts: tuple[Mount, ...]) -> None:
    """Copy what is not copied yet, or has changed since."""
    global _copies  # noqa: PLW0603 - of this process
    parts = {
        mount.target.removeprefix(f"{ETC}/"): mount.source
        for mount in mounts
        if mount.source is not None and mount.target.startswith(f"{ETC}/")
    }
    signature = tuple(part for source in parts.values() for part in _signature(source))
    if signature == known.signature and known.mounts is not None and _is_whole(known.copy, parts):
        return
    known.signature, known.mounts, known.copy = signature, mounts, None
    if len(parts) < 2 or len(signature) > _MOST_ENTRIES or _copies >= _MOST_COPIES:
        return
    _copies += 1
    folder: Path | None = None
    try:
        folder = Path(tempfile.mkdtemp(prefix="etc-", dir=own_folder()))
        left = [_MOST_BYTES]
        for name, source in parts.items():
            _copy(source, folder / name, 0, left)
        folder.chmod(0o755)
    except (OSError, _CannotBeCopiedError):  # no room, for one: then all is mounted as before
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        return
    rest = [mount for mount in mounts if mount.source is None or mount.source not in parts.values()]
    known.mounts, known.copy = (Mount(ETC, source=folder), *rest), folder


def _is_whole(copy: Path | None, parts: Iterable[str]) -> bool:
    """Is all still there that was copied? Programs that tidy up `/tmp` remove what is old."""
    return copy is None or all((copy / name).exists() for name in parts)


def _signature(source: Path) -> list[object]:
    """Changes with any change of a file or folder: the kernel alone sets the time of a change."""
    found: list[object] = []
    waiting = [str(source)]
    while waiting and len(found) <= _MOST_ENTRIES:
        path = waiting.pop()
        try:
            status = os.lstat(path)
            found.append((path, status.st_ino, status.st_ctime_ns))
            if stat.S_ISDIR(status.st_mode):
                waiting += [entry.path for entry in os.scandir(path)]
        except OSError as error:
            found.append((path, error.errno))
    return found


def _copy(source: Path, target: Path, depth: int, left: list[int]) -> None:
    """Copy a file, a link or a folder; `left` is how many bytes it may have."""
    status = source.lstat()
    mode = stat.S_IMODE(status.st_mode) & 0o755
    if stat.S_ISLNK(status.st_mode):
        text = str(source.readlink())
        if not text.startswith("/") and os.path.normpath(f"{'x/' * (depth - 1)}{text}").startswith(".."):
            raise _CannotBeCopiedError
        target.symlink_to(text)
    elif stat.S_ISDIR(status.st_mode):
        target.mkdir()
        for entry in source.iterdir():
            _copy(entry, target / entry.name, depth + 1, left)
        target.chmod(mode)
        os.utime(target, ns=(status.st_mtime_ns, status.st_mtime_ns))
    elif stat.S_ISREG(status.st_mode) and status.st_size <= left[0]:
        left[0] -= status.st_size
        shutil.copyfile(source, target)
        target.chmod(mode)
        os.utime(target, ns=(status.st_mtime_ns, status.st_mtime_ns))
    else:
        raise _CannotBeCopiedError


def _after_fork() -> None:
    """A forked process has copies of its own: its parent's go with its parent."""
    global _guard, _copies  # noqa: PLW0603 - its parent may hold the old lock
    _guard = threading.Lock()
    _gatherings.clear()
    _copies = 0


os.register_at_fork(after_in_child=_after_fork)
