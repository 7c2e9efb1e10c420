"""Read a trial's folder from disk, trusting nothing in it.

The same rules as everywhere artifacts are read (`adjudge.sandbox`): no link is followed, not even if the
folder itself is one, nothing but a plain file is opened, and sizes are bounded. What is left out is known.
If this machine fails (no descriptor, no memory, a bad disk), that says nothing about the trial, and is a
MachineryError.
"""

from __future__ import annotations

import errno
import os
import stat

from adjudge._files import is_machines_failure
from adjudge.errors import MachineryError
from adjudge.sandbox import Artifact, ArtifactKind, FolderReading, survey_folder

MAX_FILE_BYTES = 32 << 20
MAX_TOTAL_BYTES = 64 << 20
MAX_FILES = 2000
MAX_RESULT_BYTES = 64 << 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
NO_FILES = FolderReading({}, complete=True)


def read_tree(path: str) -> FolderReading:
    """What stands in a folder and below it, by relative name; empty if there is no such folder."""
    try:
        descriptor = os.open(path, _FOLDER)
    except OSError as error:
        raise_if_machines(error, path)
        return NO_FILES
    try:
        return survey_folder(
            descriptor, max_file_bytes=MAX_FILE_BYTES, max_total_bytes=MAX_TOTAL_BYTES, max_files=MAX_FILES
        )
    finally:
        os.close(descriptor)


def raise_if_machines(error: OSError, path: str) -> None:
    """MachineryError if it is this machine that cannot read, whatever lies there."""
    if is_machines_failure(error):
        raise MachineryError(
            "this machine cannot read a job", file=shown(path), found=error.strerror
        ) from error


def shown(name: str) -> str:
    """A name as a record can hold it: bytes that are not UTF-8 are escaped."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "backslashreplace")


def read_file(path: str, limit: int) -> Artifact:
    """One file. Missing is `UNREADABLE` with size 0; ask `is_missing`."""
    try:
        descriptor = os.open(path, _FILE)
    except OSError as error:
        raise_if_machines(error, path)
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
    except OSError as error:
        raise_if_machines(error, path)
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
