"""A trial on its way through a run."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.contracts import Task
from adjudge.gates import AgentOutput
from adjudge.ledger import TrialState
from adjudge.runs.manifest import PlannedTrial

Question = tuple[str, str | None]
"""(task digest, output digest): a deterministic verifier answers the same question the same way."""


@dataclass(frozen=True)
class Ticket:
    """What was planned, its id, what is to be scored, and how it stands in the ledger."""

    planned: PlannedTrial
    trial_id: str
    identity: str
    """The id that follows from what the trial is: `trial_id`, unless its row has an id of its own."""
    task: Task
    output: AgentOutput
    state: TrialState | None = None

    @property
    def question(self) -> Question:
        """What the verifier is asked."""
        return self.task.digest, self.output.info.sha256

    def conflict(self, experiment: str, state: TrialState) -> str | None:
        """Why the trial that the ledger has under this id is another one; None where it is not.

        The ledger would refuse it in the same words, but only after it was scored.
        """
        if self.planned.trial_id is None:  # the id follows from all of these
            return None
        for name, before, after in (
            ("experiment", state.experiment, experiment),
            ("task", state.task_id, self.task.id),
            ("agent", state.agent, self.planned.agent),
            ("model", state.model, self.planned.model),
            ("attempt", state.attempt, self.planned.attempt),
            ("output", state.output_sha256, self.output.info.sha256),
        ):
            if before != after:
                return f"trial {self.trial_id} is in the ledger with {name} {before!r}, not {after!r}"
        return None
