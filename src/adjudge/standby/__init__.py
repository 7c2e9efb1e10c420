"""A resident process that has everything imported, and forks for each command: `adjudge standby`.

A command's process is a client: it hands over all that makes a command (its streams, folder, environment,
arguments), passes signals on, and ends as the command ended. The command runs in a fork of the resident
process only if nothing tells the two apart (`alike.py`); else, or if anything at all is in doubt, it runs
where it was called, as if there were no resident process.

`offer` stands first in every start, so it imports nothing: without a resident process it is one `open` that
fails.
"""

from __future__ import annotations

import os

from adjudge._lazy import late_names

TYPE_CHECKING = False  # as in `_lazy`
if TYPE_CHECKING:
    from adjudge.standby.control import StandbyStatus, standing, start, stop

__all__ = ["StandbyStatus", "offer", "standing", "start", "stop"]

__getattr__, __dir__ = late_names(__name__, {"control": ("StandbyStatus", "standing", "start", "stop")})

IS_POSSIBLE = hasattr(os, "pidfd_open")
"""Is this Linux?"""
VARIABLE = "ADJUDGE_STANDBY"
"""With the value 0, every command runs where it is called."""


def folder_path() -> str | None:
    """The folder with the socket: in the user's runtime folder, else in their cache. None without a home."""
    place = os.environ.get("XDG_RUNTIME_DIR")
    if not place:
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - no pathlib
        place = f"{cache}/adjudge"
    return f"{place}/adjudge-standby" if place.startswith("/") else None


def open_folder(path: str) -> int | None:
    """A descriptor of the folder if it is this user's alone, and no link; None for any other."""
    try:
        folder = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    status = os.fstat(folder)
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        os.close(folder)
        return None
    return folder


def socket_in(folder: int) -> str:
    """The socket by the folder's descriptor: nobody can put another folder there, and no path is too long."""
    return f"/proc/self/fd/{folder}/socket"


def offer() -> None:
    """Let the resident process run this command, and end as it ended; return if it is to be run here."""
    if not IS_POSSIBLE or os.environ.get(VARIABLE) == "0":
        return
    path = folder_path()
    folder = None if path is None else open_folder(path)
    if folder is None:
        return
    from adjudge.standby.client import run_elsewhere

    try:
        run_elsewhere(socket_in(folder))
    finally:
        os.close(folder)
