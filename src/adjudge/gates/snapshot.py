"""Copy files and folders that nobody vouches for into memory: bounded, without following a link.

A folder is walked by file descriptor, so that nothing swapped underneath while it is read can lead elsewhere.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field

MAX_ENTRIES = 20_000
MAX_DEPTH = 64
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class TooBig(Exception):  # noqa: N818 - names what was found
    """More than the limit: `what` there is, and the `size` known so far."""

    def __init__(self, size: int, what: str | None = None) -> None:
        self.size = size
        self.what = what or f"at least {size} bytes"
        super().__init__(self.what)


@dataclass(frozen=True)
class OutputFile:
    """One file, or, where `link` is its target, one symbolic link (then `data` is empty)."""

    data: bytes
    mode: int = 0o644
    link: str | None = None


@dataclass(frozen=True)
class Tree:
    """A folder in memory, by relative path. Empty folders are not kept; special files are only named."""

    files: dict[str, OutputFile] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    folders: frozenset[str] = frozenset()


def kind_of(mode: int) -> str:
    """What a file that is no regular file is, as a noun with its article."""
    kinds = {
        stat.S_IFLNK: "a link",
        stat.S_IFDIR: "a folder",
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFBLK: "a device",
        stat.S_IFCHR: "a device",
    }
    return kinds.get(stat.S_IFMT(mode), "a special file")


def read_file(name: str, *, limit: int, at: int | None = None) -> OutputFile | str:
    """A regular file's bytes, or what it is instead. Raises TooBig past `limit`, OSError as the system does.

    `at` is the descriptor of the folder that `name` is relative to.
    """
    # Looked at before it is opened, since opening some devices does something; and again afterwards, since
    # it may have been swapped in between.
    before = os.stat(name, dir_fd=at, follow_symlinks=False)
    if not stat.S_ISREG(before.st_mode):
        return kind_of(before.st_mode)
    fd = os.open(name, _OPEN, dir_fd=at)
    with open(fd, "rb", buffering=0, closefd=True) as stream:  # noqa: PTH123 - a descriptor, not a path
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return kind_of(status.st_mode)
        if status.st_size > limit:
            raise TooBig(status.st_size)
        data = _read_up_to(stream.fileno(), status.st_size, limit)
    return OutputFile(data, 0o755 if status.st_mode & stat.S_IXUSR else 0o644)


def _read_up_to(fd: int, size: int, limit: int) -> bytes:
    """All that is there, also where it grows meanwhile, but never more than `limit`."""
    chunks: list[bytes] = []
    total = 0
    while chunk := os.read(fd, max(size - total, 1 << 16)):
        chunks.append(chunk)
        total += len(chunk)
        if total > limit:
            raise TooBig(total)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def read_tree(name: str, *, limit: int) -> Tree:
    """A whole folder. Raises TooBig if its files together pass `limit`, or if they are too many."""
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
