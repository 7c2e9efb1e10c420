"""The queue of one reviewer: drawn trials in an order of their own, numbered from 1, claimed for a while.

A trial is open to a reviewer who has not judged it if fewer than `reviewers` others have judged or claimed
it. The order is a shuffle by reviewer, so it gives no reason away. Choosing and claiming happen under the
ledger's write lock: two people never get the same trial by accident, whichever server they ask.

A numbered item stays the reviewer's to look at, also after its claim has expired. If others have taken the
trial over meanwhile, the queue passes it by; a verdict that still arrives is kept, as every verdict is.
"""

from __future__ import annotations

import hashlib
import threading
import uuid
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from adjudge.contracts import ChosenBy, ReviewSelection
from adjudge.ledger import Desk, DeskDrawer, NewAttachment, head_row, selection_attachment
from adjudge.web.access.visitor import UserRole, Visitor
from adjudge.web.review.book import ROUND, DrawnTrial, ReviewBook, ReviewRound
from adjudge.web.review.pool import DrawnRound, chance_by_now, draw_next, read_pool, round_document

if TYPE_CHECKING:
    from adjudge.web.site import Site

CLAIM, ITEM, DRAFT, SENT = "claim", "item", "draft", "submission"
MOST_OPEN = 5
"""Items that a reviewer may have open at once: who moves on without a verdict may come back to them."""
MOST_DRAWS = 8
"""Rounds drawn for one question; those of trials that others have reviewed already may give nothing."""
_SENT_SEC = 86_400.0
_GROWTH = 4
"""A later round draws at least one over this of what was drawn so far: each round writes all chances anew."""


@dataclass(frozen=True)
class QueueItem:
    """One trial for one reviewer. Its number is all that a blind page shows of it."""

    number: int
    trial_id: str
    task: str
    judged: bool = False
    submission: str | None = None
    """The id of the judgment, so that one that is sent twice counts once."""
    is_check: bool = False
    """Is its answer known?"""
    revealed: bool = False
    """Has the reviewer ever seen where the others stood? Then a new verdict is not blind."""


