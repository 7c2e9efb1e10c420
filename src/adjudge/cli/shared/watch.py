"""`adjudge run --watch`: where a run stands while it goes on, by intervals that hold at every look."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic

from adjudge.errors import AdjudgeError, UsageError

LOOK_EVERY = 2.0


class Watch:
    """Looks into the ledger now and then; says where the run stands, and whether it is decided."""

    def __init__(
        self,
        ledger: str | None,
        experiment: str,
        planned: Mapping[str, int],
        baseline: str | None,
        margin: float,
    ) -> None:
        """`planned`: how many attempts at each task there are. UsageError for a baseline without trials."""
        self.ledger, self.experiment, self.planned = ledger, experiment, planned
        self.baseline, self.margin = baseline, margin
        self.said = ""
        self.decided = False
        self._last = monotonic()
        self.order = self._order()
        """In which tasks count, and should be scored: at random, and fixed before the first result."""

    def _order(self) -> list[str]:
        from adjudge.stats import fixed_order

        tasks = list(self.planned)
        if self.baseline is not None:
            tasks = self._tasks_of_baseline()
        return [str(task) for task in fixed_order(tasks)]

    def _tasks_of_baseline(self) -> list[str]:
        from adjudge.ledger import TrialFilter, open_ledger

        if self.baseline == self.experiment:
            raise UsageError(
                "a run cannot be its own baseline",
                field="--baseline",
                found=self.baseline,
                remedy="Name an experiment that was run before.",
            )
        with open_ledger(self.ledger, create=False) as book:
            columns = book.columns(TrialFilter(experiment=(self.baseline or "",)))
            if not len(columns):
                known = ", ".join(book.info().experiments) or "none yet"
                raise UsageError(
                    "no experiment of this ledger is called so",
                    field="--baseline",
                    found=self.baseline,
                    allowed=known,
                )
        shared = [task for task in columns.task.categories if task in self.planned]
        if not shared:
            raise UsageError(
                "the baseline has none of the tasks of this run", field="--baseline", found=self.baseline
            )
        return shared

    def describe(self) -> str:
        """Where the run stood at the last look."""
        if monotonic() - self._last >= LOOK_EVERY:
            self.look()
            self._last = monotonic()
        return self.said

    def look(self) -> None:
        """Read what is recorded so far. A ledger that is busy is looked into again next time."""

        from adjudge.ledger import TrialFilter, open_ledger
        from adjudge.reports import Choices, build_sequential_gate, read_columns_for, watch_rewards
        from adjudge.stats import GateOutcome

        names = (self.experiment, *((self.baseline,) if self.baseline else ()))
        choices = Choices(group_by="experiment")
        try:
            with open_ledger(self.ledger, create=False) as book:
                columns, choices = read_columns_for(book, TrialFilter(experiment=names), choices)
            if self.experiment not in columns.experiment.categories:
                return
            if self.baseline is None:
                watched = watch_rewards(columns, self.planned, choices)
            else:
                gate = build_sequential_gate(
                    columns,
                    self.baseline,
                    self.experiment,
                    choices,
                    margin=self.margin,
                    attempts=self.planned,
                )
                watched = gate.verdict.watched
                self.decided = gate.verdict.outcome is not GateOutcome.UNDECIDED
        except AdjudgeError as error:
            self.said = str(error)
            return
        estimate = watched.estimate
        if estimate.interval is not None and estimate.value is not None:
            what = "mean" if self.baseline is None else f"minus {self.baseline}"
            ends = f"[{estimate.interval.low:.3f}, {estimate.interval.high:.3f}]"
            self.said = f"{what} {estimate.value:.3f} {ends} after {estimate.n} of {watched.planned} tasks"
