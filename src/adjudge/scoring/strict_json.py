"""JSON from a verifier, read as JSON and nothing more.

A verifier is untrusted: its file may be huge, endlessly nested, ambiguous or not JSON at all. `load_json`
returns a value that is finite, unambiguous and of bounded depth, or raises `BadJson` with words a person
can act on. The bounds are checked before the parser allocates anything, so the memory a file can cost is
a small multiple of `max_bytes`, whatever it holds.

Two parsers read it. The quick one (pydantic's own) passes over a key that stands twice and over numbers past
the largest float, so its value only counts once a look at it has ruled both out. Whatever it cannot vouch for
is read by the thorough one, which knows where the trouble is and has the words for it.

A UTF-8 byte order mark is skipped: it changes no value, and some tools write one whether asked or not.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from pydantic_core import from_json

from adjudge.contracts import MAX_JSON_DEPTH, check_json
from adjudge.errors import describe, show

MAX_VALUES = 400_000
"""More values than this are refused: an empty list costs 3 bytes of file but 20 times that in memory."""

_MANY_OPENERS = 2_000
_UNSURE = object()
_BOM = b"\xef\xbb\xbf"
_STRUCTURE = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', re.DOTALL)


class BadJson(ValueError):  # noqa: N818 - reads as the state it names
    """The bytes are not acceptable JSON; `str()` says why, `found` what stood there."""

    def __init__(self, what: str, found: object = None) -> None:
        super().__init__(what)
        self.found = found

    def worded(self, **where: Any) -> str:
        """All of it as one sentence, with what `describe` may add: the file, what is allowed."""
        if self.found is not None:
            where["found"] = self.found
        return describe(str(self), **where)


def load_json(data: bytes, *, max_bytes: int) -> Any:
    """The value in `data`; raises `BadJson` for anything that is not one plain JSON value in UTF-8."""
    if len(data) > max_bytes:
        raise BadJson(f"{len(data)} bytes are more than the {max_bytes} that are read")
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
    openers = data.count(b"[") + data.count(b"{")
    if openers + data.count(b",") > MAX_VALUES:
        raise BadJson(f"more than {MAX_VALUES} values")
    value = _read_quickly(data)
    return _read_thoroughly(data, openers) if value is _UNSURE else value


def _read_quickly(data: bytes) -> Any:
    """The value, or `_UNSURE` where it is not JSON, is ambiguous, or not finite and of bounded depth."""
    try:
        value = from_json(data, allow_inf_nan=False)
    except ValueError:
        return _UNSURE
    keys = 0
    level = [value]
    for _ in range(MAX_JSON_DEPTH + 1):
        below: list[Any] = []
        for node in level:
            kind = type(node)
            if kind is dict:
                keys += len(node)
                below += node.values()
            elif kind is list:
                below += node
            elif kind is float and node - node != 0:  # only infinity is not nothing less than itself
                return _UNSURE
        if not below:
            return value if keys == data.count(b":") or keys == _keys_written(data) else _UNSURE
        level = below
    return _UNSURE


def _keys_written(data: bytes) -> int:
    """How many keys stand in a valid document, also those that stand twice: each has its colon outside of
    every string, and strings are every other piece between quotes."""
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    return b"".join(data.split(b'"')[::2]).count(b":")


def _read_thoroughly(data: bytes, openers: int) -> Any:
    if not data.strip():
        raise BadJson("the file is empty")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadJson(
            f"not UTF-8: byte {error.start} cannot be read", data[error.start : error.start + 8]
        ) from None
    if openers > _MANY_OPENERS:
        _refuse_deep(data)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        found = text[error.pos : error.pos + 20] or "the end of the file"
        raise BadJson(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}", found) from None
    except RecursionError:
        raise BadJson(f"nested deeper than {MAX_JSON_DEPTH} levels") from None
    except BadJson:
        raise
    except ValueError as error:  # an integer with more digits than Python converts
        raise BadJson(f"not usable JSON: {str(error).partition(';')[0]}") from None
    if openers > MAX_JSON_DEPTH or b"\\u" in data:  # may be too deep, or hold half of a surrogate pair
        try:
            check_json(value)
        except ValueError as error:
            raise BadJson(str(error)) from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A dict, unless a key stands twice: which of two values counts is not ours to guess."""
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        values = [item for key, item in pairs if key == twice]
        raise BadJson(f"the key {show(twice)} stands {len(values)} times in one object", values)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise BadJson("not a JSON number", name)


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise BadJson("not a finite number", text)
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_finite, parse_constant=_refuse_constant)


def _refuse_deep(data: bytes) -> None:
    """Raise where the nesting is past the limit, without parsing: a parser would recurse into it."""
    depth = 0
    for match in _STRUCTURE.finditer(data):
        mark = data[match.start()]
        if mark in b"[{":
            depth += 1
            if depth > MAX_JSON_DEPTH + 1:
                raise BadJson(f"nested deeper than {MAX_JSON_DEPTH} levels")
        elif mark in b"]}":
            depth -= 1
