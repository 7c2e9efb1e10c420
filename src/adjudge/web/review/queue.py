"""The queue of one reviewer: drawn trials in an order of their own, numbered from 1, claimed for a while.

A trial is open to a reviewer who has not judged it if fewer than `reviewers` others have judged or claimed
it. The order is a shuffle by reviewer, so it gives no reason away. Choosing and claiming happen under the
ledger's write lock: two people never get the same trial by accident, whichever server they ask. A numbered
item stays the reviewer's: going back finds it, also after its claim has expired.
"""

from __future__ import annotations

import hashlib
import threading
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge.contracts import ChosenBy, Judgment, ReviewSelection
from adjudge.ledger import Desk, DeskDrawer, NewAttachment, TrialColumns, TrialFilter, record_selections
from adjudge.web.access.visitor import Visitor
from adjudge.web.review.book import ROUND, ReviewBook
from adjudge.web.review.draw import Drawn, draw_round, tickets

if TYPE_CHECKING:
    from adjudge.web.site import Site

CLAIM, ITEM, DRAFT = "claim", "item", "draft"


@dataclass(frozen=True)
class QueueItem:
    """One trial for one reviewer. Its number is all that a blind page shows of it."""

    number: int
    trial_id: str
    judged: bool
    submission: str | None = None
    """The id of the judgment, so that one that is sent twice counts once."""
    is_check: bool = False
    """Is its answer known?"""


