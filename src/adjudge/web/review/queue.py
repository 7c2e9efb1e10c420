"""The queue of one reviewer: drawn trials in an order of their own, numbered from 1, claimed for a while.

A trial is open to a reviewer who has not judged it if fewer than `reviewers` others have judged or claimed
it. Which one of them they get is drawn by lot, so the order gives no reason away. Choosing and claiming
happen under the ledger's write lock: two people never get the same trial by accident, whichever server they
ask. Nothing here walks through all that was ever drawn or judged: a queue is as quick after a year.

A numbered item stays the reviewer's to look at, also after its claim has expired. If others have taken the
trial over meanwhile, the queue passes it by; a verdict that still arrives is kept, as every verdict is.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from adjudge.ledger import Desk, DeskDrawer
from adjudge.web.access.visitor import UserRole, Visitor
from adjudge.web.review.book import ReviewBook
from adjudge.web.review.items import (
    JUDGED,
    QueueItem,
    judged_after,
    key_of,
    next_number,
    open_items,
    part_items,
    put_item,
    read_item,
)
from adjudge.web.review.rounds import RoundDrawer

if TYPE_CHECKING:
    from adjudge.web.site import Site

T = TypeVar("T")

CLAIM, DRAFT = "claim", "draft"
MOST_OPEN = 5
"""Items that a reviewer may have open at once: who moves on without a verdict may come back to them."""
MOST_DRAWS = 8
"""Rounds drawn for one question; those of trials that others have reviewed already may give nothing."""
_LOTS = 32
"""Trials that are drawn by lot before all are looked through, because few fit."""
_DRAFT_SEC = 30 * 86_400.0


class ReviewQueue:
    """The queue of a site."""

    def __init__(self, site: Site, book: ReviewBook) -> None:
        self._site = site
        self._desk = Desk(site.ledger)
        self._writing = threading.Lock()
        self.book = book
        self.rounds = RoundDrawer(site, book, self.write)
        if not site.ledger.database.read_only:
            part_items(self._desk)

    def close(self) -> None:
        """Finish what goes on in the background."""
        self.rounds.close()

    def item(self, visitor: Visitor, number: int) -> QueueItem | None:
        """One of the items that this reviewer was given."""
        with self._desk.looking() as drawer:
            return read_item(drawer, visitor.name, number)

    def judged(self, visitor: Visitor) -> int:
        """How many items this reviewer has judged."""
        with self._desk.looking() as drawer:
            return drawer.count(JUDGED, f"{visitor.name}/")

    def waiting(self, visitor: Visitor) -> dict[str, QueueItem]:
        """Trials on which this reviewer is still blind, as their items: given, not judged, not shown."""
        if not visitor.role.may(UserRole.REVIEWER):
            return {}
        with self._desk.looking() as drawer:
            found = open_items(drawer, visitor.name)
        if found:
            self.book.refresh()
        return {item.trial_id: item for item in found if self.is_blind(visitor, item)}

    def is_blind(self, visitor: Visitor, item: QueueItem) -> bool:
        """Has this reviewer neither judged the trial, here or elsewhere, nor seen where others stood?"""
        seen = item.judged or item.revealed
        return not seen and visitor.name not in self.book.reviews_of(item.trial_id).said

    def show(self, visitor: Visitor, number: int) -> None:
        """The reviewer wants to see the trial before judging it: their verdict will not be blind."""

        def mark(drawer: DeskDrawer) -> None:
            item = read_item(drawer, visitor.name, number)
            if item is not None:
                put_item(drawer, visitor.name, replace(item, revealed=True))

        self.write(mark)

    def next(
        self, visitor: Visitor, discipline: str | None = None, *, after: int = 0, judged: bool = False
    ) -> QueueItem | None:
        """The reviewer's first open item after a number, else a new one, else the first open one of all.

        With `judged` also those that they have judged, for moving on through them. None if nothing is left.
        """
        for _ in range(MOST_DRAWS):
            drawn = len(self.book.rounds)
            found = self.write(lambda drawer: self._give(drawer, visitor, discipline, after, judged=judged))
            if found is not None or not self.rounds.draw(drawn, discipline, self._fits):
                break
        if found is None:
            found = self.write(lambda drawer: self._give(drawer, visitor, discipline, 0, judged=False))
        return found

    def save_draft(self, visitor: Visitor, number: int, draft: dict[str, Any]) -> None:
        """Keep what was typed so far."""
        with self._writing:
            self._desk.put(DRAFT, key_of(visitor.name, number), draft, lasts=_DRAFT_SEC)

    def draft(self, visitor: Visitor, number: int) -> dict[str, Any]:
        """What was typed so far; empty if nothing was."""
        return self._desk.get(DRAFT, key_of(visitor.name, number)) or {}

    def write(self, work: Callable[[DeskDrawer], T]) -> T:
        """Change the desk, and perhaps the ledger, with nobody else at work: all of it is kept, or nothing.

        Threads of this server wait for each other here, in order: in a database file that costs far more.
        """
        with self._writing:
            return self._desk.together(work)

    def settle(self, drawer: DeskDrawer, visitor: Visitor, item: QueueItem, submission: str) -> None:
        """The item is judged: its claim and its draft go."""
        drawer.remove(CLAIM, f"{item.trial_id}/{visitor.name}")
        drawer.remove(DRAFT, key_of(visitor.name, item.number))
        put_item(drawer, visitor.name, replace(item, judged=True, submission=submission, revealed=True))

    def reopen(self, drawer: DeskDrawer, visitor: Visitor, item: QueueItem) -> None:
        """The item is open again: its judgment was withdrawn."""
        put_item(drawer, visitor.name, replace(item, judged=False, submission=None))
        self._claim(drawer, visitor, item.trial_id)

    def _give(
        self, drawer: DeskDrawer, visitor: Visitor, discipline: str | None, after: int, *, judged: bool
    ) -> QueueItem | None:
        """An item of the reviewer's own after this number, or a new one; claimed, and nobody else's."""
        self.book.refresh()  # now nobody else judges or claims
        mine = open_items(drawer, visitor.name)
        held = _held(drawer.all(CLAIM))
        with self.book.lock:
            open_ = [
                item
                for item in mine
                if self._fits(item.task, discipline) and self._room(item.trial_id, visitor, held)
            ]
        later = [item for item in open_ if item.number > after]
        if judged and (seen := judged_after(drawer, visitor.name, after)) is not None:
            later.append(seen)
        found = min(later, key=lambda item: item.number, default=None)
        if found is None and len(open_) < MOST_OPEN:
            had = {item.trial_id for item in mine}
            if discipline is None:
                self.rounds.draw_ahead(len(self.book.open) - len(held))
            found = self._new(visitor, next_number(drawer, visitor.name), had, held, discipline)
            if found is not None:
                put_item(drawer, visitor.name, found)
        if found is None and len(open_) >= MOST_OPEN:
            found = open_[0]
        if found is not None and not found.judged:
            self._claim(drawer, visitor, found.trial_id)
        return found

    def _new(
        self, visitor: Visitor, number: int, had: set[str], held: dict[str, set[str]], discipline: str | None
    ) -> QueueItem | None:
        """A trial that this reviewer has not had, by lot; now and then one whose answer is known."""

        def fits(trial_id: str) -> bool:
            return (
                trial_id not in had
                and visitor.name not in self.book.reviews_of(trial_id).said
                and self._fits(self.book.drawn[trial_id].task, discipline)
                and self._room(trial_id, visitor, held)
            )

        def lot(words: str) -> int:
            named = f"{visitor.name}\n{words}".encode()
            digest = hashlib.blake2b(named, key=self._site.page_secret, digest_size=8).digest()
            return int.from_bytes(digest, "big")

        with self.book.lock:
            open_ = self.book.open
            picked = (open_[lot(f"{number} {n}") % len(open_)] for n in range(_LOTS if len(open_) else 0))
            trial_id = next(filter(fits, picked), None)
            if trial_id is None:
                trial_id = min(filter(fits, open_), key=lot, default=None)
            if trial_id is None:
                return None
            check = self._known_item(visitor, had, discipline, lot(f"check {number}"))
            if check is not None:
                return QueueItem(number, check, self.book.known_task[check], is_check=True)
            return QueueItem(number, trial_id, self.book.drawn[trial_id].task)

    def _known_item(self, visitor: Visitor, had: set[str], discipline: str | None, lot: int) -> str | None:
        """A trial whose answer is known, now and then, if this reviewer has not had it."""
        free = sorted(
            trial_id
            for trial_id in self.book.known
            if trial_id not in had
            and visitor.name not in self.book.reviews_of(trial_id).said
            and self._fits(self.book.known_task[trial_id], discipline)
        )
        share, which = divmod(lot, 1 << 32)
        return free[which % len(free)] if free and share < self._site.settings.known_share * 2**32 else None

    def _room(self, trial_id: str, visitor: Visitor, held: dict[str, set[str]]) -> bool:
        """Is there room for this reviewer beside the others who have judged or claimed a trial?"""
        others = (held.get(trial_id, set()) | self.book.reviews_of(trial_id).said.keys()) - {visitor.name}
        return len(others) < self._site.settings.reviewers or trial_id in self.book.known

    def _fits(self, task_id: str, discipline: str | None) -> bool:
        if not discipline:
            return True
        task = self._site.shelf.get(task_id)
        return task is not None and discipline in (task.metadata.domain, task.metadata.category)

    def _claim(self, drawer: DeskDrawer, visitor: Visitor, trial_id: str) -> None:
        value = {"trial_id": trial_id, "reviewer": visitor.name}
        drawer.put(CLAIM, f"{trial_id}/{visitor.name}", value, lasts=self._site.settings.claim_sec)


def _held(claims: dict[str, dict[str, Any]]) -> dict[str, set[str]]:
    """Trial -> who has claimed it."""
    found: dict[str, set[str]] = {}
    for claim in claims.values():
        found.setdefault(claim["trial_id"], set()).add(claim["reviewer"])
    return found
