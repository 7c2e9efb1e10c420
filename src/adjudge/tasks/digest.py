"""The name of a tree of files: one SHA-256 over path, kind, executable bit and content of each.

The order of the file system, timestamps, owners and empty folders take no part, so a copy, a clone and an
unpacked archive of the same files have the same digest; whatever Python, git and desktops leave lying
around is left out of a task's. A link counts by its target's text and is never followed.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from adjudge.errors import TaskError

IGNORED_FOLDERS = frozenset({"__pycache__", ".git"})
IGNORED_FILES = frozenset({".DS_Store"})
_VERSION = b"adjudge tree 1\n"
_ONE = (1).to_bytes(8, "big")
_CHUNK = 1 << 20
_FLAGS = {
    (kind, executable): b"%b%b%b%b" % (len(kind).to_bytes(8, "big"), kind.encode(), _ONE, mark)
    for kind in ("file", "link")
    for executable, mark in ((True, b"x"), (False, b"-"))
}
"""Kind and executable bit with their lengths, as they enter a digest."""


@dataclass(frozen=True)
class TreeEntry:
    """One file or link: `content` is the SHA-256 of a file's bytes, or the target of a link."""

    path: str
    kind: str
    executable: bool
    content: bytes


def tree_digest(entries: Iterable[TreeEntry]) -> str:
    """The digest of a tree; the order of `entries` does not matter. No entries at all have one too."""
    named = ((os.fsencode(entry.path), entry) for entry in entries)
    return _digest_of(sorted(named, key=lambda pair: pair[0]))


def _digest_of(named: Iterable[tuple[bytes, TreeEntry]]) -> str:
    """Of entries in the order of their names; every part carries its length, so that no two trees agree."""
    total = hashlib.sha256(_VERSION)
    for name, entry in named:
        content = entry.content
        total.update(
            b"%b%b%b%b%b"
            % (
                len(name).to_bytes(8, "big"),
                name,
                _FLAGS[entry.kind, entry.executable],
                len(content).to_bytes(8, "big"),
                content,
            )
        )
    return total.hexdigest()


def task_digest(folder: Path | str) -> str:
    """The digest of a task folder. Raises TaskError for what cannot be read, or is not a file or link."""
    return tree_digest(_entries(os.fspath(folder)))


def task_entries(folder: Path | str) -> list[TreeEntry]:
    """Every file and link of a task folder that counts. Raises TaskError like `task_digest`."""
    return list(_entries(os.fspath(folder)))


def task_digests(entries: Collection[TreeEntry]) -> tuple[str, str]:
    """The digest of a task folder, and that of its `tests` alone, from one reading of it."""
    named = sorted(((os.fsencode(entry.path), entry) for entry in entries), key=lambda pair: pair[0])
    tests = [(name[6:], entry) for name, entry in named if name.startswith(b"tests/")]
    return _digest_of(named), _digest_of(tests)


def is_ignored_file(name: str) -> bool:
    """Is this a file that takes no part in a task's digest?"""
    return name in IGNORED_FILES or name.endswith(".pyc")


def _entries(root: str) -> Iterator[TreeEntry]:
    pending = [""]
    while pending:
        below = pending.pop()
        try:
            found = list(os.scandir(f"{root}/{below}"))
        except OSError as error:
            raise TaskError(f"the folder cannot be read: {error.strerror}", file=Path(root, below)) from error
        for item in found:
            path = f"{below}/{item.name}" if below else item.name
            if item.is_symlink():
                yield TreeEntry(path, "link", False, os.fsencode(os.readlink(item.path)))  # noqa: PTH115 - text as it stands
            elif item.is_dir(follow_symlinks=False):
                if item.name not in IGNORED_FOLDERS:
                    pending.append(path)
            elif not is_ignored_file(item.name):
                yield _file_entry(path, item.path)


def _file_entry(path: str, where: str) -> TreeEntry:
    # O_NONBLOCK: a pipe put in a task folder must not hang whoever lists it.
    try:
        fd = os.open(where, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise TaskError(f"the file cannot be read: {error.strerror}", file=where) from error
    try:
        status = os.fstat(fd)
        mode = status.st_mode
        if not stat.S_ISREG(mode):
            raise TaskError(
                "a task folder holds files, folders and links only; this is something else",
                file=where,
                remedy="Remove it.",
            )
        content = hashlib.sha256()
        most = min(_CHUNK, status.st_size + 1)  # one more than is there: a short read is the end
        while chunk := os.read(fd, most):
            content.update(chunk)
            if len(chunk) < most:
                break
    finally:
        os.close(fd)
    return TreeEntry(path, "file", bool(mode & stat.S_IXUSR), content.digest())
