"""Sandboxes die with adjudge, however adjudge dies.

A small shell, one for each adjudge process, reads which sandboxes are running from a pipe. The pipe's end is
adjudge's end, be it killed, crashed or done; the shell then kills what was still running, and goes.
bubblewrap's own `--die-with-parent` is not enough: a parent killed while the sandbox is being built leaves it
stuck, or running without anybody to watch it. The shell has a session of its own, so that a signal to
adjudge's whole process group does not take it along. It reads byte by byte, as shells do: what it is told is
short, and the folder of all control groups is told once.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

_SCRIPT = """
live= groups=
while read -r sign sandbox; do
    [ "$sign" = in ] && groups=$sandbox && continue
    rest=
    for other in $live; do [ "$other" = "$sandbox" ] || rest="$rest $other"; done
    live=$rest
    [ "$sign" = + ] && live="$live $sandbox"
done
for sandbox in $live; do
    pid=${sandbox%%:*}
    rest=${sandbox#*:}
    read -r stat < "/proc/$pid/stat" || continue
    set -- ${stat##*) }
    [ "${20}" = "${rest%%:*}" ] && kill -9 "$pid"
done
for sandbox in $live; do
    group=${sandbox#*:*:}
    for try in 1 2 3 4 5 6 7 8 9; do [ -z "$group" ] || rmdir "$groups/$group" && break; sleep "0.$try"; done
done
"""

_lock = threading.Lock()
_pipe: int | None = None
_groups: Path | None = None
"""Where control groups lie, as the shell was told."""


def keep(pid: int, group: Path | None = None) -> str:
    """From now on the sandbox whose first process this is dies with adjudge, and its control group with it.

    Returns its name, to be told to `forget`. A process is known by its number and the time it was started:
    the number alone may be another's by then, and a name can be anybody's.
    """
    sandbox = f"{pid}:{start_time(pid)}:{group.name if group is not None else ''}"
    _tell(f"+ {sandbox}\n", None if group is None else group.parent)
    return sandbox


def forget(sandbox: str) -> None:
    """The sandbox is dead; its number may be another's soon."""
    _tell(f"- {sandbox}\n")


def start_time(pid: int) -> int:
    """When a process was started, in the kernel's ticks since it booted; 0 if it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return 0
    return int(text[text.rindex(b")") + 2 :].split()[19])


def _tell(line: str, groups: Path | None = None) -> None:
    """Tell a line, and before it where control groups lie, if the shell does not know."""
    with _lock:
        try:
            _write(_renewed() if _pipe is None else _pipe, line, groups)
        except BrokenPipeError:  # somebody killed the janitor
            _write(_renewed(), line, groups)


def _write(pipe: int, line: str, groups: Path | None) -> None:
    global _groups
    if groups is not None and groups != _groups:
        line, _groups = f"in {groups}\n{line}", groups
    os.write(pipe, line.encode())


def _renewed() -> int:
    global _pipe, _groups
    if _pipe is not None:
        os.close(_pipe)
    _pipe, _groups = _start(), None
    return _pipe


def _start() -> int:
    reading, writing = os.pipe()
    try:
        os.posix_spawn(
            "/bin/sh",
            ["adjudge-janitor", "-c", _SCRIPT],
            {},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, reading, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
            setsid=True,
        )
    finally:
        os.close(reading)
    return writing


def _after_fork() -> None:
    """A forked process has sandboxes of its own, and must not hold its parent's pipe open."""
    global _pipe, _groups, _lock  # noqa: PLW0603 - see above
    _lock = threading.Lock()
    if _pipe is not None:
        os.close(_pipe)
        _pipe = _groups = None


os.register_at_fork(after_in_child=_after_fork)
