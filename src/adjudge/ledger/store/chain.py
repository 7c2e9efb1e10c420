"""The hash chain: what a row's hash covers, and how the next row gets its own.

hash(row) = SHA-256( hash(row before) + canonical(row) ), the first row standing on 32 zero bytes.
`canonical` is compact JSON with sorted keys: the table's name, every column but `hash` that is not NULL
(bytes as hexadecimal), and the marks the row made. NULLs are left out, so that a column added by a later
migration changes the hash of no older row.
"""

from __future__ import annotations

import hashlib
import json
from binascii import hexlify
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from json.encoder import encode_basestring
from math import isfinite
from types import NoneType
from typing import Any, NamedTuple

import msgspec

GENESIS = bytes(32)

Mark = tuple[str, int, int]
"""kind, value, evaluation."""

_as_text = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False).encode
_of_text = msgspec.json.Encoder().encode


def canonical(table: str, row: Mapping[str, Any], marks: Sequence[Mark] = ()) -> bytes:
    """The bytes a row's hash covers; the same for a row about to be written and for one read back."""
    shape = _shape(table, tuple(row), tuple(map(type, row.values())), "marks" if marks else None)
    values = list(map(row.__getitem__, shape.names))
    for place, write in shape.written:
        values[place] = write(values[place])
    if shape.marked is not None:
        values.insert(shape.marked, _any(sorted(marks)))
    return shape.text % tuple(values)


class _Shape(NamedTuple):
    """How rows of the same columns and types are written: all that need not be found out for each."""

    text: bytes
    """The whole object, with a place for each value."""
    names: tuple[str, ...]
    """The columns that have a value, in the order of their places."""
    written: tuple[tuple[int, Callable[[Any], bytes]], ...]
    """Which values are not written as they are, and what writes them."""
    marked: int | None
    """The place of the marks, if there are any."""


@lru_cache(maxsize=512)  # a table has few shapes; one that was tampered with may have any number
def _shape(table: str, columns: tuple[str, ...], kinds: tuple[type, ...], marks: str | None) -> _Shape:
    here = {name: kind for name, kind in zip(columns, kinds, strict=True) if kind is not NoneType}
    here.pop("hash", None)
    texts = {name: f'"{name}":{_PLACES.get(kind, "%b")}' for name, kind in here.items()}
    texts["table"] = f'"table":{encode_basestring(table)}'.replace("%", "%%")
    if marks:
        texts[marks] = f'"{marks}":%b'
    names = tuple(sorted(here))
    return _Shape(
        f"{{{','.join(texts[key] for key in sorted(texts))}}}".encode(),
        names,
        tuple((at, _WRITERS.get(here[name], _any)) for at, name in enumerate(names) if here[name] is not int),
        sum(name < marks for name in names) if marks else None,
    )


def _any(value: object) -> bytes:
    return _as_text(value).encode("utf-8", "surrogatepass")


def _text(value: str) -> bytes:
    try:
        return _of_text(value)
    except UnicodeEncodeError:  # half of a surrogate pair
        return _any(value)


def _float(value: float) -> bytes:
    return repr(value).encode() if isfinite(value) else _any(value)


_PLACES = {int: "%d", bytes: '"%b"'}
_WRITERS: dict[type, Callable[[Any], bytes]] = {str: _text, bytes: hexlify, float: _float}
"""The usual types by themselves: Python's encoder takes three times as long, and four times for a text."""


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
