"""Runs as they go on: trials by experiment, task and outcome, kept up to date row by row."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from adjudge.ledger import head_row, new_evaluations
from adjudge.web.queries.visible import is_hidden

if TYPE_CHECKING:
    from adjudge.ledger import Ledger

_MOST_VIEWS = 8


class Progress(Struct):
    """What was recorded of one experiment. A trial that is scored again counts again."""

    experiment: str
    evaluations: int = 0
    tasks: set[str] = field(default_factory=set)
    outcomes: Counter[str] = field(default_factory=Counter)
    first_at: float = float("inf")
    last_at: float = float("-inf")

    def as_json(self) -> dict[str, object]:
        """What the runs page shows of it."""
        return {
            "experiment": self.experiment,
            "evaluations": self.evaluations,
            "tasks": len(self.tasks),
            "outcomes": dict(self.outcomes),
            "first_at": self.first_at,
            "last_at": self.last_at,
        }


class _Counted(Struct):
    """The experiments as somebody sees them for whom these tasks are hidden, up to a row."""

    row: int = 0
    found: dict[str, Progress] = field(default_factory=dict)


class Activity:
    """Counts every evaluation once for each set of hidden tasks, however often it is asked."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._views: dict[tuple[str, ...], _Counted] = {}

    def knows(self, hidden: tuple[str, ...]) -> bool:
        """Has it counted for those before whom these tasks are hidden?"""
        return hidden in self._views

    def by_experiment(self, hidden: tuple[str, ...]) -> list[Progress]:
        """Each experiment, the one that was scored last first; hidden tasks are left out."""
        with self._lock:
            view = self._views.get(hidden) or _Counted()
            row = head_row(self._ledger)
            if row > view.row:
                self._count(view, hidden, row)
            self._views[hidden] = view
            while len(self._views) > _MOST_VIEWS:
                self._views.pop(next(iter(self._views)))
            found = [replace(one, outcomes=Counter(one.outcomes)) for one in view.found.values()]
        return sorted(found, key=lambda p: -p.last_at)

    def _count(self, view: _Counted, hidden: tuple[str, ...], row: int) -> None:
        for new in new_evaluations(self._ledger, view.row, row):
            if is_hidden(new.task, hidden):
                continue
            place = view.found.setdefault(new.experiment, Progress(new.experiment))
            place.evaluations += new.count
            place.tasks.add(new.task)
            place.outcomes[new.outcome] += new.count
            place.first_at = min(place.first_at, new.first_at)
            place.last_at = max(place.last_at, new.last_at)
        view.row = row
