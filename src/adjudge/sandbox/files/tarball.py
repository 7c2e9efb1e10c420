"""Files to and from a container as tar streams, read with the same distrust as a folder."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from adjudge.sandbox.files.artifacts import MAX_DEPTH, Artifact, ArtifactKind, FolderReading
from adjudge.sandbox.job import PlacedFile


def pack(folder: str, files: Mapping[str, PlacedFile], folders: Mapping[str, Path]) -> bytes:
    """A tar archive of one empty folder and of files by their absolute paths; links as links.

    `folders` of this machine follow with all that they hold, by the path they are to have; never pipes.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        made = tarfile.TarInfo(folder.lstrip("/"))
        made.type, made.mode = tarfile.DIRTYPE, 0o755
        archive.addfile(made)
        for path, file in files.items():
            member = tarfile.TarInfo(path.lstrip("/"))
            member.mode = file.mode & 0o777
            if file.link is not None:
                member.type, member.linkname = tarfile.SYMTYPE, file.link
                archive.addfile(member)
            else:
                member.size = len(file.data)
                archive.addfile(member, io.BytesIO(file.data))
        for path, source in folders.items():
            for entry in sorted(source.iterdir()):  # the folder itself is there, and somebody else's
                archive.add(entry, f"{path.lstrip('/')}/{entry.name}", filter=_plain)
    return buffer.getvalue()


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """As whoever unpacks it owns it, with its times; no pipe, no device."""
    if not (member.isreg() or member.isdir() or member.issym()):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = member.mode & 0o777 | (0o700 if member.isdir() else 0o400)
    return member


def unpack(stream: IO[bytes], *, max_file_bytes: int, max_total_bytes: int, max_files: int) -> FolderReading:
    """The artifacts in a tar stream of a folder; the first entry of a name counts.

    A stream that breaks off, or goes on past four times what may be kept, is an incomplete reading; the file
    that is too much for it is named.
    """
    found: dict[str, Artifact] = {}
    complete = True
    left, patience = max_total_bytes, 4 * max_total_bytes
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                name = member.name.removeprefix("./").rstrip("/")
                if name in ("", ".") or name in found:
                    continue
                patience -= member.size
                if len(found) >= max_files:
                    return FolderReading(found, complete=False)
                if patience < 0:
                    found[name] = Artifact(ArtifactKind.OVERSIZED, member.size)
                    return FolderReading(found, complete=False)
                if name.count("/") > MAX_DEPTH:
                    complete = False
                    continue
                found[name] = artifact = _artifact(archive, member, min(left, max_file_bytes))
                left -= len(artifact.data or b"")
                complete &= artifact.kind is not ArtifactKind.OVERSIZED
    except (tarfile.TarError, EOFError):
        complete = False
    return FolderReading(found, complete)


def _artifact(archive: tarfile.TarFile, member: tarfile.TarInfo, limit: int) -> Artifact:
    if member.issym() or member.islnk():
        return Artifact(ArtifactKind.LINK, 0)
    if member.isdir():
        return Artifact(ArtifactKind.DIRECTORY, 0)
    if member.isfifo():
        return Artifact(ArtifactKind.PIPE, 0)
    if not member.isreg():
        return Artifact(ArtifactKind.DEVICE, 0)
    if member.size > limit:
        return Artifact(ArtifactKind.OVERSIZED, member.size)
    file = archive.extractfile(member)
    data = file.read() if file is not None else b""
    return Artifact(ArtifactKind.FILE, len(data), data)
