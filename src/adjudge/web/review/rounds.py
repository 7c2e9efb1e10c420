"""Rounds of the lottery: drawn before a queue runs dry, recorded with the chance of every drawn trial.

Drawing reads every trial of the ledger. So a round is drawn in the background while a few trials of the one
before are still open; who finds none open all the same waits for it.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from adjudge.contracts import ChosenBy, ReviewSelection
from adjudge.errors import AdjudgeError
from adjudge.ledger import DeskDrawer, NewAttachment, head_row, new_evaluations, selection_attachment
from adjudge.web.review.book import ROUND, DrawnTrial, ReviewBook, ReviewRound
from adjudge.web.review.pool import DrawnRound, chance_by_now, draw_next, read_pool, round_document

if TYPE_CHECKING:
    from adjudge.web.site import Site

_AHEAD = 4
"""A round is drawn ahead once fewer than one over this of a round is open and nobody's."""
_NOTHING_SEC = 60.0
"""How long no round is drawn ahead after one that found no trial left."""
_GROWTH = 4
"""A later round draws at least one over this of what was drawn so far: each round writes all chances anew."""


class RoundDrawer:
    """Draws for one site, one round at a time."""

    def __init__(
        self, site: Site, book: ReviewBook, write: Callable[[Callable[[DeskDrawer], list[bool]]], list[bool]]
    ) -> None:
        self._site = site
        self._book = book
        self._write = write
        self._drawing = threading.Lock()
        self._ahead = ThreadPoolExecutor(1, thread_name_prefix="adjudge-rounds")
        self._under_way: Future[None] | None = None
        self._rests_until = 0.0

    def close(self) -> None:
        """Finish the round that is being drawn."""
        self._ahead.shutdown(wait=True, cancel_futures=True)

    @property
    def at_rest(self) -> bool:
        """Is no round being drawn in the background?"""
        return self._under_way is None or self._under_way.done()

    def draw_ahead(self, free: int) -> None:
        """Begin to draw the next round if few trials are open that nobody has; waits for nothing."""
        enough = free >= self._site.settings.round_size // _AHEAD
        if self.at_rest and not enough and time.monotonic() >= self._rests_until:
            with suppress(RuntimeError):  # the server is stopping
                self._under_way = self._ahead.submit(self._draw_ahead, len(self._book.rounds))

    def _draw_ahead(self, rounds: int) -> None:
        with suppress(AdjudgeError):  # whoever finds no trial draws, and is told
            if not self.draw(rounds, None, lambda *_: True):
                self._rests_until = time.monotonic() + _NOTHING_SEC

    def draw(self, rounds: int, discipline: str | None, fits: Callable[[str, str | None], bool]) -> bool:
        """Draw the next round after so many; False if every trial that fits has been drawn.

        Nothing is written while the book is locked: who claims holds the ledger's lock and reads the book.
        """
        with self._drawing:
            self._book.refresh()
            with self._book.lock:
                before = list(self._book.rounds)
                drawn = dict(self._book.drawn)
            if len(before) > rounds:
                return True  # somebody else has drawn while this one waited
            tasks = None
            if discipline:
                tasks = frozenset(i for i in self._site.shelf.all() if fits(i, discipline))
                if not tasks:
                    return False
            seed = next((one.seed for one in before if one.seed), 0) or _seed(self._site.page_secret)
            kept = self._site.pool()
            weights = {found.number: found.weight for found in drawn.values()}
            size = max(self._site.settings.round_size, len(drawn) // _GROWTH)
            made = draw_next(kept.value, before, weights, seed=seed, size=size, tasks=tasks)
            if made is None and self._has_grown(kept.row):
                fresh = read_pool(self._site.ledger, self._book)
                made = draw_next(fresh, before, weights, seed=seed, size=size, tasks=tasks)
            if made is None:
                return False
            self._record(made, ReviewRound(made.scale, made.newest, tasks, seed), before, drawn)
            self._book.refresh()
            return True

    def _has_grown(self, row: int) -> bool:
        """Was a trial scored since this row? Reviews alone bring nothing that could be drawn."""
        ledger = self._site.ledger
        return bool(new_evaluations(ledger, row, head_row(ledger)))

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
        items = [
            NewAttachment(ROUND, str(number), document),
            *(
                selection_attachment(
                    trial_id, ReviewSelection(method=ChosenBy.RANDOM, probability=p, timestamp=now)
                )
                for trial_id, p in chances.items()
            ),
        ]
        self._write(lambda drawer: drawer.attach(items))


def _seed(secret: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(b"lottery", key=secret, digest_size=8).digest(), "big")
