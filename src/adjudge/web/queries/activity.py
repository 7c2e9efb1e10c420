"""Runs as they go on: trials by experiment, task and outcome, kept up to date row by row."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from adjudge.ledger import head_row, new_evaluations

if TYPE_CHECKING:
    from adjudge.ledger import Ledger


@dataclass
class Progress:
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


class Activity:
    """Counts every evaluation once, however often it is asked."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._row = 0
        self._found: dict[tuple[str, str], Progress] = {}

    def by_experiment(self, sees: Callable[[str], bool]) -> list[Progress]:
        """Each experiment, the one that was scored last first; tasks that `sees` refuses are left out."""
        with self._lock:
            row = head_row(self._ledger)
            if row > self._row:
                for new in new_evaluations(self._ledger, self._row, row):
                    place = self._found.setdefault((new.experiment, new.task), Progress(new.experiment))
                    place.evaluations += new.count
                    place.tasks.add(new.task)
                    place.outcomes[new.outcome] += new.count
                    place.first_at = min(place.first_at, new.first_at)
                    place.last_at = max(place.last_at, new.last_at)
                self._row = row
            found: dict[str, Progress] = {}
            for (experiment, task), part in self._found.items():
                if sees(task):
                    whole = found.setdefault(experiment, Progress(experiment))
                    whole.evaluations += part.evaluations
                    whole.tasks |= part.tasks
                    whole.outcomes += part.outcomes
                    whole.first_at = min(whole.first_at, part.first_at)
                    whole.last_at = max(whole.last_at, part.last_at)
        return sorted(found.values(), key=lambda p: -p.last_at)