class ReviewQueue:
    """The queue of a site."""

    def __init__(self, site: Site, book: ReviewBook) -> None:
        self._site = site
        self._desk = Desk(site.ledger)
        self._drawing = threading.Lock()
        self.book = book

    def items(self, visitor: Visitor) -> list[QueueItem]:
        """All that this reviewer was ever given, in order."""
        return _items(self._desk.all(ITEM, f"{visitor.name}/"))

    def item(self, visitor: Visitor, number: int) -> QueueItem | None:
        """One of them."""
        found = self._desk.get(ITEM, _key(visitor, number))
        return None if found is None else _item(number, found)

    def next(self, visitor: Visitor, discipline: str | None = None) -> QueueItem | None:
        """The reviewer's first open item, else a new one; None if there is nothing left to review."""
        self.book.refresh()
        mine = self.items(visitor)
        waiting = next((item for item in mine if not item.judged), None)
        if waiting is not None:
            self._claim_again(visitor, waiting)
            return waiting
        rounds = len(self.book.rounds)
        found = self._take(visitor, mine, discipline)
        if found is None and self._draw(rounds):
            found = self._take(visitor, mine, discipline)
        return found

    def open_for(self, visitor: Visitor, discipline: str | None = None) -> int:
        """How many drawn trials this reviewer could still judge."""
        self.book.refresh()
        return len(self._open(visitor, self.items(visitor), self._desk.all(CLAIM), discipline))

    def save_draft(self, visitor: Visitor, number: int, draft: dict[str, Any]) -> None:
        """Keep what was typed so far."""
        self._desk.put(DRAFT, _key(visitor, number), draft, lasts=30 * 86400.0)

    def draft(self, visitor: Visitor, number: int) -> dict[str, Any]:
        """What was typed so far; empty if nothing was."""
        return self._desk.get(DRAFT, _key(visitor, number)) or {}

    def settle(self, visitor: Visitor, item: QueueItem, submission: str) -> None:
        """The item is judged: its claim and its draft go."""
        with self._desk.exclusive() as drawer:
            drawer.remove(CLAIM, f"{item.trial_id}/{visitor.name}")
            drawer.remove(DRAFT, _key(visitor, item.number))
            self._put(drawer, visitor, item, judged=True, submission=submission)

    def reopen(self, visitor: Visitor, item: QueueItem) -> None:
        """The item is open again: its judgment was withdrawn."""
        with self._desk.exclusive() as drawer:
            self._put(drawer, visitor, item, judged=False, submission=None)
            self._claim(drawer, visitor, item.trial_id)

    def _take(self, visitor: Visitor, mine: list[QueueItem], discipline: str | None) -> QueueItem | None:
        with self._desk.exclusive() as drawer:
            self.book.refresh()  # again: since then somebody may have judged, and given their claim back
            check = self._known_item(visitor, mine)
            open_ = self._open(visitor, mine, drawer.all(CLAIM), discipline)
            if not open_:
                return None
            trial_id = check or min(open_, key=lambda i: _shuffled(self._site.page_secret, visitor, i))
            item = QueueItem(len(mine) + 1, trial_id, judged=False, is_check=check is not None)
            self._put(drawer, visitor, item, judged=False, submission=None)
            self._claim(drawer, visitor, trial_id)
            return item

    def _open(
        self,
        visitor: Visitor,
        mine: list[QueueItem],
        claims: dict[str, dict[str, Any]],
        discipline: str | None,
    ) -> list[str]:
        had = {item.trial_id for item in mine}
        taken: dict[str, set[str]] = {}
        for claim in claims.values():
            taken.setdefault(claim["trial_id"], set()).add(claim["reviewer"])
        with self.book.lock:
            found = []
            for trial_id, task in self.book.drawn.items():
                said = self.book.trials.get(trial_id)
                others = taken.get(trial_id, set()) | (said.said.keys() if said is not None else set())
                if trial_id in had or visitor.name in others:
                    continue
                if len(others) < self._site.settings.reviewers and self._fits(task, discipline):
                    found.append(trial_id)
        return found

    def _fits(self, task_id: str, discipline: str | None) -> bool:
        if not discipline:
            return True
        task = self._site.shelf.get(task_id)
        return task is not None and discipline in (task.metadata.domain, task.metadata.category)

    def _known_item(self, visitor: Visitor, mine: list[QueueItem]) -> str | None:
        """A trial whose answer is known, now and then, if this reviewer has not had it."""
        had = {item.trial_id for item in mine}
        with self.book.lock:
            free = sorted(
                trial_id
                for trial_id in self.book.known
                if trial_id not in had and visitor.name not in self.book.reviews_of(trial_id).said
            )
        lot = int(_shuffled(self._site.page_secret, visitor, f"check {len(mine)}")[:8], 16) / 0xFFFFFFFF
        return free[int(lot * 1e6) % len(free)] if free and lot < self._site.settings.known_share else None

    def _claim_again(self, visitor: Visitor, item: QueueItem) -> None:
        with self._desk.exclusive() as drawer:
            self._claim(drawer, visitor, item.trial_id)

    def _claim(self, drawer: DeskDrawer, visitor: Visitor, trial_id: str) -> None:
        value = {"trial_id": trial_id, "reviewer": visitor.name}
        drawer.put(CLAIM, f"{trial_id}/{visitor.name}", value, lasts=self._site.settings.claim_sec)

    def _put(
        self, drawer: DeskDrawer, visitor: Visitor, item: QueueItem, *, judged: bool, submission: str | None
    ) -> None:
        value = {
            "trial_id": item.trial_id,
            "judged": judged,
            "submission": submission,
            "check": item.is_check,
        }
        drawer.put(ITEM, _key(visitor, item.number), value)

    def _draw(self, rounds: int) -> bool:
        """Draw the next round after so many; False if every trial has been drawn.

        Nothing is written while the book is locked: who claims holds the ledger's lock and reads the book.
        """
        with self._drawing:
            self.book.refresh()
            with self.book.lock:
                scales = [found["scale"] for found in self.book.rounds]
                drawn_before = list(self.book.numbers)
                reviews = list(self.book.trials.values())
            if len(scales) > rounds:
                return True  # somebody else has drawn while this one waited
            columns = self._site.ledger.columns(TrialFilter())
            left = np.flatnonzero(~np.isin(columns.trial, drawn_before))
            if not len(left):
                return False
            disputed = self._site.ledger.columns(TrialFilter(disagreement=True)).trial.tolist()
            disputed += [found.number for found in reviews if found.is_split]
            weights = tickets(columns, disputed, [found.number for found in reviews])[left]
            drawn = draw_round(weights, self._site.settings.round_size, scales, np.random.default_rng())
            self._record(columns, left[drawn.rows].tolist(), drawn, len(left), len(scales) + 1)
            self.book.refresh()
            return True

    def _record(
        self, columns: TrialColumns, rows: list[int], drawn: Drawn, pool: int, round_number: int
    ) -> None:
        ids = self._site.ledger.trial_ids(columns.trial[rows].tolist())
        now = datetime.now(UTC)
        trials = {
            ids[int(columns.trial[row])]: [
                int(columns.trial[row]),
                columns.task.categories[columns.task.codes[row]],
            ]
            for row in rows
        }
        document = {
            "round": round_number,
            "scale": drawn.scale,
            "pool": pool,
            "trials": trials,
            "at": now.isoformat(),
        }
        chances = (min(1.0, float(p)) for p in drawn.probabilities)
        made = (ReviewSelection(method=ChosenBy.RANDOM, probability=p, timestamp=now) for p in chances)
        # first these: a round that is not written after all leaves records of trials nobody is shown
        record_selections(self._site.ledger, list(zip(trials, made, strict=True)))
        self._site.ledger.attach([NewAttachment(ROUND, str(round_number), document)])


def _key(visitor: Visitor, number: int) -> str:
    return f"{visitor.name}/{number:07d}"


def _items(found: dict[str, dict[str, Any]]) -> list[QueueItem]:
    return [_item(int(key.rpartition("/")[2]), value) for key, value in found.items()]


def _item(number: int, value: dict[str, Any]) -> QueueItem:
    return QueueItem(number, value["trial_id"], value["judged"], value["submission"], value["check"])


def _shuffled(secret: bytes, visitor: Visitor, trial_id: str) -> str:
    return hashlib.blake2b(f"{visitor.name}\n{trial_id}".encode(), key=secret).hexdigest()


def new_submission() -> str:
    """An id for a judgment that came without one."""
    return uuid.uuid4().hex


VERDICTS = tuple(judgment.value for judgment in Judgment)
