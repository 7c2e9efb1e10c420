"""Read one file that nobody vouches for: bounded, without following a link, and nothing but a plain file.

What it is instead (a link, a pipe, a device, too large) is named and never opened: opening some devices does
something. A file is as long as it was when it was opened; what is added while it is read does not count.

What goes wrong is either a fact about the file (`EACCES`: somebody closed it) or the machine's failure
(`EMFILE`: this process has no descriptor left). Only the first may ever be held against whoever wrote it.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Literal, NamedTuple

OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
Kind = Literal["file", "link", "directory", "pipe", "socket", "device", "oversized"]


_ABOUT_THE_FILE = frozenset(
    {
        *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EILSEQ),
        *(errno.EACCES, errno.EPERM, errno.EINVAL, errno.ENXIO, errno.ENODEV, errno.ETXTBSY, errno.EOVERFLOW),
        errno.EEXIST,
        errno.ESRCH,  # a process, read through /proc, that has ended
    }
)


def is_machines_failure(error: OSError) -> bool:
    """Does an error say something of this machine, and nothing of the file that was to be read?"""
    return error.errno not in _ABOUT_THE_FILE


class FileRead(NamedTuple):
    """What stands under a name; `data` is there for a `file` and for nothing else."""

    kind: Kind
    size: int
    data: bytes | None = None
    mode: int = 0


def read_plain_file(
    name: str | bytes | os.PathLike[str], *, limit: int, at: int | None = None, listed: bool = False
) -> FileRead:
    """The file's bytes if there are at most `limit`, else what it is. Raises OSError as the system does.

    `at` is the descriptor of the folder that `name` is relative to. `listed` says that the folder's own
    listing calls it a plain file, so that it need not be looked at before it is opened.
    """
    if not listed:
        mode = os.stat(name, dir_fd=at, follow_symlinks=False).st_mode
        if not stat.S_ISREG(mode):
            return FileRead(kind_of(mode), 0)
    try:
        fd = os.open(name, OPEN_FLAGS, dir_fd=at)
    except OSError as error:
        if error.errno == errno.ELOOP:  # a file a moment ago, a link now
            return FileRead("link", 0)
        raise
    try:
        status = os.fstat(fd)  # again: it may have been swapped since it was looked at
        if not stat.S_ISREG(status.st_mode):
            return FileRead(kind_of(status.st_mode), 0)
        if status.st_size > limit:
            return FileRead("oversized", status.st_size)
        data = read_bytes(fd, status.st_size)
    finally:
        os.close(fd)
    return FileRead("file", len(data), data, status.st_mode)


def open_plain(path: str | os.PathLike[str], flags: int = os.O_RDONLY) -> int:
    """A descriptor of a plain file, also behind a link; OSError for anything else. A pipe is not waited for.

    For files that a person named: what stands there may be another's doing.
    """
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, 0o644)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "Not a plain file", os.fspath(path))
    return descriptor


def kind_of(mode: int) -> Kind:
    """What a file is that is no plain one."""
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISDIR(mode):
        return "directory"
    if stat.S_ISFIFO(mode):
        return "pipe"
    return "socket" if stat.S_ISSOCK(mode) else "device"


def read_bytes(fd: int, size: int) -> bytes:
    """The first `size` bytes, or fewer if the file has shrunk."""
    data = os.read(fd, size)
    while len(data) < size and (more := os.read(fd, size - len(data))):
        data += more
    return data


def cache_folder() -> Path:
    """Where adjudge keeps what can be made again: `$XDG_CACHE_HOME/adjudge`, else `~/.cache/adjudge`.

    Raises OSError for a user without a home, who keeps nothing.
    """
    home = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(home) if home else Path.home() / ".cache") / "adjudge"
    except RuntimeError as error:  # an unknown user, and no HOME
        raise FileNotFoundError(errno.ENOENT, str(error)) from None
