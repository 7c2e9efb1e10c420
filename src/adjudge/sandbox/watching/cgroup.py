"""Memory that the kernel itself limits, if this machine grants control groups; else `watch` looks alone.

A group is made for each run below the one adjudge itself is in, and removed with the run; what a killed
adjudge left there, the next one removes. What a sandbox writes is memory too (its disk is a tmpfs), so the
group's hard limit is that of memory, disk and shared memory together. Within it `watch` holds the job to its
memory, as it does without a group; but whatever happens between two looks, or belongs to no process (page
tables, socket buffers, pipes), ends at the limit.

Version 1: the thread that starts bubblewrap enters the group for that moment. What it starts is born there,
which costs a fraction of a millisecond; moving a process that exists waits for all CPUs, 10 to 25 ms.
Version 2 has no threads in groups, so the waiting process is moved and that time is paid. It needs a group
whose children may be limited: the root of the hierarchy, or one that was delegated to this process alone, as
`systemd-run --user --scope --property=Delegate=yes adjudge …` does. Only version 1 could be tried where this
was written.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import time
from functools import cache
from pathlib import Path

from msgspec import Struct

from adjudge._lazy import late_pattern

MAIN = "adjudge-main"
"""Version 2: where adjudge itself goes, since a group with limited children may hold no process."""
_numbers = itertools.count()
_REMOVE_SEC = 2.0
_ASKED_FOR = late_pattern(rb"^(cache|file|shmem|oom_kill) (\d+)$", re.MULTILINE)
_LEFT_SEC = 600.0
"""A group is entered within moments: one this old that holds no process was left behind."""


class ParentGroup(Struct, frozen=True):
    """The group below which groups can be made."""

    folder: Path
    version: int

    @property
    def name(self) -> str:
        return f"cgroup v{self.version}"


class ControlGroup(Struct, frozen=True):
    """One run's group."""

    folder: Path
    version: int

    def enter(self) -> None:
        """This thread, and whatever it starts from now on, is in the group (version 1)."""
        if self.version == 1:
            _write(self.folder / "tasks", "0")

    def take(self, pid: int) -> None:
        """Move a process that has no children yet (version 2)."""
        if self.version == 2:
            _write(self.folder / "cgroup.procs", str(pid))

    def killed(self) -> bool:
        """Did the kernel end a process because of the limit?"""
        file = "memory.events" if self.version == 2 else "memory.oom_control"
        return _numbers_of(f"{self.folder}/{file}").get(b"oom_kill", 0) > 0

    def used(self, *, on_disk: int) -> int:
        """Bytes in use, without what the kernel can drop and without `on_disk`, what files take up."""
        stat = _numbers_of(f"{self.folder}/memory.stat")
        usage, files = (
            ("memory.current", b"file") if self.version == 2 else ("memory.usage_in_bytes", b"cache")
        )
        droppable = max(0, stat.get(files, 0) - stat.get(b"shmem", 0))
        return max(0, _number(f"{self.folder}/{usage}") - droppable - on_disk)

    def remove(self) -> None:
        """When every process is gone; the kernel may need a moment more. What stays is empty."""
        deadline = time.monotonic() + _REMOVE_SEC
        while True:
            try:
                self.folder.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                if time.monotonic() > deadline:
                    return
                time.sleep(0.001)
            else:
                return


def make_group(limit: int) -> ControlGroup | None:
    """A new group of so many bytes; None if this machine grants none, or no more of them."""
    parent = find_parent()
    if isinstance(parent, str):
        return None
    folder = parent.folder / f"adjudge-{os.getpid()}-{next(_numbers)}"
    group = ControlGroup(folder, parent.version)
    try:
        folder.mkdir()
        _limit(group, limit)
    except OSError:
        group.remove()
        return None
    return group


def _remove_left(folder: Path) -> None:
    """Groups of an adjudge that was killed before it, or its janitor, could remove them.

    The kernel keeps a group that holds a process, whoever asks.
    """
    with contextlib.suppress(OSError):
        for left in folder.glob("adjudge-*-*"):
            with contextlib.suppress(OSError):
                if time.time() - left.stat().st_mtime > _LEFT_SEC:
                    left.rmdir()


def _limit(group: ControlGroup, limit: int) -> None:
    if group.version == 2:
        _write(group.folder / "memory.max", str(limit))
        _write(group.folder / "memory.oom.group", "1")
        with contextlib.suppress(FileNotFoundError):  # a kernel without swap
            _write(group.folder / "memory.swap.max", "0")
        return
    _write(group.folder / "memory.limit_in_bytes", str(limit))
    with contextlib.suppress(FileNotFoundError):
        _write(group.folder / "memory.memsw.limit_in_bytes", str(limit))


