"""The trials that can be drawn for review with their tickets, and a round drawn from them.

A round may be for some tasks alone, if somebody reviews only those; then its scale counts for their trials
and for no others. Trials that came after a round took no part in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from adjudge.ledger import TrialFilter
from adjudge.web.review.draw import chance, lots, next_scale, tickets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from adjudge.ledger import Coded, Ledger
    from adjudge.web.review.book import ReviewBook, ReviewRound


class ReviewPool(Struct, frozen=True):
    """Every trial as it stands: its number, its task, its tickets."""

    trial: NDArray[np.int64]
    task: Coded
    weight: NDArray[np.float64]


class DrawnRound(Struct, frozen=True):
    """What a round draws: number -> (task, tickets), at which scale, from how many."""

    trials: dict[int, tuple[str, float]]
    scale: float
    pool: int
    newest: int


def read_pool(ledger: Ledger, book: ReviewBook) -> ReviewPool:
    """All trials of a ledger."""
    columns = ledger.columns(TrialFilter())
    disputed = ledger.columns(TrialFilter(disagreement=True)).trial.tolist()
    book.refresh()
    with book.lock:
        reviews = list(book.trials.values())
    disputed += [found.number for found in reviews if found.is_split]
    seen = [found.number for found in reviews if found.said]
    return ReviewPool(columns.trial, columns.task, tickets(columns, disputed, seen))


def draw_next(
    pool: ReviewPool,
    rounds: Iterable[ReviewRound],
    drawn: dict[int, float],
    *,
    seed: int,
    size: int,
    tasks: Collection[str] | None = None,
) -> DrawnRound | None:
    """The next round: about `size` trials, at least one; None if every trial has been drawn.

    `drawn` are the numbers of the trials drawn so far with the tickets they had then; those stay, because a
    trial's reviews must not change with which chance it was chosen for them. `tasks` narrows the round.
    """
    names = pool.task.categories
    inside = np.array([tasks is None or name in tasks for name in names], np.bool_)
    rows = np.flatnonzero(inside[pool.task.codes]) if len(names) else np.empty(0, np.int64)
    numbers, weights = pool.trial[rows], pool.weight[rows].copy()
    out = np.isin(numbers, list(drawn))
    weights[out] = [drawn[number] for number in numbers[out].tolist()]
    before = np.zeros(len(rows))
    for one in rounds:
        covered = numbers <= one.newest
        if one.tasks is not None:
            covers = np.array([name in one.tasks for name in names], np.bool_)
            covered &= covers[pool.task.codes[rows]]
        before[covered] = np.maximum(before[covered], one.scale)
    mine = lots(seed, numbers)
    while not out.all():
        scale = next_scale(weights, before, size)
        new = np.flatnonzero(~out & (mine < chance(scale, weights)))
        if len(new):
            found = {int(numbers[at]): (names[pool.task.codes[rows[at]]], float(weights[at])) for at in new}
            return DrawnRound(found, scale, len(rows), int(pool.trial.max()))
        size *= 2  # nobody's lot was in reach; a larger scale ends at one that draws all
    return None


def chance_by_now(rounds: Iterable[ReviewRound], number: int, task: str, weight: float) -> float:
    """With which probability a trial of so many tickets was drawn in one of these rounds."""
    scales = [r.scale for r in rounds if number <= r.newest and (r.tasks is None or task in r.tasks)]
    return min(1.0, max(scales, default=0.0) * weight)


def round_document(made: DrawnRound, ids: dict[int, str], **more: Any) -> dict[str, Any]:
    """The round as the ledger keeps it."""
    return {
        "scale": made.scale,
        "pool": made.pool,
        "newest": made.newest,
        "trials": {ids[n]: [n, task, weight] for n, (task, weight) in made.trials.items()},
        **more,
    }
