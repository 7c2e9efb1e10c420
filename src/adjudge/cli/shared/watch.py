"""`adjudge run --watch`: where a run stands while it goes on, by intervals that hold at every look."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from adjudge.errors import AdjudgeError

LOOK_EVERY = 2.0


class Watch:
    """Looks into the ledger now and then; says where the run stands, and whether it is decided."""

    def __init__(
        self, ledger: str | None, experiment: str, planned: Sequence[str], baseline: str | None, margin: float
    ) -> None:
        self.ledger, self.experiment, self.planned = ledger, experiment, planned
        self.baseline, self.margin = baseline, margin
        self.said = ""
        self.decided = False
        self._last = monotonic()

    def describe(self) -> str:
        """Where the run stood at the last look."""
        if monotonic() - self._last >= LOOK_EVERY:
            self.look()
            self._last = monotonic()
        return self.said

    def look(self) -> None:
        """Read what is recorded so far. A ledger that is busy is looked into again next time."""

        from adjudge.ledger import TrialFilter, open_ledger
        from adjudge.reports import Choices, build_sequential_gate, watch_rewards
        from adjudge.stats import GateOutcome

        names = (self.experiment, *((self.baseline,) if self.baseline else ()))
        choices = Choices(group_by="experiment")
        try:
            with open_ledger(self.ledger, create=False) as book:
                columns = book.columns(TrialFilter(experiment=names))
            if self.experiment not in columns.experiment.categories:
                return
            if self.baseline is None:
                watched = watch_rewards(columns, self.planned, choices)
            else:
                gate = build_sequential_gate(
                    columns, self.baseline, self.experiment, choices, margin=self.margin
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
