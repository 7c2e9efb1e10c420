"""The best answer so far, and what may still be tried: a change is kept if the reward rises.

Tries are bounded in number, and from the fortieth on by the time that an audit needs for itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adjudge.audit.documents import in_format, leaves
from adjudge.audit.probes import Bench, Probe, Seen
from adjudge.contracts import OutputFormat

EPS = 0.005
OWN = "put together from the verifier's own reference values"
_MAX_TRIES = 100
_TRIES_ANYHOW = 40
_TO_KEEP = 0.7
"""Of the time that is left: to see what a slow verifier compares must not cost its audit."""

Candidates = dict[str, list[Any]]


class Climb:
    """The best answer so far, and what may still be tried."""

    def __init__(self, bench: Bench, value: Any) -> None:
        self.bench = bench
        self.value = value
        self.best = -1.0
        self.best_seen: Seen | None = None
        self.best_probe: Probe | None = None
        self.tries = 0
        self.keep_sec = _TO_KEEP * bench.budget.until_the_end()
        self.source = OWN
        self.settled = 0

    def best_answer(self, at_least: float) -> tuple[bytes, Seen, Probe, str] | None:
        """The best so far, if it earns more than `at_least`."""
        if self.best <= max(at_least, EPS) or self.best_seen is None or self.best_probe is None:
            return None
        return (
            _bytes(self.value, self.bench.task.output.format),
            self.best_seen,
            self.best_probe,
            self.source,
        )

    def try_value(self, value: Any, *, or_equal: bool = False, source: str = "") -> None:
        """Keep a value that earns more; with `or_equal` also one that earns as much, if that is anything.

        Where an absolute tolerance lets zeros pass, reference values are the right answer and zeros are not.
        """
        if self.tries >= _MAX_TRIES or (
            self.tries >= _TRIES_ANYHOW and self.bench.budget.until_the_end() < self.keep_sec
        ):
            return
        self.tries += 1
        data = _bytes(value, self.bench.task.output.format)
        probe = self.bench.answer(f"answer/recovered-{self.tries}", "an answer put together", data)
        [seen] = self.bench.run([probe])
        more = seen.reward > self.best + (EPS if self.best >= 0 else 0)
        if more or (or_equal and seen.reward >= max(self.best, EPS)):
            self.value, self.best, self.best_seen, self.best_probe = value, seen.reward, seen, probe
            self.source = source or (self.source if self.source != OWN else OWN)

    def places(self, known: Candidates) -> Iterator[tuple[tuple[str | int, ...], list[Any]]]:
        """Fields of the answer with values to try, of the type that the field has."""
        for leaf in leaves(self.value):
            name = str(leaf.path[-1]) if leaf.path else ""
            scalars = [value for value in known.get(name, ()) if isinstance(value, int | float | str)]
            values = [value for value in dict.fromkeys(scalars) if _fits(leaf.value, value)]
            if leaf.kind == "truth":
                values = [True, False]
            if values:
                yield leaf.path, values


def _bytes(value: Any, kind: OutputFormat) -> bytes:
    """A value in a format; what is written already is a line more."""
    return value + b"\n" if isinstance(value, bytes) else in_format(value, kind)


def _fits(old: Any, new: Any) -> bool:
    if isinstance(old, str):
        return isinstance(new, str)
    return isinstance(new, int | float) and not isinstance(new, bool)
