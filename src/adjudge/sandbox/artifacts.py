"""Read back what a verifier wrote, trusting nothing about it.

Model: a folder is walked breadth first through directory descriptors, one name at a time, so no path is ever
resolved twice and no link is ever followed. What is not a plain file is named (`ArtifactKind`), never opened.
Invariants: memory is bounded by `max_total_bytes` plus the names of `max_files` entries, whatever the folder
holds; the result depends only on the folder's content, not on the order in which the kernel lists it.
"""

from __future__ import annotations

import errno
import heapq
import os
import stat
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path

MAX_DEPTH = 16
"""Folders nested deeper are named and not entered."""

READ_FIRST = ("reward.json", "reward.txt", "details.json", "errors.json")
"""Read before anything else, so that a flood of other files cannot crowd them out."""

_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


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


@dataclass(frozen=True)
class Artifact:
    """One name in the folder; `data` is there for a `FILE` and for nothing else."""

    kind: ArtifactKind
    size: int
    data: bytes | None = None


@dataclass(frozen=True)
class FolderReading:
    """What was read, and whether that is all: `complete` is False where entries were left out or not read."""

    artifacts: dict[str, Artifact]
    complete: bool


def read_folder(
    folder: Path | str | int, *, max_file_bytes: int, max_total_bytes: int, max_files: int
) -> dict[str, Artifact]:
    """The artifacts below a folder by their relative name; `survey_folder` without the word on completeness.

    A folder that does not exist is empty. One that is no folder or may not be opened raises `OSError`.
    """
    return survey_folder(
        folder, max_file_bytes=max_file_bytes, max_total_bytes=max_total_bytes, max_files=max_files
    ).artifacts


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
                for name in _names(fd, max_files + 1, READ_FIRST if depth == 0 else ()):
                    if len(found) >= max_files:
                        return FolderReading(found, complete=False)
                    artifact = _read(fd, name, min(max_file_bytes, left))
                    label = _unused(prefix + os.fsencode(name).decode("utf-8", "backslashreplace"), found)
                    found[label] = artifact
                    left -= len(artifact.data or b"")
                    complete &= artifact.kind is not ArtifactKind.OVERSIZED
                    if artifact.kind is ArtifactKind.DIRECTORY:
                        below = _enter(fd, name) if depth < MAX_DEPTH and len(waiting) < 256 else None
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
            present = sorted(entry.name for entry in entries if entry.name in names)
        return {name: _read(root, name, max_file_bytes) for name in present}
    finally:
        os.close(root)


def _names(fd: int, at_most: int, first: Sequence[str]) -> list[str]:
    """The smallest `at_most` names, those in `first` before the others, in memory bounded by `at_most`."""
    os.lseek(fd, 0, os.SEEK_SET)
    with os.scandir(fd) as entries:
        names = [entry.name for entry in islice(entries, at_most)]
        if len(names) == at_most:  # there may be more
            rest = (entry.name for entry in entries)
            return heapq.nsmallest(at_most, chain(names, rest), key=lambda name: _rank(name, first))
    return sorted(names, key=lambda name: _rank(name, first))


def _rank(name: str, first: Sequence[str]) -> tuple[int, str]:
    return (first.index(name) if name in first else len(first), name)


def _read(folder: int, name: str, limit: int) -> Artifact:
    """One entry; a plain file of at most `limit` bytes is read, anything else is only named."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISREG(status.st_mode):
            return Artifact(_kind(status.st_mode), 0)
        if status.st_size > limit:
            return Artifact(ArtifactKind.OVERSIZED, status.st_size)
        return _read_file(os.open(name, _OPEN, dir_fd=folder), limit)
    except OSError as error:  # ELOOP: a file a moment ago, a link now
        return Artifact(ArtifactKind.LINK if error.errno == errno.ELOOP else ArtifactKind.UNREADABLE, 0)


def _read_file(fd: int, limit: int) -> Artifact:
    """What is behind a descriptor, which is then closed; it may have changed since it was looked at."""
    try:
        mode = os.fstat(fd).st_mode
        if not stat.S_ISREG(mode):
            return Artifact(_kind(mode), 0)
        data = _read_up_to(fd, limit + 1)
        if len(data) > limit:
            return Artifact(ArtifactKind.OVERSIZED, max(os.fstat(fd).st_size, len(data)))
        return Artifact(ArtifactKind.FILE, len(data), data)
    finally:
        os.close(fd)


def _read_up_to(fd: int, limit: int) -> bytes:
    parts: list[bytes] = []
    while limit > 0 and (part := os.read(fd, min(limit, 1 << 20))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def _enter(folder: int, name: str) -> int | None:
    """A descriptor of the folder below, or None where it may not be entered."""
    try:
        return os.open(name, _OPEN | os.O_DIRECTORY, dir_fd=folder)
    except OSError:
        return None


def _kind(mode: int) -> ArtifactKind:
    if stat.S_ISLNK(mode):
        return ArtifactKind.LINK
    if stat.S_ISDIR(mode):
        return ArtifactKind.DIRECTORY
    if stat.S_ISFIFO(mode):
        return ArtifactKind.PIPE
    if stat.S_ISSOCK(mode):
        return ArtifactKind.SOCKET
    return ArtifactKind.DEVICE


def _unused(label: str, taken: dict[str, Artifact]) -> str:
    """Two names that look alike once escaped stay two entries."""
    while label in taken:
        label += "'"
    return label
