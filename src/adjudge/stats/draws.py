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


def flipped_sums(seed: int, draws: int, terms: npt.NDArray[np.float64]) -> Iterator[npt.NDArray[np.float64]]:
    """Yield blocks of sums of `terms` with fair random signs, `draws` sums in all.

    Eight terms share a byte of the stream, and a table holds what each of its 256 values makes of them. So a
    draw of n terms costs n / 8 look-ups.
    """
    stream = np.random.PCG64(seed)
    words = -(-len(terms) // 64)
    padded = np.zeros(64 * words)
    padded[: len(terms)] = terms
    signs = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little") * 2.0 - 1.0
    tables = (padded.reshape(-1, 1, 8) * signs).sum(axis=2)
    columns = np.arange(8 * words)
    rows = max(1, _CELLS // (8 * words))
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        raw = np.asarray(stream.random_raw(count * words), dtype="<u8")
        yield tables[columns, raw.view(np.uint8).reshape(count, 8 * words)].sum(axis=1)
