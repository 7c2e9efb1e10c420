"""A session's folder from outside: filled, emptied and measured.

What comes out of a session is untrusted. Files and folders are unpacked first and links last, none of
them through a link, so that no link can turn a path around, whatever Python's own filter thinks of it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tarfile
from pathlib import Path
from typing import IO

PREFIX = "adjudge-session-"
SINGLE = "file"
"""The name of the only member if a file was asked for."""


def pack(source: Path, packed: IO[bytes]) -> None:
    """A file, or what a folder holds, as tar; everything belongs to the session's root."""

    def ours(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        return member

    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        if source.is_file():
            archive.add(source.resolve(), source.name, recursive=False, filter=ours)
        else:
            for child in sorted(source.iterdir()):
                archive.add(child, child.name, filter=ours)


def unpack_file(packed: IO[bytes], target: Path) -> None:
    """The archive's only member into a file."""
    with tarfile.open(fileobj=packed, mode="r:") as archive:
        content = archive.extractfile(SINGLE)
        assert content is not None  # noqa: S101 - a regular file: our own helper packed it
        target.parent.mkdir(parents=True, exist_ok=True)
        _make_way(target)
        with target.open("wb") as file:
            shutil.copyfileobj(content, file)


def unpack_folder(packed: IO[bytes], target: Path) -> None:
    """Everything into a folder. Links that lead out of it are left behind."""
    target.mkdir(parents=True, exist_ok=True)
    links = []
    with tarfile.open(fileobj=packed, mode="r:") as archive:
        for member in archive:
            if member.issym():
                links.append(member)
            else:
                _extract(archive, member, target)
        for member in links:
            _extract(archive, member, target)


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    name = Path(member.name)
    if name.is_absolute() or ".." in name.parts or any((target / p).is_symlink() for p in name.parents[:-1]):
        return
    _make_way(target / name)
    with contextlib.suppress(tarfile.FilterError):
        archive.extract(member, target, filter="data", set_attrs=not member.issym())


def _make_way(path: Path) -> None:
    """Remove the file or link of an earlier download, so that nothing is written through it."""
    if path.is_symlink() or path.is_file():
        path.unlink()


def disk_usage(folder: Path) -> int:
    """Bytes on disk of all files below a folder."""
    total = 0
    for base, _, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(OSError):
                total += os.lstat(f"{base}/{name}").st_blocks * 512
    return total
