"""Random numbers that stay the same: for a seed, on every machine, under every version of numpy.

numpy promises the raw 64-bit stream of PCG64 for ever, but not what its higher-level methods make of it.
So indices and signs are cut from the raw stream here. Whoever draws from data first sorts it by
what it holds, so that neither row order nor names can change a result.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

_CELLS = 1 << 22
"""How many drawn cells to hold at once; bounds memory, and is part of no result."""


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

    Item i is in a subset with `chances[i]`, to 32 bits of the stream. Eight items share a byte, and a table
    holds what each of its 256 values adds up to. So no library for matrices, which may add in another order
    on another machine, has a say.
    """
    stream = np.random.PCG64(list(seed))
    items, width = columns.shape
    words, octets = -(-items // 2), -(-items // 8)
    edges = np.rint(chances * 2**32).astype(np.uint32)
    padded = np.zeros((8 * octets, width))
    padded[:items] = columns
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(bool)
    tables = np.where(bits[None, :, :, None], padded.reshape(octets, 1, 8, width), 0.0).sum(axis=2)
    at = np.arange(octets)
    most = max(1, _CELLS // (8 * octets * width))
    for start in range(0, rows, most):
        count = min(most, rows - start)
        raw = np.asarray(stream.random_raw(count * words), dtype="<u8")
        chosen = raw.view("<u4").reshape(count, 2 * words)[:, :items] < edges
        yield tables[at, np.packbits(chosen, axis=1)].sum(axis=1)