@cache
def find_parent(root: Path = Path("/")) -> ParentGroup | str:
    """Where groups can be made, found out by making one; else why not, in words."""
    mounts = _mounts(root)
    own = _own_paths(root)
    reasons = []
    for version, find in ((2, _version_2), (1, _version_1)):
        found = find(mounts, own)
        if isinstance(found, str):
            reasons.append(found)
            continue
        parent = ParentGroup(root / str(found).lstrip("/"), version)
        problem = _prepare(parent) if version == 2 else None
        problem = problem or _try(parent)
        if problem is None:
            if version == 2 and parent.folder.name == MAIN:
                parent = ParentGroup(parent.folder.parent, 2)
            _remove_left(parent.folder)
            return parent
        reasons.append(f"{parent.name}: {problem}")
    return "; ".join(reasons)


def _mounts(root: Path) -> list[tuple[str, str, str, set[str]]]:
    """(kind, root of the hierarchy that is seen, where, options) of each mounted hierarchy."""
    found = []
    for line in _text(root / "proc/self/mountinfo").splitlines():
        fields, _, rest = line.partition(" - ")
        kind, _, options = rest.partition(" ")
        if kind in ("cgroup", "cgroup2"):
            parts = fields.split()
            found.append((kind, parts[3], parts[4], set(options.rpartition(" ")[2].split(","))))
    return found


def _own_paths(root: Path) -> dict[str, str]:
    """The group this process is in, by controller; version 2's has the name ""."""
    paths = {}
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            paths[controller] = path
    return paths


def _version_2(mounts: list[tuple[str, str, str, set[str]]], own: dict[str, str]) -> Path | str:
    for kind, top, where, _ in mounts:
        if kind == "cgroup2" and "" in own:
            return _below(top, where, own[""])
    return "cgroup v2: not mounted"


def _version_1(mounts: list[tuple[str, str, str, set[str]]], own: dict[str, str]) -> Path | str:
    for kind, top, where, options in mounts:
        if kind == "cgroup" and "memory" in options and "memory" in own:
            return _below(top, where, own["memory"])
    return "cgroup v1: no memory controller"


def _below(top: str, where: str, path: str) -> Path | str:
    if top != "/" and not f"{path}/".startswith(f"{top}/"):
        return f"the group of this process, {path}, is not visible at {where}"
    return Path(where, path.removeprefix(top).lstrip("/"))


def _prepare(parent: ParentGroup) -> str | None:
    """Version 2: have children limited. Only if no process of somebody else's has to make way for that."""
    folder = parent.folder.parent if parent.folder.name == MAIN else parent.folder
    if "memory" not in _text(folder / "cgroup.controllers").split():
        return "the memory controller is not available"
    if "memory" in _text(folder / "cgroup.subtree_control").split():
        return None
    try:
        if (folder / "cgroup.type").exists():  # not the root of the hierarchy
            others = set(_text(folder / "cgroup.procs").split()) - {str(os.getpid())}
            if others:
                return f"{len(others)} other processes are in {folder}; {SCOPE}"
            (folder / MAIN).mkdir(exist_ok=True)
            _write(folder / MAIN / "cgroup.procs", str(os.getpid()))
        _write(folder / "cgroup.subtree_control", "+memory")
    except OSError as error:
        return f"{error.strerror}: {folder}; {SCOPE}"
    return None


SCOPE = "systemd-run --user --scope --property=Delegate=yes adjudge … gives adjudge a group of its own"


def _try(parent: ParentGroup) -> str | None:
    """Make a group, limit it, remove it."""
    folder = parent.folder.parent if parent.folder.name == MAIN else parent.folder
    group = ControlGroup(folder / f"adjudge-{os.getpid()}-try", parent.version)
    try:
        group.folder.mkdir()
        try:
            _limit(group, 1 << 30)
        finally:
            group.folder.rmdir()
    except OSError as error:
        return f"{error.strerror}: {folder}"
    return None


def _write(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _glance(path: str) -> bytes:
    """A short file that is read many times a second while a verifier runs; empty if it is gone."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _number(path: str) -> int:
    text = _glance(path).strip()
    return int(text) if text.isdigit() else 0


def _numbers_of(path: str) -> dict[bytes, int]:
    """Of lines of a name and a number, those that anybody here asks for."""
    return {name: int(number) for name, number in _ASKED_FOR.findall(_glance(path))}
