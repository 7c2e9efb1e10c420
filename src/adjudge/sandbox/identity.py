"""Who the sandboxed processes are on the host: never root.

An ordinary user's sandbox runs as that user. Root's runs as `nobody`, taken on before bubblewrap starts, so
that even a process that broke out of every namespace would own nothing. Three things follow, and live here:
what `nobody` cannot read has to be copied for it; the sandbox's files must be touched as `nobody`, since its
file system knows no other user; and the results are then the same for root as for anybody.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

NOBODY = 65534


def drops_root() -> bool:
    """Is this root, so that the sandbox must run as somebody else?"""
    return os.geteuid() == 0


def spawn_options() -> dict[str, Any]:
    """What `subprocess.Popen` needs to start a program as the sandbox's user, whatever this one's umask.

    It copies this whole process first; `adjudge._spawn` does not.
    """
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if drops_root() else {}
    return {"umask": 0o022, **user}


def own(fd: int) -> None:
    """Give what a descriptor stands for to the sandbox's user."""
    if drops_root():
        os.fchown(fd, NOBODY, NOBODY)


@contextlib.contextmanager
def as_sandbox_user() -> Iterator[None]:
    """Act as the sandbox's user, in this thread only; does nothing for an ordinary user.

    The C library's own calls would change every thread of the process, so the kernel is asked directly. The
    saved ids stay root's, which is the way back.
    """
    if not drops_root():
        yield
        return
    ids = _thread_ids()
    uids, gids = os.getresuid(), os.getresgid()
    ids.set_gids(NOBODY, NOBODY, gids[1])
    ids.set_uids(NOBODY, NOBODY, uids[1])
    try:
        yield
    finally:
        ids.set_uids(*uids)
        ids.set_gids(*gids)


def become_sandbox_user() -> None:
    """Be the sandbox's user from now on, in this thread only; does nothing for an ordinary user.

    No way back: no saved id, no group besides, no capability.
    """
    if drops_root():
        ids = _thread_ids()
        ids.forget_groups()
        ids.set_gids(NOBODY, NOBODY, NOBODY)
        ids.set_uids(NOBODY, NOBODY, NOBODY)


_NUMBERS = {"x86_64": (117, 119, 116), "ppc64le": (164, 169, 81), "s390x": (208, 210, 206)}
_GENERIC_NUMBERS = (147, 149, 159)  # aarch64, riscv64, loongarch64


class _ThreadIds(Struct, frozen=True):
    """`setresuid`, `setresgid` and `setgroups` for the calling thread alone."""

    set_uids: Callable[[int, int, int], None]
    set_gids: Callable[[int, int, int], None]
    forget_groups: Callable[[], None]


@cache
def _thread_ids() -> _ThreadIds:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    uids, gids, groups = _NUMBERS.get(os.uname().machine, _GENERIC_NUMBERS)

    def call(number: int, *arguments: Any) -> None:
        if libc.syscall(ctypes.c_long(number), *arguments) != 0:
            raise OSError(ctypes.get_errno(), "cannot take on the sandbox's user")

    return _ThreadIds(
        lambda real, effective, saved: call(uids, real, effective, saved),
        lambda real, effective, saved: call(gids, real, effective, saved),
        lambda: call(groups, 0, None),
    )


def readable(folder: Path, *, by_others: bool) -> bool:
    """May anybody (`by_others`), or at least this process, read a folder and all below it?

    Looks at permission bits only: a folder shared by access lists is taken for unreadable and copied.
    """
    if not by_others:
        return True
    if not all(_others(parent, stat.S_IXOTH) for parent in folder.parents):
        return False
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_symlink():
                    continue
                wanted = stat.S_IROTH | (stat.S_IXOTH if entry.is_dir() else 0)
                if entry.stat(follow_symlinks=False).st_mode & wanted != wanted:
                    return False
                if entry.is_dir():
                    waiting.append(Path(entry.path))
    return _others(folder, stat.S_IROTH | stat.S_IXOTH)


def reachable(path: Path) -> bool:
    """May the sandbox's user enter a folder? Says nothing of what is below."""
    return not drops_root() or all(_others(part, stat.S_IXOTH) for part in (path, *path.parents))


def _others(path: Path, wanted: int) -> bool:
    return path.stat().st_mode & wanted == wanted


def public_folder() -> Path:
    """Where temporary files can be put that the sandbox's user must reach: TMPDIR may be somebody's own."""
    wanted = Path(tempfile.gettempdir()).resolve()
    for folder in (wanted, Path("/tmp"), Path("/var/tmp"), Path("/dev/shm")):  # noqa: S108
        if folder.is_dir() and all(_others(path, stat.S_IXOTH) for path in (folder, *folder.parents)):
            return folder
    return wanted


@contextlib.contextmanager
def readable_by_all(folder: Path) -> Iterator[Path]:
    """The folder itself if anybody can read it, else a copy that anybody can, which goes away again.

    For engines that run a sandbox as some user of their own. `folder` is absolute and no link.
    """
    if readable(folder, by_others=True):
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="adjudge-readable-", dir=public_folder()) as place:
        copy = Path(place) / "tests"
        shutil.copytree(folder, copy, symlinks=True)
        for path in (Path(place), copy, *copy.rglob("*")):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
        yield copy
