"""Say what is happening during a long wait: one line on stderr, only where a person is looking."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

from adjudge.reports.terminal import cut, terminal_of

FIRST_AFTER = 0.5
"""Seconds of silence before the line appears; most waits are shorter."""


@contextlib.contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show `what` and the seconds gone by until the block ends; nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    line = threading.Thread(target=_tick, args=(what, done), daemon=True)
    line.start()
    try:
        yield
    finally:
        done.set()
        line.join()


def _tick(what: str, done: threading.Event) -> None:
    terminal = terminal_of(sys.stderr)
    frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏" if terminal.unicode else "|/-\\"
    start = time.monotonic()
    pause, shown = FIRST_AFTER, 0
    while not done.wait(pause):
        pause = 0.1
        text = f"{frames[shown % len(frames)]} {terminal.safe(what)}  {time.monotonic() - start:.0f} s"
        sys.stderr.write(f"\r{cut(text, terminal.width - 1, terminal.ellipsis)}")
        sys.stderr.flush()
        shown += 1
    if shown:
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()
