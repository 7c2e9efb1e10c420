"""Read a trial's folder from disk, trusting nothing in it and touching each file once.

The same rules as everywhere artifacts are read: no link is followed, nothing but a plain file is opened, and
sizes are bounded. Written for tens of thousands of small folders: a folder costs one listing, a file
costs four system calls, and neither costs a path to be resolved twice.
"""

from __future__ import annotations

import errno
import os
import stat
from operator import attrgetter

from adjudge.sandbox import Artifact, ArtifactKind

MAX_FILE_BYTES = 32 << 20
MAX_FILES = 2000
MAX_DEPTH = 32
MAX_RESULT_BYTES = 256 << 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NAME = attrgetter("name")
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def read_tree(path: str, *, max_files: int = MAX_FILES) -> dict[str, Artifact]:
    """What stands in a folder and below it, by relative name; empty where there is no such folder.

    Folders themselves are named where nothing is in them. Beyond `max_files` entries nothing is read.
    """
    found: dict[str, Artifact] = {}
    try:
        descriptor = os.open(path, _FOLDER)
    except OSError:
        return found
    _walk(descriptor, "", found, 0, max_files)
    return found


def _walk(folder: int, prefix: str, found: dict[str, Artifact], depth: int, max_files: int) -> None:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=_NAME)
        for entry in entries:
            if len(found) >= max_files:
                return
            name = entry.name
            label = prefix + (name if name.isascii() else _shown(name))
            if entry.is_symlink():
                found[label] = Artifact(ArtifactKind.LINK, 0)
            elif not entry.is_dir(follow_symlinks=False):  # what is no plain file is told when it is opened
                found[label] = read_file(name, MAX_FILE_BYTES, folder)
            else:
                found[label] = Artifact(ArtifactKind.DIRECTORY, 0)
                if depth < MAX_DEPTH:
                    try:
                        below = os.open(name, _FOLDER, dir_fd=folder)
                    except OSError:
                        continue
                    _walk(below, f"{label}/", found, depth + 1, max_files)
    finally:
        os.close(folder)


def _shown(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def read_file(path: str, limit: int, folder: int | None = None) -> Artifact:
    """One file. Missing is `UNREADABLE` with size 0; ask `is_missing`."""
    try:
        descriptor = os.open(path, _FILE, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return Artifact(ArtifactKind.LINK, 0)
        return MISSING if error.errno == errno.ENOENT else Artifact(ArtifactKind.UNREADABLE, 0)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return Artifact(_kind(status.st_mode), 0)
        if status.st_size > limit:
            return Artifact(ArtifactKind.OVERSIZED, status.st_size)
        data = os.read(descriptor, status.st_size + 1)
        while 0 < len(data) < status.st_size:  # a read may be cut short
            more = os.read(descriptor, status.st_size - len(data))
            if not more:
                break
            data += more
        return Artifact(ArtifactKind.FILE, len(data), data)
    except OSError:
        return Artifact(ArtifactKind.UNREADABLE, 0)
    finally:
        os.close(descriptor)


MISSING = Artifact(ArtifactKind.UNREADABLE, 0)


def is_missing(artifact: Artifact) -> bool:
    """Was there no file at all?"""
    return artifact is MISSING


def _kind(mode: int) -> ArtifactKind:
    if stat.S_ISDIR(mode):
        return ArtifactKind.DIRECTORY
    if stat.S_ISFIFO(mode):
        return ArtifactKind.PIPE
    return ArtifactKind.SOCKET if stat.S_ISSOCK(mode) else ArtifactKind.DEVICE
