"""The root of a session: what a Linux needs beside the host's `/usr`, and nothing else of this host's.

The root is writable, so an agent may replace all of it: the link `/bin`, the loader behind `/lib64`, the list
of libraries to preload. Before each start, when no process of the session is left, what decides which
programs run is put right again; what was in the way is moved aside, unopened. No link that stands in the
root is ever followed from outside.
"""

from __future__ import annotations

import contextlib
import os
import stat
import uuid
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from adjudge.sandbox.identity import NOBODY, drops_root

ETC_FOLDERS = ("alternatives", "ssl/certs", "ca-certificates", "ld.so.conf.d")
"""The host's, mounted read-only."""
_ETC_FILES = ("ld.so.conf", "protocols", "services", "localtime", "mime.types")
_LOADING = ("ld.so.cache", "nsswitch.conf")
"""These name libraries that programs load."""
_FOLDERS = ("home", "opt", "run", "srv", "var/lib", "var/log")
_NEEDED = ("dev", "etc", "proc", "root", "usr", *(f"etc/{name}" for name in ETC_FOLDERS))
_LOGS = ("logs/agent", "logs/verifier", "logs/artifacts")
_TEMPORARY = ("tmp", "var/tmp")
_PASSWD = b"root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/bin/sh\n"


def lay_out(folder: Path, *, plain: bool) -> None:
    """A new session's folder: the writable layer, and for a plain base the root around `/usr`."""
    for name in ("root", "work", "discarded"):
        (folder / name).mkdir()
        _give(folder / name, 0o755)
    _give(folder, 0o700)
    root = SessionRoot(folder)
    for name in _LOGS:
        root.folder(name, 0o777)
    for name in _TEMPORARY:
        root.folder(name, 0o1777)
    if plain:
        put_right(folder)
        root.folder("workspace", 0o777)
        for name in _FOLDERS:
            root.folder(name, 0o755)
        for name in _ETC_FILES:
            root.copy_of_host(f"etc/{name}")
        root.file("etc/passwd", _PASSWD)
        root.file("etc/group", b"root:x:0:\nnogroup:x:65534:\n")
        root.file("etc/hosts", b"127.0.0.1 localhost adjudge\n::1 localhost\n")


def put_right(folder: Path) -> None:
    """Restore what decides which programs run in a plain base. No process may be running in it."""
    root = SessionRoot(folder)
    _give(folder / "root", 0o755)
    for name in _NEEDED:
        root.folder(name, 0o755)
    for name in _TEMPORARY:
        root.folder(name, 0o1777)
    for host in Path("/").iterdir():
        if host.is_symlink() and str(host.readlink()).lstrip("/").startswith("usr/"):
            root.link(host.name, str(host.readlink()))
    root.discard("etc/ld.so.preload")
    for name in _LOADING:
        root.discard(f"etc/{name}")
        root.copy_of_host(f"etc/{name}")
    root.discard("etc/resolv.conf")
    root.file("etc/resolv.conf", b"")  # the host's is mounted on it if there is network


def empty(folder: Path, names: Iterable[str]) -> None:
    """Make each of these an empty folder open to every user, whatever stood there or above it."""
    root = SessionRoot(folder)
    for name in names:
        root.folder(name, 0o777)
        root.discard(name)
        root.folder(name, 0o777)


class SessionRoot(Struct, frozen=True):
    """The `root` below a session's folder. Names are relative, and lead through no link."""

    session: Path

    def folder(self, name: str, mode: int) -> None:
        """A real folder at every part of the name; the last one has this mode."""
        path = Path()
        for part in Path(name).parts:
            path /= part
            if not _is_folder(self.at(path)):
                self.discard(path)
                self.at(path).mkdir()
                _give(self.at(path), 0o755)
        _give(self.at(path), mode)

    def link(self, name: str, target: str) -> None:
        path = self.at(name)
        if not (path.is_symlink() and str(path.readlink()) == target):
            self.discard(name)
            path.symlink_to(target)
            _give(path, None)

    def file(self, name: str, content: bytes) -> None:
        with self.at(name).open("xb") as file:  # never through something that is there
            file.write(content)
        _give(self.at(name), 0o644)

    def copy_of_host(self, name: str) -> None:
        """None if the host has no such file."""
        with contextlib.suppress(OSError):
            self.file(name, Path("/", name).read_bytes())

    def discard(self, name: str | Path) -> None:
        """Out of the root, whatever it is and however deep; it goes when the session does."""
        if os.path.lexists(self.at(name)):
            self.at(name).rename(self.session / "discarded" / uuid.uuid4().hex)

    def at(self, name: str | Path) -> Path:
        return self.session / "root" / str(name).lstrip("/")

    def is_real(self, name: str) -> bool:
        """Is it a folder, reached through folders only?"""
        parts = Path(name.lstrip("/")).parts
        return all(_is_folder(self.at(Path(*parts[: end + 1]))) for end in range(len(parts)))

    def names(self, name: str) -> list[str]:
        """What a folder holds; nothing if it is none, or lies behind a link."""
        return sorted(os.listdir(self.at(name))) if self.is_real(name) else []  # noqa: PTH208 - names


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _give(path: Path, mode: int | None) -> None:
    """To the sandbox's user, who is root inside. A link has no mode."""
    if mode is not None:
        path.chmod(mode)
    if drops_root():
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
