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
from typing import Any

GENESIS = bytes(32)

Mark = tuple[str, int, int]
"""kind, value, evaluation."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False).encode


def canonical(table: str, row: Mapping[str, Any], marks: Sequence[Mark] = ()) -> bytes:
    """The bytes a row's hash covers; the same for a row about to be written and for one read back."""
    content: dict[str, Any] = {
        key: value.hex() if isinstance(value, bytes) else value
        for key, value in row.items()
        if value is not None and key != "hash"
    }
    content["table"] = table
    if marks:
        content["marks"] = sorted(marks)
    return _encode(content).encode("utf-8", "surrogatepass")


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
        made = sorted(set(marks))
        self.head = row_hash(self.head, table, row, made)
        row["hash"] = self.head
        self.rows.setdefault(table, []).append(row)
        self.marks.extend(
            {"kind": kind, "value": value, "evaluation": evaluation, "origin": self.seq}
            for kind, value, evaluation in made
        )
        return self.seq
