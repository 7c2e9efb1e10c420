"""The name of a tree of files: one SHA-256 over path, kind, executable bit and content of each.

The order of the file system, timestamps, owners and empty folders take no part, so a copy, a clone and an
unpacked archive of the same files have the same digest; whatever Python, git and desktops leave lying
around is left out of a task's. A link counts by its target's text and is never followed.

A tree is listed in one walk, and read only for a digest: most of what is asked about a task needs none.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

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


class TreeEntry(NamedTuple):
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
    parts = [_VERSION]
    for name, (_, kind, executable, content) in named:
        parts += (
            len(name).to_bytes(8, "big"),
            name,
            _FLAGS[kind, executable],
            len(content).to_bytes(8, "big"),
            content,
        )
    return hashlib.sha256(b"".join(parts)).hexdigest()


def task_digest(folder: Path | str) -> str:
    """The digest of a task folder. Raises TaskError for what cannot be read, or is not a file or link."""
    return tree_digest(read_entries(list_tree(folder)))


def task_digests(entries: Collection[TreeEntry]) -> tuple[str, str]:
    """The digest of a task folder, and that of its `tests` alone, from one reading of it."""
    named = sorted(((os.fsencode(entry.path), entry) for entry in entries), key=lambda pair: pair[0])
    tests = [(name[6:], entry) for name, entry in named if name.startswith(b"tests/")]
    return _digest_of(named), _digest_of(tests)


def is_ignored_file(name: str) -> bool:
    """Is this a file that takes no part in a task's digest?"""
    return name in IGNORED_FILES or name.endswith(".pyc")


class TreeListing(NamedTuple):
    """The files and links of a folder by relative path, as a walk shows them; nothing of them was read."""

    root: str
    files: list[str]
    links: list[str]


def list_tree(folder: Path | str) -> TreeListing:
    """Every file and link of a task folder that counts. Raises TaskError for whatever is something else."""
    root = os.fspath(folder)
    files: list[str] = []
    links: list[str] = []
    pending = [""]
    while pending:
        below = pending.pop()
        above = f"{below}/" if below else ""
        try:
            with os.scandir(f"{root}/{below}") as items:
                for item in items:
                    name = item.name
                    if item.is_file(follow_symlinks=False):
                        if not name.endswith(".pyc") and name not in IGNORED_FILES:
                            files.append(above + name)
                    elif item.is_symlink():
                        links.append(above + name)
                    elif item.is_dir(follow_symlinks=False):
                        if name not in IGNORED_FOLDERS:
                            pending.append(above + name)
                    elif not is_ignored_file(name):
                        _file_entry(root, above + name)  # raises: it is no file
        except OSError as error:
            raise TaskError(f"the folder cannot be read: {error.strerror}", file=Path(root, below)) from error
    return TreeListing(root, files, links)


def read_entries(tree: TreeListing) -> list[TreeEntry]:
    """What was listed, with its content. Raises TaskError for what cannot be read."""
    entries = [_file_entry(tree.root, path) for path in tree.files]
    for path in tree.links:
        target = os.readlink(f"{tree.root}/{path}")  # noqa: PTH115 - text as it stands
        entries.append(TreeEntry(path, "link", False, os.fsencode(target)))
    return entries


def refuse_unreadable(tree: TreeListing) -> None:
    """Raise TaskError as a reading would, for a file that may not be opened; the others are not opened."""
    above = f"{tree.root}/"
    for path in tree.files:
        if not os.access(above + path, os.R_OK):
            _file_entry(tree.root, path)


def _file_entry(root: str, path: str) -> TreeEntry:
    where = f"{root}/{path}"
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
