"""Which trials a run has come by: a set of texts that takes some twelve bytes for each.

A manifest may have a million rows, and two of them may name the same trial, however far apart they stand. A
`set` of their ids would take ten times as much memory as all the rest of a long run.
"""

from __future__ import annotations

import hashlib

_BUCKETS = 1 << 12
_DIGEST_BYTES = 12
"""Two of a hundred million different texts are mistaken for one another once in ten million million runs."""
_KEPT = _DIGEST_BYTES - 1
"""The first byte, and half of the second, say which bucket it is."""


class SeenTrials:
    """Holds digests only, in many short rows of bytes that are searched from end to end."""

    def __init__(self) -> None:
        self._buckets = [bytearray() for _ in range(_BUCKETS)]

    def add(self, text: str) -> bool:
        """Take it in; False if it was there."""
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()
        bucket = self._buckets[digest[0] << 4 | digest[1] >> 4]
        if holds(bucket, kept := digest[1:]):
            return False
        bucket += kept
        return True


def holds(bucket: bytearray, kept: bytes) -> bool:
    """Is this one of the pieces that a bucket is made of? Bytes across two of them are none."""
    at = bucket.find(kept)
    while at > 0 and at % _KEPT:
        at = bucket.find(kept, at + 1)
    return at >= 0
