"""How an audit looks while it goes on: a live bar on a terminal, else a plain line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from adjudge.reports.run_progress import PLAIN_EVERY_SEC


@dataclass
class AuditTally:
    """Tasks done, probes run, and findings of high severity so far."""

    total: int
    done: int = 0
    probes: int = 0
    high: int = 0

    def describe(self) -> str:
        return f"{self.done}/{self.total} tasks, {self.probes} probes, {self.high} high"


@contextmanager
def audit_progress(tally: AuditTally) -> Iterator[Callable[[], None]]:
    """Yields a function to call whenever the tally has changed; any thread may."""
    if not sys.stderr.isatty():
        yield _plain(tally)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("auditing"),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[words]}", markup=False),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        expand=True,
        transient=True,
    ) as bar:
        row = bar.add_task("auditing", total=tally.total, words=tally.describe())
        yield lambda: bar.update(row, completed=tally.done, words=tally.describe())


def _plain(tally: AuditTally) -> Callable[[], None]:
    last = time.monotonic()

    def refresh() -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= PLAIN_EVERY_SEC:
            last = now
            print(f"auditing: {tally.describe()}", file=sys.stderr, flush=True)

    return refresh
