"""The folder behind a session: laid out, filled and emptied from outside, measured, and removed.

What is written in a session is untrusted and may be owned by the sandbox's user, so nothing here follows a
link that stands in it, and every removal copes with folders that were made unreadable.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tarfile
from pathlib import Path
from typing import IO

from adjudge.sandbox import NOBODY, drops_root

ETC_FILES = ("ld.so.cache", "ld.so.conf", "nsswitch.conf", "protocols", "services", "localtime", "mime.types")
ETC_FOLDERS = ("alternatives", "ssl/certs", "ca-certificates", "ld.so.conf.d")
_ROOT = ("etc", "home", "opt", "proc", "dev", "root", "run", "srv", "usr", "workspace", "var/lib", "var/log")
_OPEN_TO_ALL = ("tmp", "var/tmp", "logs/agent", "logs/verifier", "logs/artifacts")


def lay_out(folder: Path, *, plain: bool) -> None:
    """The writable layer, and for a plain base the root that stands around the host's `/usr`."""
    root = folder / "root"
    for name in ("root", "work"):
        (folder / name).mkdir(parents=True)
    for name in _OPEN_TO_ALL:
        (root / name).mkdir(parents=True)
        (root / name).chmod(0o1777 if name.endswith("tmp") else 0o777)
    if plain:
        _surround_usr(root)
    if drops_root():
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def _surround_usr(root: Path) -> None:
    """What a Linux needs beside `/usr`: the folders, the links into it, names, and nothing of this host's."""
    for name in _ROOT:
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "workspace").chmod(0o777)
    for host in Path("/").glob("*"):
        if host.is_symlink() and str(host.readlink()).lstrip("/").startswith("usr/"):
            (root / host.name).symlink_to(str(host.readlink()))
    for name in ETC_FOLDERS:
        (root / "etc" / name).mkdir(parents=True, exist_ok=True)
    for name in ETC_FILES:
        with contextlib.suppress(OSError):
            shutil.copyfile(f"/etc/{name}", root / "etc" / name)
    (root / "etc/passwd").write_text(
        "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/bin/sh\n"
    )
    (root / "etc/group").write_text("root:x:0:\nnogroup:x:65534:\n")
    (root / "etc/hosts").write_text("127.0.0.1 localhost adjudge\n::1 localhost\n")
    (root / "etc/resolv.conf").write_text("")


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


def unpack(packed: IO[bytes], target: Path) -> None:
    """Into a folder, or its one member into a file. Unsafe links are left behind: nothing follows them."""
    with tarfile.open(fileobj=packed, mode="r:") as archive:
        members = archive.getmembers()
        if len(members) == 1 and members[0].name == "file" and members[0].isreg():
            target.parent.mkdir(parents=True, exist_ok=True)
            content = archive.extractfile(members[0])
            assert content is not None  # noqa: S101 - it is a regular file
            with target.open("wb") as file:
                shutil.copyfileobj(content, file)
            return
        target.mkdir(parents=True, exist_ok=True)
        for member in members:
            with contextlib.suppress(tarfile.FilterError):
                archive.extract(member, target, filter="data", set_attrs=not member.issym())


def usage(pid: int) -> tuple[int, int]:
    """Resident bytes and number of the session's processes; (0, 0) where it has just ended."""
    page, memory, processes = os.sysconf("SC_PAGE_SIZE"), 0, 0
    with contextlib.suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/root/proc"):  # noqa: PTH208 - hundreds of times a minute
            if name.isdigit():
                processes += 1
                with contextlib.suppress(OSError):
                    statm = Path(f"/proc/{pid}/root/proc/{name}/statm").read_text(encoding="ascii").split()
                    memory += (int(statm[1]) - int(statm[2])) * page  # without the pages of files it maps
    return memory, processes


def disk_usage(folder: Path) -> int:
    total = 0
    for base, _, files in os.walk(folder):
        for name in files:
            with contextlib.suppress(OSError):
                total += (Path(base) / name).lstat().st_blocks * 512
    return total


def remove(folder: Path) -> None:
    """Also where a folder in it was made unreadable, or the overlay left its mode-0 work folder."""
    for base, folders, _ in os.walk(folder):
        for name in folders:
            with contextlib.suppress(OSError):
                path = Path(base) / name
                if not path.is_symlink():
                    path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
