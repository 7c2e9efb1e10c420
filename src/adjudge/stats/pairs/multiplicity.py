"""Many tests at once: Holm for claims (not one false), Benjamini-Hochberg for tables (few false).

An undefined p (None) is no test: it stays None and does not count towards the family.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError

_Factors = Callable[[int], npt.NDArray[np.float64]]


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values: the smallest times m, the next times m - 1, ..., never decreasing."""
    return _adjusted(ps, lambda m: np.arange(m, 0, -1, dtype=np.float64), step_up=False)


def benjamini_hochberg(ps: Sequence[float | None]) -> list[float | None]:
    """Adjusted p-values for the false discovery rate: the i-th smallest times m/i, never above the next."""
    return _adjusted(ps, lambda m: m / np.arange(1, m + 1, dtype=np.float64), step_up=True)


def _adjusted(ps: Sequence[float | None], factors: _Factors, *, step_up: bool) -> list[float | None]:
    known = np.array([p for p in ps if p is not None], dtype=np.float64)
    if not ((known >= 0) & (known <= 1)).all():
        raise UsageError("a p-value lies between 0 and 1", found=[p for p in ps if p is not None])
    order = np.argsort(known, kind="stable")
    scaled = known[order] * factors(len(known))
    steps = np.minimum.accumulate(scaled[::-1])[::-1] if step_up else np.maximum.accumulate(scaled)
    adjusted = np.empty(len(known))
    adjusted[order] = np.minimum(steps, 1.0)
    rest = iter(adjusted.tolist())
    return [None if p is None else next(rest) for p in ps]
