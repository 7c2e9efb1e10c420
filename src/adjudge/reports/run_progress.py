"""How a run looks while it goes on: a live bar on a terminal, a plain line now and then elsewhere.

Everything goes to stderr, so that what a command prints on stdout stays its result.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from adjudge.runs import Tally

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PLAIN_EVERY_SEC = 5.0


def failures(tally: Tally) -> str:
    """The outcomes worth a look, in words; empty where there are none."""
    parts = [f"{n} {kind}" for kind, n in sorted(tally.outcomes.items()) if kind not in ("scored", "wrong")]
    if tally.bad_rows:
        parts.append(f"{len(tally.bad_rows)} bad rows")
    return ", ".join(parts)


def describe_tally(tally: Tally) -> str:
    """One line: how many, how good so far, what went wrong."""
    parts = [f"{tally.done}/{'?' if tally.total is None else tally.total}"]
    if tally.mean_reward is not None:
        parts.append(f"mean reward {tally.mean_reward:.3f}")
    if tally.reused:
        parts.append(f"{tally.reused} reused")
    if tally.already:
        parts.append(f"{tally.already} already there")
    if failed := failures(tally):
        parts.append(failed)
    return " · ".join(parts)


def pace(tally: Tally, elapsed: float) -> tuple[float, float | None]:
    """Trials recorded a second, and the seconds left at that rate; None where nobody can know.

    What was there already and what is no trial took no time, and says nothing of what is left.
    """
    rate = tally.recorded / elapsed if elapsed > 0 else 0.0
    return rate, (tally.total - tally.done) / rate if rate and tally.total is not None else None


def duration(seconds: float) -> str:
    """Hours, minutes and seconds as a clock shows them: 0:00:07."""
    minutes, second = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{second:02}"


@contextmanager
def run_progress(tally: Tally, verb: str = "scoring") -> Iterator[Callable[[], None]]:
    """Yields a function to call whenever the tally has changed."""
    if sys.stderr.isatty():
        with _bar(tally, verb) as (bar, task):

            def refresh() -> None:
                rewards = describe_tally(tally).partition(" · ")[2]
                bar.update(task, completed=tally.done, total=tally.total, rewards=rewards)

            yield refresh
            refresh()
    else:
        yield _plain(tally, verb)


def _plain(tally: Tally, verb: str) -> Callable[[], None]:
    started = last = time.monotonic()

    def refresh() -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= PLAIN_EVERY_SEC:
            last = now
            rate, left = pace(tally, now - started)
            parts = [describe_tally(tally), f"{rate:.1f}/s"]
            if left is not None:
                parts.append(f"{duration(left)} left")
            print(f"{verb}: {' · '.join(parts)}", file=sys.stderr, flush=True)

    return refresh


@contextmanager
def _bar(tally: Tally, verb: str) -> Iterator[tuple[Progress, TaskID]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
    )
    from rich.progress import Task as BarTask
    from rich.table import Column
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: BarTask) -> Text:
            rate, _ = pace(tally, task.elapsed or 0.0)
            return Text(f"{rate:.1f}/s" if rate else "", style="progress.data.speed")

    class Left(ProgressColumn):
        def render(self, task: BarTask) -> Text:
            _, left = pace(tally, task.elapsed or 0.0)
            return Text("-:--:--" if left is None else duration(left), style="progress.remaining")

    def whole() -> Column:
        return Column(no_wrap=True)  # in a narrow terminal only the words at the end take a second line

    with Progress(
        TextColumn("{task.description}", table_column=whole()),
        BarColumn(bar_width=None, table_column=Column(min_width=8, ratio=1)),
        MofNCompleteColumn(table_column=whole()),
        Rate(table_column=whole()),
        Left(table_column=whole()),
        TextColumn("{task.fields[rewards]}", markup=False, table_column=Column()),
        console=Console(stderr=True),
        expand=True,
    ) as bar:
        yield bar, bar.add_task(verb, total=tally.total, rewards="")
