"""Sandboxes die with adjudge, however adjudge dies.

A small shell, one for each adjudge process, reads which sandboxes are running from a pipe. The pipe's end is
adjudge's end, be it killed, crashed or done; the shell then kills what was still running, and goes.
bubblewrap's own `--die-with-parent` is not enough: a parent killed while the sandbox is being built leaves it
stuck, or running without anybody to watch it. The shell has a session of its own, so that a signal to
adjudge's whole process group does not take it along.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

_SCRIPT = """
live=
while read -r sign sandbox; do
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
    for try in 1 2 3 4 5 6 7 8 9; do [ -z "$group" ] || rmdir "$group" && break; sleep "0.$try"; done
done
"""

_lock = threading.Lock()
_pipe: int | None = None


def keep(pid: int, group: Path | None = None) -> str:
    """From now on the sandbox whose first process this is dies with adjudge, and its control group with it.

    Returns its name, to be told to `forget`. A process is known by its number and the time it was started:
    the number alone may be another's by then, and a name can be anybody's.
    """
    sandbox = f"{pid}:{start_time(pid)}:{group or ''}"
    _tell(f"+ {sandbox}\n")
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


def _tell(line: str) -> None:
    global _pipe  # noqa: PLW0603 - there is one pipe per process
    with _lock:
        if _pipe is None:
            _pipe = _start()
        try:
            os.write(_pipe, line.encode())
        except BrokenPipeError:  # somebody killed the janitor
            os.close(_pipe)
            _pipe = _start()
            os.write(_pipe, line.encode())


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
    global _pipe, _lock  # noqa: PLW0603 - see above
    _lock = threading.Lock()
    if _pipe is not None:
        os.close(_pipe)
        _pipe = None


os.register_at_fork(after_in_child=_after_fork)
