"""Random numbers that stay the same: for a seed, on every machine, under every version of numpy.

numpy promises the raw 64-bit stream of PCG64 for ever, but not what its higher-level methods make of it.
So indices and signs are cut from the raw stream here. Whoever draws from data first sorts it by
what it holds, so that neither row order nor names can change a result.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

_CELLS = 1 << 22
"""How many drawn cells to hold at once; bounds memory, and is part of no result."""
_KEPT = 1 << 19
"""Draws of no more cells than this are kept for the next pair of agents."""


def index_blocks(seed: int, resamples: int, n: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yield blocks of rows that together are `resamples` rows of `n` indices below `n`, with replacement.

    Multiply-and-shift instead of rejection: the bias is below n / 2**32.
    """
    stream = np.random.PCG64(seed)
    rows = max(1, _CELLS // max(n, 1))
    for start in range(0, resamples, rows):
        count = min(rows, resamples - start)
        raw = np.asarray(stream.random_raw(count * n), dtype=np.uint64)
        yield (((raw >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32)).astype(np.int64).reshape(count, n)


def subset_sums(
    seed: tuple[int, int], rows: int, chances: npt.NDArray[np.float64], columns: npt.NDArray[np.float64]
) -> Iterator[npt.NDArray[np.float64]]:
    """Yield blocks that together are `rows` sums of `columns` (items x columns) over subsets of the items.

    Item i is in a subset with `chances[i]`, to 32 bits of the stream. The values are rounded to whole
    multiples of a power of two so small that 12 digits stay and so large that every sum of them is exact. So
    it does not matter in which order a library for matrices adds on this machine.
    """
    items = len(columns)
    most = np.abs(columns).sum(axis=0)
    unit = np.exp2(np.ceil(np.log2(np.maximum(most, 1e-300))) - 52)
    whole = np.rint(columns / unit)
    edges = np.rint(chances * 2**32).astype(np.uint32)
    for raw in _raw_blocks(seed, rows, items):
        yield (raw < edges).astype(np.float64) @ whole * unit


def _raw_blocks(seed: tuple[int, int], rows: int, items: int) -> Iterator[npt.NDArray[np.uint32]]:
    if rows * items <= _KEPT:
        yield _kept(seed, rows, items)
        return
    stream = np.random.PCG64(list(seed))
    most = max(1, _CELLS // items)
    for start in range(0, rows, most):
        yield _cut(stream, min(most, rows - start), items)


@lru_cache(maxsize=12)
def _kept(seed: tuple[int, int], rows: int, items: int) -> npt.NDArray[np.uint32]:
    """All pairs of many agents ask for the same draws: as many tasks, under the same seed."""
    return _cut(np.random.PCG64(list(seed)), rows, items)


def _cut(stream: np.random.PCG64, rows: int, items: int) -> npt.NDArray[np.uint32]:
    """The next rows of the stream; two items share a word, and an odd one has its own."""
    words = -(-items // 2)
    raw = np.asarray(stream.random_raw(rows * words), dtype="<u8")
    return np.ascontiguousarray(raw.view("<u4").reshape(rows, 2 * words)[:, :items])
