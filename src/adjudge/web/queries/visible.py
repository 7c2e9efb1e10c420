"""The ledger as one visitor may see it: every question goes through a filter that leaves hold-out tasks out.

A trial of a hold-out task does not exist for a viewer: by its id, in lists, counts and reports alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.contracts import TrialRecord
from adjudge.errors import UsageError
from adjudge.ledger import Sort, TrialFilter
from adjudge.web.access.visitor import Visitor

if TYPE_CHECKING:
    from adjudge.ledger import Ledger, Page, StoredAnnotation, TrialColumns


class NotThere(UsageError):  # noqa: N818 - names a state, and is read as one
    """What was asked for does not exist, or not for this visitor."""


def is_hidden(task: str, hold_out: tuple[str, ...]) -> bool:
    """Is this task one of those held out? A pattern that ends in `*` stands for all that begin so."""
    return any(task.startswith(p[:-1]) if p.endswith("*") else task == p for p in hold_out)


class Visible:
    """What one visitor sees of a ledger."""

    def __init__(self, ledger: Ledger, visitor: Visitor, hold_out: tuple[str, ...]) -> None:
        self._ledger = ledger
        self.hidden = () if visitor.role.sees_hold_out else hold_out

    def narrow(self, wanted: TrialFilter) -> TrialFilter:
        """The filter without what this visitor may not see."""
        if not self.hidden:
            return wanted
        return wanted.model_copy(update={"not_task": (*wanted.not_task, *self.hidden)})

    def sees(self, task: str) -> bool:
        """May this visitor see this task?"""
        return not is_hidden(task, self.hidden)

    def page(self, wanted: TrialFilter, *, sort: Sort, limit: int, after: str | None) -> Page:
        """A page of trials."""
        return self._ledger.query(
            self.narrow(wanted), sort=sort, limit=limit, after=after or None, streams=False
        )

    def stream(self, wanted: TrialFilter, sort: Sort) -> Iterator[TrialRecord]:
        """Every matching trial."""
        return self._ledger.iterate(self.narrow(wanted), sort=sort)

    def count(self, wanted: TrialFilter) -> int:
        """How many match."""
        return self._ledger.count(self.narrow(wanted))

    def columns(self, wanted: TrialFilter) -> TrialColumns:
        """The matching trials as arrays."""
        return self._ledger.columns(self.narrow(wanted))

    def find(self, prefix: str) -> str:
        """The id of the one trial that begins so."""
        try:
            found = self._ledger.find(prefix)
        except UsageError as error:
            raise NotThere(error.problem) from None
        self.trial(found)
        return found

    def trial(self, trial_id: str) -> TrialRecord:
        """A trial with its current evaluation."""
        return self.history(trial_id)[0]

    def numbered(self, numbers: Sequence[int]) -> dict[int, TrialRecord]:
        """Trials by their numbers, with their current evaluations; those not for this visitor are absent."""
        found = {number: records[0] for number, records in self._ledger.histories(numbers).items()}
        return {number: record for number, record in found.items() if self.sees(record.task_id)}

    def history(self, trial_id: str) -> list[TrialRecord]:
        """A trial with each of its evaluations, the current one first."""
        try:
            found = self._ledger.history(trial_id)
        except UsageError as error:
            raise NotThere(error.problem) from None
        if not self.sees(found[0].task_id):
            raise NotThere(
                "no trial has this id",
                file=self._ledger.location,
                found=trial_id,
                remedy="adjudge trials lists the ids.",
            )
        return found

    def annotations(self, trial_id: str) -> list[StoredAnnotation]:
        """Every annotation of a trial, also those that were replaced."""
        self.trial(trial_id)
        return self._ledger.annotations(trial_id)
