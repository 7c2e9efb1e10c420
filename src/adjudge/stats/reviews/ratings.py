"""Ratings of the same trials by several raters, as a matrix of category codes.

Rows are trials, columns raters; `MISSING` marks no rating, and a reviewer's `defer` is one. Categories are
in order if order matters. A trial with fewer than two ratings says nothing about agreement, but may say
how often a category is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from adjudge.errors import UsageError
from adjudge.stats.trial_table import FloatArray, IntArray

MISSING = -1
Table = Sequence[Sequence[Any]] | npt.NDArray[Any]
"""One row per trial, one column per rater; None, NaN and "defer" are missing."""


class Ratings(Struct, frozen=True, eq=False):
    """Codes (trials x raters) into `categories`; only trials with a rating."""

    codes: IntArray
    categories: tuple[Any, ...]
    short: int
    """Trials with fewer than two ratings."""
    missing: int
    """Ratings that were not given, `defer` included."""
    rows: IntArray
    """Which row of the table each trial was."""

    @property
    def paired(self) -> Ratings:
        """Only the trials with two ratings or more."""
        twice = (self.codes != MISSING).sum(axis=1) >= 2
        return replace(self, codes=self.codes[twice], rows=self.rows[twice])

    @property
    def counts(self) -> FloatArray:
        """How many raters put each trial into each category: trials x categories."""
        hits = self.codes[:, :, None] == np.arange(len(self.categories))
        counts: FloatArray = hits.sum(axis=1).astype(np.float64)
        return counts


def encode(table: Table, *, categories: Sequence[Any] | None = None) -> Ratings:
    """Encode a table; `categories` fixes which there are and their order, else those found, sorted.

    A rating outside the categories, or rows of unequal length, are refused. No rows are allowed.
    """
    rows = [list(row) for row in table]
    width = len(rows[0]) if rows else 2
    if any(len(row) != width for row in rows):
        raise UsageError("every trial needs a rating, or a missing one, of each rater", field="ratings")
    found = {value for row in rows for value in row if not _is_missing(value)}
    order = tuple(sorted(found)) if categories is None else tuple(categories)
    code = {category: i for i, category in enumerate(order)}
    stranger = next((value for value in sorted(found, key=str) if value not in code), None)
    if stranger is not None:
        raise UsageError("a rating is not a category", found=stranger, allowed=", ".join(map(str, order)))
    codes = np.array(
        [[MISSING if _is_missing(value) else code[value] for value in row] for row in rows], dtype=np.int64
    ).reshape(len(rows), width)
    given = (codes != MISSING).sum(axis=1)
    missing = int((codes == MISSING).sum())
    return Ratings(codes[given > 0], order, int((given < 2).sum()), missing, np.flatnonzero(given > 0))


def _is_missing(value: Any) -> bool:
    return value is None or value == "defer" or (isinstance(value, float) and np.isnan(value))
