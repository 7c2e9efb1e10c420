"""What a running server holds open: the ledger, the tasks, and the answers worth keeping."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from adjudge.errors import UsageError
from adjudge.ledger import TrialFilter, head_row
from adjudge.web.access.attempts import Attempts
from adjudge.web.access.users import Users
from adjudge.web.access.visitor import Visitor
from adjudge.web.queries.activity import Activity
from adjudge.web.queries.cache import AnswerStore, KeptAnswer
from adjudge.web.queries.numbers import TaskSummary, make_comparison, make_report, summarise_tasks
from adjudge.web.queries.tasks import TaskShelf
from adjudge.web.queries.visible import Visible
from adjudge.web.review.book import ReviewBook
from adjudge.web.review.queue import ReviewQueue
from adjudge.web.service import ScoreService
from adjudge.web.settings import ServeSettings

if TYPE_CHECKING:
    from adjudge.ledger import Ledger
    from adjudge.reports import Choices, Comparison, Report


class Site:
    """Shared by all requests; whatever is in it may be used by many threads at once."""

    def __init__(self, ledger: Ledger, settings: ServeSettings) -> None:
        self.ledger = ledger
        self.settings = settings
        self.shelf = TaskShelf(settings.tasks)
        self.activity = Activity(ledger)
        self.answers = AnswerStore(lambda: head_row(ledger))
        self.users = Users(ledger)
        self.attempts = Attempts()
        self.page_secret = self.users.secret()
        self.service = ScoreService(settings)
        self.requests: Counter[tuple[str, int]] = Counter()
        """By method and status, since the start."""
        self.under_way: set[str] = set()
        """Idempotency keys that are being answered."""
        self.book = ReviewBook(ledger)
        self.queue = ReviewQueue(self, self.book)

    def close(self) -> None:
        """Stop what works in the background. The ledger stays open: it is the caller's."""
        self.service.close()
        self.answers.close()

    @property
    def hold_out(self) -> tuple[str, ...]:
        """Tasks that viewers never see: those of the settings, and those that say so themselves."""
        return (*self.settings.hold_out, *self.shelf.held_out())

    def visible(self, visitor: Visitor) -> Visible:
        """The ledger as this visitor may see it."""
        return Visible(self.ledger, visitor, self.hold_out)

    def report(
        self, visitor: Visitor, wanted: TrialFilter, choices: Choices | None = None
    ) -> KeptAnswer[Report]:
        """The report of the matching trials."""
        narrow = self.visible(visitor).narrow(wanted)
        key = ("report", narrow, choices)
        return self.answers.ask(key, lambda: make_report(self.ledger, narrow, choices))

    def comparison(
        self, visitor: Visitor, wanted: TrialFilter, names: tuple[str, ...]
    ) -> KeptAnswer[Comparison | UsageError]:
        """A comparison, or why there is none; both are worth keeping."""
        narrow = self.visible(visitor).narrow(wanted)

        def make() -> Comparison | UsageError:
            try:
                return make_comparison(self.ledger, narrow, names)
            except UsageError as error:
                return error

        return self.answers.ask(("comparison", narrow, names), make)

    def tasks(self, visitor: Visitor, wanted: TrialFilter) -> KeptAnswer[list[TaskSummary]]:
        """Every task that has trials."""
        visible = self.visible(visitor)
        key = ("tasks", visible.narrow(wanted))
        return self.answers.ask(key, lambda: summarise_tasks(visible.columns(wanted)))

    def count(self, visitor: Visitor, wanted: TrialFilter) -> KeptAnswer[int]:
        """How many trials match."""
        visible = self.visible(visitor)
        return self.answers.ask(("count", visible.narrow(wanted)), lambda: visible.count(wanted))
