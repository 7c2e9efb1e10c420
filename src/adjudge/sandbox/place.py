"""Put files into a sandbox that has not started, through a descriptor of its root.

Every step opens one name relative to the folder above it and follows no link: an absolute link inside the
sandbox's root would otherwise lead into the host's.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from adjudge.sandbox.job import PlacedFile

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def open_folder(root: int, path: str, *, create: bool) -> int:
    """A descriptor of a folder below `root`; raises `OSError` where a link or a file stands in the way."""
    fd = os.dup(root)
    for name in path.strip("/").split("/"):
        try:
            if create:
                make_folder(fd, name)
            below = os.open(name, _FOLDER, dir_fd=fd)
        finally:
            os.close(fd)
        fd = below
    return fd


def make_folder(fd: int, name: str) -> None:
    try:
        os.mkdir(name, 0o755, dir_fd=fd)
    except FileExistsError:
        return


def place_files(root: int, files: Mapping[str, PlacedFile]) -> None:
    """Create every file and the folders it needs."""
    for path, file in files.items():
        place(root, path, file.data, mode=file.mode, link=file.link)


def place(root: int, path: str, data: bytes, *, mode: int = 0o644, link: str | None = None) -> None:
    """Create one file, or (`link`) one symbolic link, which is not looked at."""
    folder, _, name = path.rpartition("/")
    above = open_folder(root, folder, create=True) if folder else os.dup(root)
    try:
        if link is not None:
            os.symlink(link, name, dir_fd=above)
            return
        fd = os.open(name, _NEW_FILE, 0o600, dir_fd=above)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(fd, rest) :]
            os.fchmod(fd, stat.S_IMODE(mode) & 0o777)  # never setuid, whatever the agent's file was
        finally:
            os.close(fd)
    finally:
        os.close(above)
