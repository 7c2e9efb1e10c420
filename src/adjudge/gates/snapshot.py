"""Copy files and folders that nobody vouches for into memory: bounded, without following a link.

A folder is walked by file descriptor, so that nothing swapped underneath while it is read can lead elsewhere.
"""

from __future__ import annotations

import os
import stat

from msgspec import Struct, field

from adjudge._files import is_machines_failure, read_plain_file

MAX_ENTRIES = 20_000
MAX_DEPTH = 64


class TooBig(Exception):  # noqa: N818 - names what was found
    """More than the limit: `what` there is, and the `size` known so far."""

    def __init__(self, size: int, what: str | None = None) -> None:
        self.size = size
        self.what = what or f"at least {size} bytes"
        super().__init__(self.what)


class OutputFile(Struct, frozen=True):
    """One file; or one symbolic link, if `link` is given: its target (then `data` is empty)."""

    data: bytes
    mode: int = 0o644
    link: str | None = None


class Tree(Struct, frozen=True):
    """A folder in memory, by relative path. Empty folders are not kept; special files are only named."""

    files: dict[str, OutputFile] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    folders: frozenset[str] = frozenset()


_WORDS = {
    "link": "a link",
    "directory": "a folder",
    "pipe": "a pipe",
    "socket": "a socket",
    "device": "a device",
}


def read_file(name: str, *, limit: int, at: int | None = None, listed: bool = False) -> OutputFile | str:
    """A regular file's bytes, or what it is instead. Raises TooBig past `limit`, OSError as the system does.

    `at` is the descriptor of the folder that `name` is relative to; `listed` says that it was a plain file
    when somebody looked just now.
    """
    found = read_plain_file(name, limit=limit, at=at, listed=listed)
    if found.kind == "oversized":
        raise TooBig(found.size)
    if found.data is None:
        return _WORDS[found.kind]
    return OutputFile(found.data, 0o755 if found.mode & stat.S_IXUSR else 0o644)


def read_tree(name: str, *, limit: int) -> Tree:
    """A whole folder. Raises TooBig if its files together pass `limit`, or if they are too many.

    What cannot be read of it is left out by name; a failure of this machine raises OSError.
    """
    walk = _Walk(limit)
    fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        walk.folder(fd, "", 0)
    finally:
        os.close(fd)
    return Tree(walk.files, walk.left_out, frozenset(walk.folders))


class _Walk:
    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self.entries = 0
        self.files: dict[str, OutputFile] = {}
        self.left_out: dict[str, str] = {}
        self.folders: set[str] = set()

    def folder(self, fd: int, below: str, depth: int) -> None:
        for name in sorted(os.listdir(fd)):
            self.entries += 1
            if self.entries > MAX_ENTRIES:
                raise TooBig(self.size, f"more than {MAX_ENTRIES} files and folders")
            self.entry(fd, name, f"{below}{name}", depth)

    def entry(self, fd: int, name: str, path: str, depth: int) -> None:
        try:
            mode = os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode
            if stat.S_ISLNK(mode):
                self.files[path] = OutputFile(b"", 0o777, os.readlink(name, dir_fd=fd))
            elif stat.S_ISDIR(mode):
                self.folders.add(path)
                if depth >= MAX_DEPTH:
                    self.left_out[path] = f"nested deeper than {MAX_DEPTH} folders"
                    return
                inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
                try:
                    self.folder(inner, f"{path}/", depth + 1)
                finally:
                    os.close(inner)
            else:
                self.file(fd, name, path)
        except OSError as error:
            if is_machines_failure(error):
                raise
            self.left_out[path] = f"not readable ({error.strerror})"

    def file(self, fd: int, name: str, path: str) -> None:
        try:
            file = read_file(name, limit=self.limit - self.size, at=fd)
        except TooBig as error:
            raise TooBig(self.size + error.size) from None
        if isinstance(file, str):
            self.left_out[path] = file
        else:
            self.files[path] = file
            self.size += len(file.data)
