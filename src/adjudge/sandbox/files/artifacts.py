"""Read back what a verifier wrote, trusting nothing about it.

Model: a folder is walked breadth first through directory descriptors, one name at a time, so no path is ever
resolved twice and no link is ever followed. What is not a plain file is named (`ArtifactKind`), never opened.
Invariants: memory is bounded by `max_total_bytes` plus the names of `max_files` entries, whatever the folder
holds; the result depends only on the folder's content, not on the order in which the kernel lists it.
"""

from __future__ import annotations

import heapq
import os
import stat
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from adjudge import _files
from adjudge._files import OPEN_FLAGS, is_machines_failure, kind_of, read_plain_file

MAX_DEPTH = 16
"""Folders nested deeper are named and not entered."""

READ_FIRST = ("reward.json", "reward.txt", "details.json", "errors.json")
"""Read before anything else, so that a flood of other files cannot crowd them out."""

_NAME = attrgetter("name")


class ArtifactKind(StrEnum):
    """What stands under a name."""

    FILE = "file"
    LINK = "link"
    DIRECTORY = "directory"
    PIPE = "pipe"
    SOCKET = "socket"
    DEVICE = "device"
    OVERSIZED = "oversized"
    """A plain file past the size of one, or of all together; it was not read."""
    UNREADABLE = "unreadable"


_KINDS = {kind.value: kind for kind in ArtifactKind}


class Artifact(NamedTuple):
    """One name in the folder; `data` is there for a `FILE` and for nothing else."""

    kind: ArtifactKind
    size: int
    data: bytes | None = None


class FolderReading(NamedTuple):
    """What was read, and whether that is all: `complete` is False if entries were left out or not read."""

    artifacts: dict[str, Artifact]
    complete: bool


def survey_folder(
    folder: Path | str | int, *, max_file_bytes: int, max_total_bytes: int, max_files: int
) -> FolderReading:
    """Read at most `max_files` entries (folders count), `READ_FIRST` first, then by depth and name.

    A descriptor is read from its beginning and left open. Names that are not UTF-8 are shown escaped.
    """
    try:
        root = os.dup(folder) if isinstance(folder, int) else os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return FolderReading({}, complete=True)
    found: dict[str, Artifact] = {}
    complete = True
    left = max_total_bytes
    waiting: deque[tuple[str, int, int]] = deque([("", root, 0)])
    try:
        while waiting:
            prefix, fd, depth = waiting.popleft()
            try:
                for entry in _entries(fd, max_files + 1, READ_FIRST if depth == 0 else ()):
                    if len(found) >= max_files:
                        return FolderReading(found, complete=False)
                    artifact = _read(fd, entry, min(max_file_bytes, left))
                    label = _unused(prefix + _label(entry.name), found)
                    found[label] = artifact
                    left -= len(artifact.data or b"")
                    complete &= artifact.kind is not ArtifactKind.OVERSIZED
                    if artifact.kind is ArtifactKind.DIRECTORY:
                        below = _enter(fd, entry.name) if depth < MAX_DEPTH and len(waiting) < 256 else None
                        if below is None:
                            complete = False
                        else:
                            waiting.append((f"{label}/", below, depth + 1))
            finally:
                os.close(fd)
    finally:
        for _, fd, _ in waiting:
            os.close(fd)
    return FolderReading(found, complete)


def read_files(folder: Path | str, names: Collection[str], *, max_file_bytes: int) -> dict[str, Artifact]:
    """Only the entries of these names, directly in the folder, for who knows what to look for.

    A name that is not there is left out, and a folder that does not exist is empty. One that is no folder or
    may not be opened raises `OSError`.
    """
    try:
        root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return {}
    try:
        with os.scandir(root) as entries:
            present = sorted((entry for entry in entries if entry.name in names), key=_NAME)
        return {entry.name: _read(root, entry, max_file_bytes) for entry in present}
    finally:
        os.close(root)


