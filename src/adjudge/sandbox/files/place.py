"""Put files into a sandbox that has not started, through a descriptor of its root.

Every step opens one name relative to the folder above it and follows no link: an absolute link inside the
sandbox's root would otherwise lead into the host's.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from adjudge.sandbox.identity import as_sandbox_user
from adjudge.sandbox.job import PlacedFile

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_SETTLE_SEC = 10


def open_folder(root: int, path: str, *, create: bool) -> int:
    """A descriptor of a folder below `root`; raises `OSError` if a link or a file stands in the way."""
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
    os.chmod(name, 0o755, dir_fd=fd)  # noqa: S103 - inside the sandbox, the same under every umask


def place_files(root: int, files: Mapping[str, PlacedFile]) -> None:
    """Create every file and the folders it needs; a link is not looked at."""
    last: str | None = None
    with contextlib.ExitStack() as opened:
        for path, file in files.items():
            folder, _, name = path.rpartition("/")
            if folder != last:
                opened.close()
                above, last = open_folder(root, folder, create=True) if folder else os.dup(root), folder
                opened.callback(os.close, above)
            _place_in(above, name, file.data, mode=file.mode, link=file.link)


class ReadFile(Struct, frozen=True):
    """A file of a folder that is copied, or (`link`) a link."""

    name: str
    data: bytes
    mode: int
    time_ns: int
    link: str | None


class ReadFolder(Struct, frozen=True):
    """A folder that is copied: where it lies in the whole, and the files in it."""

    path: str
    time_ns: int
    files: Iterable[ReadFile]


def read_folders(source: Path) -> Iterator[ReadFolder]:
    """A folder of this machine and all below it, each in turn: its files are read until the next is asked
    for. Links as links, pipes and such left out."""
    for folder, _, names, fd in os.fwalk(source, follow_symlinks=False):
        path = os.path.relpath(folder, source)
        yield ReadFolder(path, os.fstat(fd).st_mtime_ns, _read_files(fd, sorted(names)))


def kept_folders(source: Path) -> list[ReadFolder]:
    """The same read once, to be placed often; all of it is in memory."""
    return [replace(folder, files=list(folder.files)) for folder in read_folders(source)]


def place_folders(folders: Iterable[ReadFolder], root: int, target: str) -> None:
    """Write what is read from a folder, with its times, as the sandbox's user; who this is reads it."""
    times: list[tuple[str, int]] = []
    for folder in folders:
        inside = f"{target}/{folder.path}".removesuffix("/.")
        times.append((inside, folder.time_ns))
        with as_sandbox_user():
            above = open_folder(root, inside, create=True)
        try:
            for file in folder.files:
                with as_sandbox_user():
                    _place_in(above, file.name, file.data, mode=file.mode, link=file.link)
                    _set_time(above, file.name, file.time_ns)
        finally:
            os.close(above)
    with as_sandbox_user():
        for inside, time_ns in times:
            above = open_folder(root, inside, create=False)
            try:
                _set_time(above, ".", time_ns)
            finally:
                os.close(above)


def _read_files(folder: int, names: Iterable[str]) -> Iterator[ReadFile]:
    for name in names:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        link = os.readlink(name, dir_fd=folder) if stat.S_ISLNK(status.st_mode) else None
        if link is None and not stat.S_ISREG(status.st_mode):
            continue
        data = b"" if link is not None else _read(name, folder)
        yield ReadFile(name, data, status.st_mode | stat.S_IRUSR, status.st_mtime_ns, link)


def _set_time(folder: int, name: str, time_ns: int) -> None:
    os.utime(name, ns=(time_ns, time_ns), dir_fd=folder, follow_symlinks=False)


def folder_size(source: Path) -> int:
    """At least the memory that a copy of the folder needs."""
    size = 0
    for _, folders, names, fd in os.fwalk(source, follow_symlinks=False):
        size += 4096 * (len(folders) + len(names) + 1)
        size += sum(os.stat(name, dir_fd=fd, follow_symlinks=False).st_size for name in names)
    return size


def _read(name: str, folder: int) -> bytes:
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(fd, "rb") as file:
        return file.read()


def _place_in(above: int, name: str, data: bytes, *, mode: int, link: str | None) -> None:
    if link is not None:
        os.symlink(link, name, dir_fd=above)
        return
    with contextlib.ExitStack() as opened:
        fd = os.open(name, _NEW_FILE, 0o600, dir_fd=above)
        try:
            os.fchmod(fd, 0o600)  # whatever the umask is
            reading = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
            opened.callback(os.close, reading)
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(fd, rest) :]
            os.fchmod(fd, stat.S_IMODE(mode) & 0o777)  # never setuid, whatever the agent's file was
        finally:
            os.close(fd)
        _settle(reading)


def _settle(reading: int) -> None:
    """Wait until nobody has this file open for writing.

    A process that another thread starts holds a copy of our descriptor until it runs its program. As long as
    it does, the folder cannot be made read-only, and the file cannot be run (`Text file busy`). The system
    grants a lease for reading only if there is no writer.
    """
    until = time.monotonic() + _SETTLE_SEC
    while True:
        try:
            fcntl.fcntl(reading, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except BlockingIOError:
            if time.monotonic() > until:
                return
            time.sleep(0.0005)
        except OSError:  # a file system without leases: nobody can tell
            return
        else:
            fcntl.fcntl(reading, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            return
