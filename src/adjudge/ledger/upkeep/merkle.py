"""A Merkle tree over the rows of a ledger: small proofs that one head of the ledger extends another.

The tree is that of RFC 6962: a leaf is SHA-256(0x00 + the row's chain hash), an inner node SHA-256(0x01 +
left + right), and n leaves are split at the largest power of two below n. Pure functions on hashes; nothing
is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

EMPTY_ROOT = hashlib.sha256(b"").digest()
_SIZE = 32


class Leaves:
    """The leaves of a tree, in one piece of memory: 32 bytes each."""

    def __init__(self) -> None:
        self._data = bytearray()

    def __len__(self) -> int:
        return len(self._data) // _SIZE

    def append(self, row_hash: bytes) -> None:
        """Add the hash of the next row."""
        self._data += hashlib.sha256(b"\0" + row_hash).digest()

    def root(self, size: int | None = None) -> bytes:
        """The root of the tree of the first `size` leaves; None is all."""
        return self._subtree(0, len(self) if size is None else size)

    def consistency(self, before: int, after: int) -> list[bytes]:
        """What somebody needs to see that the tree of `after` leaves begins with that of `before`.

        Nothing is needed for the same tree, nor to extend the empty one.
        """
        if not 0 <= before <= after <= len(self):
            raise ValueError(f"there is no proof from {before} to {after} rows of {len(self)}")
        return [] if before in (0, after) else self._proof(before, 0, after, whole=True)

    def _proof(self, before: int, start: int, end: int, *, whole: bool) -> list[bytes]:
        if before == end - start:
            return [] if whole else [self._subtree(start, end)]
        split = _split(end - start)
        if before <= split:
            return [
                *self._proof(before, start, start + split, whole=whole),
                self._subtree(start + split, end),
            ]
        return [
            *self._proof(before - split, start + split, end, whole=False),
            self._subtree(start, start + split),
        ]

    def _subtree(self, start: int, end: int) -> bytes:
        """Level by level, since a tree is as deep as it is only at its right edge."""
        if start == end:
            return EMPTY_ROOT
        level = [bytes(self._data[n * _SIZE : (n + 1) * _SIZE]) for n in range(start, end)]
        while len(level) > 1:
            odd = [level[-1]] if len(level) % 2 else []
            level = [_node(level[n], level[n + 1]) for n in range(0, len(level) - 1, 2)] + odd
        return level[0]


def is_consistent(
    before: int, root_before: bytes, after: int, root_after: bytes, proof: Sequence[bytes]
) -> bool:
    """Does this proof show that the tree of `after` leaves begins with that of `before`?"""
    if before == after:
        return root_before == root_after and not proof
    if before == 0:
        return not proof
    if not 0 < before < after:
        return False
    number, last = before - 1, after - 1
    while number % 2:
        number //= 2
        last //= 2
    rest = list(proof)
    if number and not rest:
        return False
    old = new = rest.pop(0) if number else root_before
    for step in rest:
        if not last:
            return False
        if number % 2 or number == last:
            old, new = _node(step, old), _node(step, new)
            while number and not number % 2:
                number //= 2
                last //= 2
        else:
            new = _node(new, step)
        number //= 2
        last //= 2
    return (old, new, last) == (root_before, root_after, 0)


def _split(count: int) -> int:
    """The largest power of two below a count of at least two."""
    return 1 << (count - 1).bit_length() - 1


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()