def read_listed(
    folder: Path | str, names: Sequence[str], *, max_file_bytes: int, max_total_bytes: int
) -> FolderReading:
    """`survey_folder` for who has just listed the folder and knows that it holds these plain files only.

    `in_reading_order` sorts them. One that is gone or swapped since is named like any other that is no file.
    A folder that is gone raises `OSError`, too. If all is as it was listed, and so it nearly always is, the
    files are opened by their paths, and the folder itself not at all: a third of the calls to the system.
    """
    usual = _read_as_listed(os.fspath(folder), names, max_file_bytes, max_total_bytes)
    if usual is not None:
        return FolderReading(usual, complete=True)
    root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    found: dict[str, Artifact] = {}
    complete = True
    left = max_total_bytes
    try:
        for name in names:
            artifact = found[_unused(_label(name), found)] = _open(root, name, min(max_file_bytes, left))
            left -= len(artifact.data or b"")
            complete &= artifact.kind is not ArtifactKind.OVERSIZED
    finally:
        os.close(root)
    return FolderReading(found, complete)


def _read_as_listed(
    folder: str, names: Sequence[str], max_file_bytes: int, max_total_bytes: int
) -> dict[str, Artifact] | None:
    """All of these files, whole; None if one of them is anything but a plain file within the limits."""
    found: dict[str, Artifact] = {}
    left = max_total_bytes
    for name in names:
        if not name.isascii():
            return None
        try:
            fd = os.open(f"{folder}/{name}", OPEN_FLAGS)
            try:
                status = os.fstat(fd)
                size = status.st_size
                if size > max_file_bytes or size > left or not stat.S_ISREG(status.st_mode):
                    return None
                data = _files.read_bytes(fd, size)
            finally:
                os.close(fd)
        except OSError:
            return None
        found[name] = Artifact(ArtifactKind.FILE, len(data), data)
        left -= len(data)
    return found


def in_reading_order(names: Iterable[str]) -> list[str]:
    """Names as `survey_folder` goes through them."""
    return sorted(names, key=lambda name: _rank(name, READ_FIRST))


def _entries(fd: int, at_most: int, first: Sequence[str]) -> list[os.DirEntry[str]]:
    """The smallest `at_most` by name, those in `first` before the others, in memory bounded by `at_most`."""
    os.lseek(fd, 0, os.SEEK_SET)
    with os.scandir(fd) as entries:
        found = list(islice(entries, at_most))
        if len(found) == at_most:  # there may be more
            return heapq.nsmallest(at_most, chain(found, entries), key=lambda entry: _rank(entry.name, first))
    if len(found) > 1:
        found.sort(key=lambda entry: _rank(entry.name, first))
    return found


def _rank(name: str, first: Sequence[str]) -> tuple[int, str]:
    return (first.index(name) if name in first else len(first), name)


def _read(folder: int, entry: os.DirEntry[str], limit: int) -> Artifact:
    """One entry; a plain file of at most `limit` bytes is read, anything else is only named.

    What it is says the folder's own listing, before anything is opened: opening some devices does something.
    """
    try:
        if not entry.is_file(follow_symlinks=False):
            return Artifact(_KINDS[kind_of(entry.stat(follow_symlinks=False).st_mode)], 0)
    except OSError as error:
        return _unreadable(error)
    return _open(folder, entry.name, limit)


def _open(folder: int, name: str, limit: int) -> Artifact:
    try:
        found = read_plain_file(name, limit=limit, at=folder, listed=True)
    except OSError as error:
        return _unreadable(error)
    return Artifact(_KINDS[found.kind], found.size, found.data)


def _unreadable(error: OSError) -> Artifact:
    """The verifier's doing, unless this machine failed: then whatever reads the folder fails with it."""
    if is_machines_failure(error):
        raise error
    return Artifact(ArtifactKind.UNREADABLE, 0)


def _label(name: str) -> str:
    """A file's name as a key: one that is not UTF-8 is escaped."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


def _enter(folder: int, name: str) -> int | None:
    """A descriptor of the folder below, or None if it may not be entered."""
    try:
        return os.open(name, OPEN_FLAGS | os.O_DIRECTORY, dir_fd=folder)
    except OSError as error:
        if is_machines_failure(error):
            raise
        return None


def _unused(label: str, taken: dict[str, Artifact]) -> str:
    """Two names that look alike once escaped stay two entries."""
    while label in taken:
        label += "'"
    return label
