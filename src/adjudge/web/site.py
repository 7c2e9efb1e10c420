"""What a running server holds open: the ledger, the tasks, and the answers worth keeping."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from adjudge.errors import UsageError
from adjudge.ledger import Desk, TrialFilter, head_row
from adjudge.web.access.attempts import Attempts
from adjudge.web.access.users import Users
from adjudge.web.access.visitor import Visitor
from adjudge.web.queries.activity import Activity, Progress
from adjudge.web.queries.blinded import blind_comparison, blind_report, blind_tasks
from adjudge.web.queries.cache import AnswerStore, KeptAnswer
from adjudge.web.queries.numbers import TaskSummary, make_comparison, make_report, summarise_tasks
from adjudge.web.queries.raters import RatedTrials, read_ratings
from adjudge.web.queries.search import LedgerNames, read_names
from adjudge.web.queries.tasks import TaskShelf
from adjudge.web.queries.visible import Visible
from adjudge.web.review.book import ReviewBook
from adjudge.web.review.pool import ReviewPool, read_pool
from adjudge.web.review.queue import ReviewQueue
from adjudge.web.service import ScoreService
from adjudge.web.settings import ServeSettings

if TYPE_CHECKING:
    from adjudge.ledger import Ledger
    from adjudge.reports import Choices, Comparison, Report


class Site:
    """Shared by all requests; whatever is in it may be used by many threads at once.

    Answers are kept. Who asks with `patience` waits no longer than that for one that is not there yet.
    """

    def __init__(self, ledger: Ledger, settings: ServeSettings) -> None:
        self.ledger = ledger
        self.settings = settings
        self.patience = settings.patience_sec
        self.shelf = TaskShelf(settings.tasks)
        self.activity = Activity(ledger)
        self.answers = AnswerStore(lambda: head_row(ledger))
        self.users = Users(ledger)
        self._had_users = self.users.any()
        self.attempts = Attempts()
        self.page_secret = self.users.secret()
        self.service = ScoreService(ledger, settings)
        self.requests: Counter[tuple[str, int]] = Counter()
        """By method and status, since the start."""
        self.desk = Desk(ledger)
        self.book = ReviewBook(ledger, settings.reviewers)
        self.queue = ReviewQueue(self, self.book)

    def close(self) -> None:
        """Stop what works in the background. The ledger stays open: it is the caller's."""
        self.service.close()
        self.queue.close()
        self.answers.close()

    def is_for_one(self) -> bool:
        """Is everybody who can reach it the one local user? Never again once there were users."""
        self._had_users = self._had_users or self.users.any()
        return self.settings.is_local and not self._had_users

    @property
    def hold_out(self) -> tuple[str, ...]:
        """Tasks that viewers never see: those of the settings, and those that say so themselves."""
        return (*self.settings.hold_out, *self.shelf.held_out())

    def visible(self, visitor: Visitor) -> Visible:
        """The ledger as this visitor may see it."""
        return Visible(self.ledger, visitor, self.hold_out, lambda: self.queue.waiting(visitor))

    def report(
        self,
        visitor: Visitor,
        wanted: TrialFilter,
        choices: Choices | None = None,
        *,
        patience: float | None = None,
    ) -> KeptAnswer[Report]:
        """The report of the matching trials."""
        visible, narrow = self._many(visitor, wanted)
        key = ("report", narrow, choices)
        found = self.answers.ask(key, lambda: make_report(self.ledger, narrow, choices), patience=patience)
        if wanted == TrialFilter() and 0 < found.value.trials <= len(visible.waiting):
            raise visible.judge_first(next(iter(visible.waiting)))
        return replace(found, value=blind_report(found.value, visible.waiting))

    def comparison(
        self,
        visitor: Visitor,
        wanted: TrialFilter,
        names: tuple[str, ...],
        *,
        patience: float | None = None,
    ) -> KeptAnswer[Comparison | UsageError]:
        """A comparison, or why there is none; both are worth keeping."""
        visible, narrow = self._many(visitor, wanted)

        def make() -> Comparison | UsageError:
            try:
                return make_comparison(self.ledger, narrow, names)
            except UsageError as error:
                return error

        found = self.answers.ask(("comparison", narrow, names), make, patience=patience)
        if isinstance(found.value, UsageError):
            return found
        return replace(found, value=blind_comparison(found.value, visible.waiting))

    def _many(self, visitor: Visitor, wanted: TrialFilter) -> tuple[Visible, TrialFilter]:
        """The filter of numbers over trials; JudgeFirst if it means only what waits for this visitor."""
        visible = self.visible(visitor)
        if wanted != TrialFilter():  # of all trials the number is known: no need to look for others
            visible.check_many(wanted)
        return visible, visible.narrow(wanted)

    def tasks(
        self, visitor: Visitor, wanted: TrialFilter, *, patience: float | None = None
    ) -> KeptAnswer[list[TaskSummary]]:
        """Every task that has trials."""
        visible = self.visible(visitor)
        key = ("tasks", visible.narrow(wanted))
        found = self.answers.ask(
            key, lambda: summarise_tasks(self.ledger, visible.columns(wanted)), patience=patience
        )
        return replace(found, value=blind_tasks(found.value, visible.waiting))

    def count(
        self, visitor: Visitor, wanted: TrialFilter, *, patience: float | None = None
    ) -> KeptAnswer[int]:
        """How many trials match, without those that wait for this visitor's blind verdict, as in a list."""
        visible = self.visible(visitor)
        key = ("count", visible.narrow(wanted))
        found = self.answers.ask(key, lambda: visible.count(wanted), patience=patience)
        hidden = len(visible.waiting_among(wanted))
        return replace(found, value=max(0, found.value - hidden)) if hidden else found

    def names(self, visitor: Visitor, *, patience: float | None = None) -> KeptAnswer[LedgerNames]:
        """What a search looks through."""
        visible = self.visible(visitor)
        return self.answers.ask(("names", visible.hidden), lambda: read_names(visible), patience=patience)

    def ratings(self, visitor: Visitor, *, patience: float | None = None) -> KeptAnswer[RatedTrials]:
        """What people, judges and the verifier say of the trials that people have reviewed."""
        visible = self.visible(visitor)
        return self.answers.ask(
            ("ratings", visible.hidden),
            lambda: read_ratings(self.ledger, visible, self.book),
            patience=patience,
        )

    def runs(self, visitor: Visitor, *, patience: float | None = None) -> list[Progress]:
        """Each experiment as it stands now, the one that was scored last first."""
        hidden = self.visible(visitor).hidden
        if not self.activity.knows(hidden):  # the first count of all takes a while
            self.answers.ask(("runs", hidden), lambda: self.activity.by_experiment(hidden), patience=patience)
        return self.activity.by_experiment(hidden)

    def pool(self) -> KeptAnswer[ReviewPool]:
        """Every trial that can be drawn for review, with its tickets."""
        return self.answers.ask("pool", lambda: read_pool(self.ledger, self.book))
