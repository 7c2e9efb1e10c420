"""What a person sees during a long wait: one line on stderr that a thread keeps up to date.

On a terminal the line is redrawn in place, from half a second on. Elsewhere, as in the log of a CI job, a
plain line appears after five seconds and then every half minute, so that no wait is silent. What a command
prints on stdout stays its result.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from adjudge.judges import JudgeTally, Purse
    from adjudge.reports import Terminal
    from adjudge.runs import Tally

FIRST_AFTER = 0.5
REDRAWN_EVERY = 0.1
PLAIN_FIRST_AFTER = 5.0
PLAIN_EVERY = 30.0
_BAR = 20


@contextmanager
def live_line(describe: Callable[[float], str]) -> Iterator[None]:
    """Show what `describe` makes of the seconds gone by until the block ends."""
    done = threading.Event()
    show = _redraw if sys.stderr.isatty() else _print_now_and_then
    line = threading.Thread(target=show, args=(describe, done), daemon=True)
    line.start()
    try:
        yield
    finally:
        done.set()
        line.join()


def waiting(what: str) -> AbstractContextManager[None]:
    """Show `what` and the seconds gone by until the block ends."""
    return live_line(lambda elapsed: f"{what}  {duration(elapsed)}")


@contextmanager
def loading(*modules: str) -> Iterator[Callable[[], None]]:
    """Import modules while the block waits for another program, so that they are there when it is done.

    The block says when it waits by calling what it is given; if it never does, nothing is imported here.
    """
    threads: list[threading.Thread] = []

    def begin() -> None:
        if not threads:
            load = threading.Thread(target=lambda: [import_module(name) for name in modules], daemon=True)
            threads.append(load)
            load.start()

    yield begin
    for thread in threads:
        thread.join()


def run_progress(
    tally: Tally, verb: str = "scoring", *, beside: Callable[[], str] | None = None
) -> AbstractContextManager[None]:
    """Show how far a run has come, how fast it is, and the time left."""

    def describe(elapsed: float) -> str:
        rate, left = pace(tally, elapsed)
        parts = [describe_tally(tally), f"{rate:.1f} per second"]
        if left is not None:
            parts.append(f"{duration(left)} left")
        if beside is not None and (said := beside()):
            parts.append(said)
        return f"{verb}{bar(tally.done, tally.total)}  {' · '.join(parts)}"

    return live_line(describe)


class AuditTally(Struct):
    """Tasks done, probes run, and findings of high severity so far."""

    total: int
    done: int = 0
    probes: int = 0
    high: int = 0


def audit_progress(tally: AuditTally) -> AbstractContextManager[None]:
    """Show how far an audit has come."""

    def describe(elapsed: float) -> str:
        counts = f"{tally.done}/{tally.total} tasks · {tally.probes} probes · {tally.high} high"
        return f"auditing{bar(tally.done, tally.total)}  {counts} · {duration(elapsed)}"

    return live_line(describe)


def judge_progress(tally: JudgeTally, purse: Purse) -> AbstractContextManager[None]:
    """Show how far judges have come, and what they have cost."""

    def describe(elapsed: float) -> str:
        mean = "" if tally.mean_score is None else f" · mean judge score {tally.mean_score:.3f}"
        counts = f"{tally.done}/{tally.total}{mean} · {tally.abstained} abstained"
        money = f"{purse.calls} calls · {purse.cached} from the ledger · {purse.spent:.4f} USD"
        return f"judging{bar(tally.done, tally.total)}  {counts} · {money} · {duration(elapsed)}"

    return live_line(describe)


def describe_tally(tally: Tally) -> str:
    """One line: how many, how good so far, what went wrong."""
    parts = [f"{tally.done}/{'?' if tally.total is None else tally.total}"]
    if tally.mean_reward is not None:
        parts.append(f"mean reward {tally.mean_reward:.3f}")
    if tally.reused:
        parts.append(f"{tally.reused} reused")
    if tally.already:
        parts.append(f"{tally.already} already there")
    parts += [f"{n} {kind}" for kind, n in sorted(tally.outcomes.items()) if kind not in ("scored", "wrong")]
    if tally.bad_rows:
        parts.append(f"{len(tally.bad_rows)} bad rows")
    return " · ".join(parts)


def pace(tally: Tally, elapsed: float) -> tuple[float, float | None]:
    """Trials recorded per second, and the seconds left at that rate; None if nobody can know.

    What was there already and what is no trial took no time, and says nothing about what is left.
    """
    rate = tally.recorded / elapsed if elapsed > 0 else 0.0
    return rate, (tally.total - tally.done) / rate if rate and tally.total is not None else None


def duration(seconds: float) -> str:
    """Hours, minutes and seconds as a clock shows them: 0:00:07."""
    minutes, second = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{second:02}"


def bar(done: int, total: int | None) -> str:
    """` [#####---------------]`; empty if the total is not known."""
    if not total:
        return ""
    full = min(_BAR, _BAR * done // total)
    return f" [{'#' * full}{'-' * (_BAR - full)}]"


def _redraw(describe: Callable[[float], str], done: threading.Event) -> None:
    from adjudge.reports import terminal_of

    terminal = terminal_of(sys.stderr)
    start = monotonic()
    pause, shown = FIRST_AFTER, False
    while not done.wait(pause):
        pause, shown = REDRAWN_EVERY, True
        _write(f"\r{_fitted(describe(monotonic() - start), terminal)}\x1b[K")
    if shown:
        _write("\r\x1b[K")


def _print_now_and_then(describe: Callable[[float], str], done: threading.Event) -> None:
    from adjudge.reports import safe, terminal_of

    start = monotonic()
    pause = PLAIN_FIRST_AFTER
    while not done.wait(pause):
        pause = PLAIN_EVERY
        _write(f"{safe(terminal_of(sys.stderr), describe(monotonic() - start))}\n")


def _fitted(text: str, terminal: Terminal) -> str:
    from adjudge.reports import cut, safe

    return cut(safe(terminal, text), terminal.width - 1, terminal.ellipsis)


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