class ReviewQueue:
    """The queue of a site."""

    def __init__(self, site: Site, book: ReviewBook) -> None:
        self._site = site
        self._desk = Desk(site.ledger)
        self._drawing = threading.Lock()
        self.writing = threading.RLock()
        """Held by whoever writes a review here: in a database file, waiting for each other costs far more."""
        self.book = book

    def items(self, visitor: Visitor) -> list[QueueItem]:
        """All that this reviewer was ever given, in order."""
        return _items(self._desk.all(ITEM, f"{visitor.name}/"))

    def item(self, visitor: Visitor, number: int) -> QueueItem | None:
        """One of them."""
        found = self._desk.get(ITEM, _key(visitor, number))
        return None if found is None else _item(number, found)

    def waiting(self, visitor: Visitor) -> dict[str, int]:
        """Trials on which this reviewer is still blind, with their numbers: given, not judged, not shown."""
        if not visitor.role.may(UserRole.REVIEWER):
            return {}
        found = {i.trial_id: i.number for i in self.items(visitor) if not i.judged and not i.revealed}
        if found:
            self.book.refresh()
        return {one: n for one, n in found.items() if visitor.name not in self.book.reviews_of(one).said}

    def show(self, visitor: Visitor, item: QueueItem) -> None:
        """The reviewer wants to see the trial before judging it: their verdict will not be blind."""
        with self.writing, self._desk.exclusive() as drawer:
            _put(drawer, visitor, replace(item, revealed=True))

    def next(
        self, visitor: Visitor, discipline: str | None = None, *, after: int = 0, judged: bool = False
    ) -> QueueItem | None:
        """The reviewer's first open item after a number, else a new one, else the first open one of all.

        With `judged` also those that they have judged, for moving on through them. None if nothing is left.
        """
        self.book.refresh()
        for _ in range(MOST_DRAWS):
            rounds = len(self.book.rounds)
            found = self._give(visitor, discipline, after, judged=judged)
            if found is not None or not self._draw(rounds, discipline):
                break
        return found or self._give(visitor, discipline, 0, judged=False)

    def save_draft(self, visitor: Visitor, number: int, draft: dict[str, Any]) -> None:
        """Keep what was typed so far."""
        with self.writing:
            self._desk.put(DRAFT, _key(visitor, number), draft, lasts=30 * 86400.0)

    def draft(self, visitor: Visitor, number: int) -> dict[str, Any]:
        """What was typed so far; empty if nothing was."""
        return self._desk.get(DRAFT, _key(visitor, number)) or {}

    def moment_of(self, visitor: Visitor, submission: str) -> datetime:
        """When this submission arrived first: what is sent twice is written with one time, and so once."""
        key = f"{visitor.name}/{submission}"
        with self.writing, self._desk.exclusive() as drawer:
            found = drawer.get(SENT, key)
            if found is None:
                found = {"at": datetime.now(UTC).isoformat()}
                drawer.put(SENT, key, found, lasts=_SENT_SEC)
        return datetime.fromisoformat(found["at"])

    def settle(self, visitor: Visitor, item: QueueItem, submission: str) -> None:
        """The item is judged: its claim and its draft go."""
        with self.writing, self._desk.exclusive() as drawer:
            drawer.remove(CLAIM, f"{item.trial_id}/{visitor.name}")
            drawer.remove(DRAFT, _key(visitor, item.number))
            _put(drawer, visitor, replace(item, judged=True, submission=submission, revealed=True))

    def reopen(self, visitor: Visitor, item: QueueItem) -> None:
        """The item is open again: its judgment was withdrawn."""
        with self.writing, self._desk.exclusive() as drawer:
            _put(drawer, visitor, replace(item, judged=False, submission=None))
            self._claim(drawer, visitor, item.trial_id)

    def _give(
        self, visitor: Visitor, discipline: str | None, after: int, *, judged: bool
    ) -> QueueItem | None:
        """An item of the reviewer's own after this number, or a new one; claimed, and nobody else's."""
        with self.writing, self._desk.exclusive() as drawer:
            self.book.refresh()  # now nobody else judges or claims
            mine = _items(drawer.all(ITEM, f"{visitor.name}/"))
            held = _held(drawer.all(CLAIM))
            with self.book.lock:
                open_ = [
                    item
                    for item in mine
                    if not item.judged
                    and self._fits(item.task, discipline)
                    and self._room(item.trial_id, visitor, held)
                ]
            later = [i for i in mine if i.judged and i.number > after] if judged else []
            later += [i for i in open_ if i.number > after]
            found = min(later, key=lambda item: item.number, default=None)
            if found is None and len(open_) < MOST_OPEN:
                found = self._new(visitor, mine, held, discipline)
                if found is not None:
                    _put(drawer, visitor, found)
            if found is None and len(open_) >= MOST_OPEN:
                found = open_[0]
            if found is not None and not found.judged:
                self._claim(drawer, visitor, found.trial_id)
            return found

    def _new(
        self, visitor: Visitor, mine: list[QueueItem], held: dict[str, set[str]], discipline: str | None
    ) -> QueueItem | None:
        had = {item.trial_id for item in mine}
        with self.book.lock:
            open_ = {
                trial_id: found.task
                for trial_id, found in self.book.drawn.items()
                if trial_id not in had
                and self._fits(found.task, discipline)
                and visitor.name not in self.book.reviews_of(trial_id).said
                and self._room(trial_id, visitor, held)
            }
            if not open_:
                return None
            check = self._known_item(visitor, had, discipline)
        number = len(mine) + 1
        if check is not None:
            return QueueItem(number, check, self.book.known_task[check], is_check=True)
        trial_id = min(open_, key=lambda i: _shuffled(self._site.page_secret, visitor, i))
        return QueueItem(number, trial_id, open_[trial_id])

    def _room(self, trial_id: str, visitor: Visitor, held: dict[str, set[str]]) -> bool:
        """Is there room for this reviewer beside the others who have judged or claimed a trial?"""
        others = (held.get(trial_id, set()) | self.book.reviews_of(trial_id).said.keys()) - {visitor.name}
        return len(others) < self._site.settings.reviewers or trial_id in self.book.known

    def _fits(self, task_id: str, discipline: str | None) -> bool:
        if not discipline:
            return True
        task = self._site.shelf.get(task_id)
        return task is not None and discipline in (task.metadata.domain, task.metadata.category)

    def _known_item(self, visitor: Visitor, had: set[str], discipline: str | None) -> str | None:
        """A trial whose answer is known, now and then, if this reviewer has not had it."""
        free = sorted(
            trial_id
            for trial_id in self.book.known
            if trial_id not in had
            and visitor.name not in self.book.reviews_of(trial_id).said
            and self._fits(self.book.known_task[trial_id], discipline)
        )
        lot = int(_shuffled(self._site.page_secret, visitor, f"check {len(had)}")[:8], 16) / 0xFFFFFFFF
        return free[int(lot * 1e6) % len(free)] if free and lot < self._site.settings.known_share else None

    def _claim(self, drawer: DeskDrawer, visitor: Visitor, trial_id: str) -> None:
        value = {"trial_id": trial_id, "reviewer": visitor.name}
        drawer.put(CLAIM, f"{trial_id}/{visitor.name}", value, lasts=self._site.settings.claim_sec)

    def _draw(self, rounds: int, discipline: str | None) -> bool:
        """Draw the next round after so many; False if every trial that fits has been drawn.

        Nothing is written while the book is locked: who claims holds the ledger's lock and reads the book.
        """
        with self._drawing:
            self.book.refresh()
            with self.book.lock:
                before = list(self.book.rounds)
                drawn = dict(self.book.drawn)
            if len(before) > rounds:
                return True  # somebody else has drawn while this one waited
            tasks = None
            if discipline:
                tasks = frozenset(i for i in self._site.shelf.all() if self._fits(i, discipline))
            seed = next((one.seed for one in before if one.seed), 0) or _seed(self._site.page_secret)
            kept = self._site.pool()
            weights = {found.number: found.weight for found in drawn.values()}
            size = max(self._site.settings.round_size, len(drawn) // _GROWTH)
            made = draw_next(kept.value, before, weights, seed=seed, size=size, tasks=tasks)
            if made is None and kept.row < head_row(self._site.ledger):
                fresh = read_pool(self._site.ledger, self.book)
                made = draw_next(fresh, before, weights, seed=seed, size=size, tasks=tasks)
            if made is None:
                return False
            self._record(made, ReviewRound(made.scale, made.newest, tasks, seed), before, drawn)
            self.book.refresh()
            return True

    def _record(
        self, made: DrawnRound, this: ReviewRound, before: list[ReviewRound], drawn: dict[str, DrawnTrial]
    ) -> None:
        """The round, and with which chance each trial drawn so far was drawn by now: all, or nothing."""
        ids = self._site.ledger.trial_ids(made.trials)
        now = datetime.now(UTC)
        number = len(before) + 1
        document = round_document(
            made,
            ids,
            round=number,
            seed=f"{this.seed:016x}",
            tasks=None if this.tasks is None else sorted(this.tasks),
            at=now.isoformat(),
        )
        rounds = [*before, this]
        chances = {ids[n]: chance_by_now(rounds, n, task, w) for n, (task, w) in made.trials.items()}
        for trial_id, found in drawn.items():
            known = (found.number, found.task, found.weight)
            chance = chance_by_now(rounds, *known)
            if chance != chance_by_now(before, *known):
                chances[trial_id] = chance
        self._site.ledger.attach(
            [
                NewAttachment(ROUND, str(number), document),
                *(
                    selection_attachment(
                        trial_id, ReviewSelection(method=ChosenBy.RANDOM, probability=p, timestamp=now)
                    )
                    for trial_id, p in chances.items()
                ),
            ]
        )


def _key(visitor: Visitor, number: int) -> str:
    return f"{visitor.name}/{number:07d}"


def _items(found: dict[str, dict[str, Any]]) -> list[QueueItem]:
    return [_item(int(key.rpartition("/")[2]), value) for key, value in found.items()]


def _item(number: int, value: dict[str, Any]) -> QueueItem:
    """An item as the desk keeps it; one of an early version says less."""
    return QueueItem(
        number,
        value["trial_id"],
        value.get("task", ""),
        value["judged"],
        value["submission"],
        value.get("is_check", False),
        value.get("revealed", value["judged"]),
    )


def _put(drawer: DeskDrawer, visitor: Visitor, item: QueueItem) -> None:
    value = {name: value for name, value in vars(item).items() if name != "number"}
    drawer.put(ITEM, _key(visitor, item.number), value)


def _held(claims: dict[str, dict[str, Any]]) -> dict[str, set[str]]:
    """Trial -> who has claimed it."""
    found: dict[str, set[str]] = {}
    for claim in claims.values():
        found.setdefault(claim["trial_id"], set()).add(claim["reviewer"])
    return found


def _seed(secret: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(b"lottery", key=secret, digest_size=8).digest(), "big")


def _shuffled(secret: bytes, visitor: Visitor, trial_id: str) -> str:
    return hashlib.blake2b(f"{visitor.name}\n{trial_id}".encode(), key=secret).hexdigest()


def new_submission() -> str:
    """An id for a judgment that came without one."""
    return uuid.uuid4().hex
