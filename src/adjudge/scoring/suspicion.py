"""Did the verifier break although it left a reward?

Most verifiers trap their own exit and write `{"reward": 0.0}`, so one that could not even start looks like a
wrong answer. `suspicions` looks at how the process ended and at what it said; the reward is not touched.
"""

from __future__ import annotations

import re
import signal

from adjudge.errors import show

_TRACEBACK = re.compile(rb"^[ \t|+]*Traceback \(most recent call last\):", re.MULTILINE)
_CAUSE = {126: "found but could not be executed", 127: "command not found"}


def suspicions(*, exit_code: int | None, stderr: bytes, reward: float, has_details: bool) -> list[str]:
    """What speaks for a broken verifier; empty if nothing does. An exit code of None says nothing."""
    found = []
    ended = how_it_ended(exit_code)
    if ended is not None:
        found.append(ended)
    elif exit_code and reward == 0 and not has_details:
        found.append(f"exit code {exit_code}, reward 0.0 and no details")
    if stderr and _TRACEBACK.search(stderr):
        found.append("a Python traceback on stderr")
    if found and (line := last_line(stderr)):
        found.append(f"stderr ends {line}")
    return found


def how_it_ended(exit_code: int | None) -> str | None:
    """Words for an exit that no verifier chooses: not started, or ended by a signal. None for the others.

    A shell reports a child that died of signal N as 128 + N; that and -N are worded alike, so that the
    same death reads the same whichever process was told of it.
    """
    if exit_code is None:
        return None
    if exit_code in _CAUSE:
        return f"exit code {exit_code} ({_CAUSE[exit_code]})"
    number = -exit_code if exit_code < 0 else exit_code - 128
    if 0 < number < signal.NSIG:
        try:
            return f"ended by {signal.Signals(number).name}"
        except ValueError:
            return f"ended by signal {number}"
    return None


def last_line(stderr: bytes) -> str | None:
    """The last line with something in it, quoted and bounded; None if there is none."""
    line = stderr.rstrip().rpartition(b"\n")[2].strip()
    return show(line[:300].decode("utf-8", "replace")) if line else None
