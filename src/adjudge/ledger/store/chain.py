"""The hash chain: what a row's hash covers, and how the next row gets its own.

hash(row) = SHA-256( hash(row before) + canonical(row) ), the first row standing on 32 zero bytes.
`canonical` is compact JSON with sorted keys: the table's name, every column but `hash` that is not NULL
(bytes as hexadecimal), and the marks the row made. NULLs are left out, so that a column added by a later
migration changes the hash of no older row.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from json.encoder import encode_basestring
from math import isfinite
from operator import itemgetter
from typing import Any

GENESIS = bytes(32)

Mark = tuple[str, int, int]
"""kind, value, evaluation."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False).encode


def canonical(table: str, row: Mapping[str, Any], marks: Sequence[Mark] = ()) -> bytes:
    """The bytes a row's hash covers; the same for a row about to be written and for one read back."""
    values, beginnings = _in_order(tuple(row))
    whole = {**row, "table": table, "marks": sorted(marks) if marks else None}
    parts = []
    for beginning, value in zip(beginnings, values(whole), strict=True):
        kind = type(value)
        if kind is int:  # the usual kinds by themselves: the encoder takes three times as long
            parts.append(f"{beginning}{value}")
        elif kind is str:
            parts.append(beginning + encode_basestring(value))
        elif value is None:
            continue
        elif kind is bytes:
            parts.append(f'{beginning}"{value.hex()}"')
        elif kind is float and isfinite(value):
            parts.append(f"{beginning}{value!r}")
        else:
            parts.append(beginning + _encode(value))
    return f"{{{','.join(parts)}}}".encode("utf-8", "surrogatepass")


@lru_cache(maxsize=64)
def _in_order(columns: tuple[str, ...]) -> tuple[itemgetter[Any], tuple[str, ...]]:
    """What takes the values of a row's object in the order of its keys, and each key's beginning as JSON."""
    keys = sorted({*columns, "table", "marks"} - {"hash"})
    return itemgetter(*keys), tuple(f'"{key}":' for key in keys)


def row_hash(before: bytes, table: str, row: Mapping[str, Any], marks: Sequence[Mark] = ()) -> bytes:
    """The hash of a row that stands after the row with hash `before`."""
    return hashlib.sha256(before + canonical(table, row, marks)).digest()


class Appender:
    """Numbers and hashes the rows of one transaction, and holds them until they are inserted.

    It must live inside the write lock: it starts from the head it was given and nobody else may.
    """

    def __init__(self, seq: int, head: bytes) -> None:
        self.seq = seq
        self.head = head
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.marks: list[dict[str, Any]] = []

    @property
    def next_seq(self) -> int:
        """The number the next row will get; marks that point at their own row need it beforehand."""
        return self.seq + 1

    def append(self, table: str, row: dict[str, Any], marks: Sequence[Mark] = ()) -> int:
        """Add a row; returns its number. Marks given twice count once."""
        self.seq += 1
        row["seq"] = self.seq
        made = sorted(set(marks)) if marks else ()
        self.head = row["hash"] = row_hash(self.head, table, row, made)
        self.rows.setdefault(table, []).append(row)
        for kind, value, evaluation in made:
            self.marks.append({"kind": kind, "value": value, "evaluation": evaluation, "origin": self.seq})
        return self.seq
