"""The ledger as one visitor may see it: every question goes through a filter that leaves hold-out tasks out.

A trial of a hold-out task does not exist for a viewer: by its id, in lists, counts and reports alike.

A trial that waits for somebody's blind verdict is shown to them on their review page alone: lists and streams
leave it out, and whoever asks for it by its id is told to judge first. Numbers over many trials stay whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from adjudge.contracts import TrialRecord
from adjudge.errors import UsageError
from adjudge.ledger import Sort, TrialFilter
from adjudge.web.access.visitor import Visitor

if TYPE_CHECKING:
    from adjudge.ledger import Ledger, Page, StoredAnnotation, TagColumns, TrialColumns
    from adjudge.web.review.items import QueueItem


_LOOK_AGAIN = 100
"""After so many trials of a stream it is asked again which ones its reader must not see."""


class NotThere(UsageError):  # noqa: N818 - names a state, and is read as one
    """What was asked for does not exist, or not for this visitor."""


class JudgeFirst(UsageError):  # noqa: N818 - names a state, and is read as one
    """A trial that waits for a blind verdict of this visitor's; `number` is its item in their queue."""

    status = 409

    def __init__(self, trial_id: str, number: int) -> None:
        super().__init__(
            "this trial waits for your verdict, and you are blind until then",
            found=trial_id,
            remedy=f"Judge it: /review/{number}.",
        )
        self.trial_id = trial_id
        self.number = number


def is_hidden(task: str, hold_out: tuple[str, ...]) -> bool:
    """Is this task one of those held out? A pattern that ends in `*` stands for all that begin so."""
    return any(task.startswith(p[:-1]) if p.endswith("*") else task == p for p in hold_out)


class Visible:
    """What one visitor sees of a ledger."""

    def __init__(
        self,
        ledger: Ledger,
        visitor: Visitor,
        hold_out: tuple[str, ...],
        read_waiting: Callable[[], Mapping[str, QueueItem]] = dict,
    ) -> None:
        self._ledger = ledger
        self._read_waiting = read_waiting
        self.hidden = () if visitor.role.sees_hold_out else hold_out

    @cached_property
    def waiting(self) -> Mapping[str, QueueItem]:
        """Trials of which this visitor may not see what they got, as their items in the queue."""
        return self._read_waiting()

    def narrow(self, wanted: TrialFilter) -> TrialFilter:
        """The filter without what this visitor may not see."""
        if not self.hidden:
            return wanted
        return wanted.model_copy(update={"not_task": (*wanted.not_task, *self.hidden)})

    def sees(self, task: str) -> bool:
        """May this visitor see this task?"""
        return not is_hidden(task, self.hidden)

    def page(self, wanted: TrialFilter, *, sort: Sort, limit: int, after: str | None) -> Page:
        """A page of trials without those that wait for a blind verdict: its cursor does not tell either."""
        return self._ledger.query(
            self.narrow(wanted),
            sort=sort,
            limit=limit,
            after=after or None,
            streams=False,
            without=self.waiting,
        )

    def waiting_among(self, wanted: TrialFilter) -> list[str]:
        """Which of the trials that wait for a blind verdict match a filter."""
        if not self.waiting:
            return []
        return [one for one in self.waiting if self._ledger.matches(one, self.narrow(wanted))]

    def check_many(self, wanted: TrialFilter) -> None:
        """JudgeFirst if nothing matches but trials that wait: a number over them tells their rewards."""
        among = self.waiting_among(wanted)
        if among and not self.page(wanted, sort=Sort.NEWEST, limit=1, after=None).records:
            raise self.judge_first(among[0])

    def judge_first(self, trial_id: str) -> JudgeFirst:
        """What to raise if somebody asks for a trial that waits for them."""
        return JudgeFirst(trial_id, self.waiting[trial_id].number)

    def stream(self, wanted: TrialFilter, sort: Sort) -> Iterator[TrialRecord]:
        """Every matching trial, but for those that wait for a blind verdict, or begin to meanwhile."""
        waiting = self._read_waiting()
        for place, record in enumerate(self._ledger.iterate(self.narrow(wanted), sort=sort), start=1):
            if place % _LOOK_AGAIN == 0:
                waiting = self._read_waiting()
            if record.trial_id not in waiting:
                yield record

    def count(self, wanted: TrialFilter) -> int:
        """How many match."""
        return self._ledger.count(self.narrow(wanted))

    def columns(self, wanted: TrialFilter) -> TrialColumns:
        """The matching trials as arrays."""
        return self._ledger.columns(self.narrow(wanted))

    def tag_columns(self, wanted: TrialFilter) -> TagColumns:
        """The tags of the matching trials."""
        return self._ledger.tag_columns(self.narrow(wanted))

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
        return {number: record for number, record in found.items() if self._shows(record)}

    def _shows(self, record: TrialRecord) -> bool:
        return self.sees(record.task_id) and record.trial_id not in self.waiting

    def history(self, trial_id: str) -> list[TrialRecord]:
        """A trial with each of its evaluations, the current one first. JudgeFirst if it waits for that."""
        found = self._records(trial_id)
        if trial_id in self.waiting:
            raise self.judge_first(trial_id)
        return found

    def check(self, trial_id: str) -> None:
        """NotThere if there is no such trial for this visitor; for those who want to say something of it."""
        self._records(trial_id)

    def _records(self, trial_id: str) -> list[TrialRecord]:
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
