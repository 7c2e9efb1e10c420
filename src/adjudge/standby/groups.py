"""Move into another process's control groups: a desktop gives each of its terminals one of its own.

An attendant that is alike in all else joins its client there, where the command belongs: its limits hold for
it, and what it uses is counted there. Whether the system allowed it is read anew afterwards.
"""

from __future__ import annotations

import os
from pathlib import Path


def join(groups: str, own: str) -> None:
    """Join each group of `/proc/PID/cgroup` that is not this process's own. OSError if it may not."""
    places = hierarchies(Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace"))
    for line in set(groups.splitlines()) - set(own.splitlines()):
        _, controllers, path = line.split(":", 2)
        if controllers not in places or ".." in path.split("/"):
            raise OSError(f"no such hierarchy here: {line}")
        Path(f"{places[controllers]}{path}/cgroup.procs").write_text(str(os.getpid()), encoding="ascii")


def hierarchies(mounts: str) -> dict[str, str]:
    """Where the hierarchies are whose root is to be seen, by their controllers: none is the unified one."""
    found: dict[str, str] = {}
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        root, place = before.split()[3:5]
        kind, _, options = after.split(" ", 2)
        if root == "/" and kind in ("cgroup", "cgroup2"):
            found["" if kind == "cgroup2" else ",".join(_controllers(options))] = place
    return found


def _controllers(options: str) -> list[str]:
    """Of the options of a mount: as `/proc/PID/cgroup` names them."""
    return [word for word in options.split(",") if word not in ("rw", "ro") and not word.startswith("xattr")]
