"""What a run knows about itself while it goes on: the numbers behind the progress bar and the summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct, field

from adjudge.ledger import Written
from adjudge.runs.plan import Plan
from adjudge.runs.recorder import RecordedTrial
from adjudge.runs.trial import FailedTrial, ReusedTrial


class Tally(Struct):
    """Counts of one run. `done` counts only what the ledger holds: nothing shown here can be lost."""

    total: int | None = None
    scored: int = 0
    """Verifier ran, recorded now."""
    reused: int = 0
    """A deterministic verifier's earlier result, recorded now."""
    already: int = 0
    """Recorded by an earlier run."""
    rescored: int = 0
    """Of `scored` and `reused`: evaluations added to trials the ledger already had."""
    reward_sum: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    """How many recorded now are of which outcome."""
    bad_rows: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    """Rows that name the very trial an earlier row of this run named: they count once."""
    machinery: Counter[str] = field(default_factory=Counter)
    """What the machinery said when it failed, and how often."""
    bad_traces: list[str] = field(default_factory=list)
    """Traces that could not be read, or not wholly; their trials are recorded all the same."""
    interrupted: bool = False

    def count(self, step: Plan | Sequence[RecordedTrial]) -> None:
        """Add what was planned, or what was recorded."""
        if isinstance(step, Plan):
            self.already += step.already
            self.bad_rows += step.bad_rows
            self.repeated += step.repeated
            return
        for done in step:
            self._count(done)

    def _count(self, done: RecordedTrial) -> None:
        if isinstance(done.finished, FailedTrial):
            self.machinery[done.finished.why] += 1
        if done.answer.written is Written.CONFLICT:
            self.bad_rows.append(f"{done.finished.trial.where}: {done.answer.conflict}")
            return
        if done.answer.written is Written.NOTHING:  # another run was faster
            self.already += 1
            return
        if isinstance(done.finished, ReusedTrial):
            self.reused += 1
        else:
            self.scored += 1
        self.rescored += done.answer.written is Written.EVALUATION
        self.reward_sum += done.result.reward
        self.outcomes[done.outcome] += 1

    @property
    def recorded(self) -> int:
        """Evaluations added by this run."""
        return self.scored + self.reused

    @property
    def done(self) -> int:
        """Rows that need no more work."""
        return self.recorded + self.already + len(self.bad_rows) + len(self.repeated)

    @property
    def mean_reward(self) -> float | None:
        """Of what was recorded now; None if nothing was."""
        return self.reward_sum / self.recorded if self.recorded else None
