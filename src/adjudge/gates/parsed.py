"""What parsing gives: a value, or nothing but the certainty that the bytes are what they claim to be.

`Unparseable` forces a reward of zero, so it is raised only for bytes that are not the format at all. What a
format allows but a reader should not rely on (a key given twice, a number past every float) is a problem of
the shape, and goes into `problems`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from adjudge.contracts import BadJson, parse_json

MAX_DEPTH = 200
"""Of nested values: beyond it, parsers of many languages fail in their own ways."""
MAX_VALUES = 5_000_000
"""Of values in one output: a value can take a hundred times the memory of its text."""


class Unparseable(Exception):  # noqa: N818 - names the verdict
    """The bytes are not what they claim to be; the message says where and why."""


class Parsed(Struct, frozen=True):
    """A parsed output. `value` is plain JSON, if the format has values."""

    value: Any = None
    has_value: bool = False
    problems: tuple[str, ...] = ()


def decode(data: bytes) -> str:
    """UTF-8 text without its byte order mark. Raises Unparseable for empty, blank or other bytes."""
    if not data:
        raise Unparseable("the output is empty: it has 0 bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = "; it starts like UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        # The codec counts from after the byte order mark.
        offset = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        raise Unparseable(f"not UTF-8 text: byte 0x{data[offset]:02x} at offset {offset}{hint}") from error
    if not text.strip():
        raise Unparseable(f"the output holds nothing but white space ({len(data)} bytes)")
    return text


def parse_json_output(text: str, *, first_line: int = 1) -> Parsed:
    """The JSON value in an output. Raises Unparseable with the place, counted from `first_line`."""
    problems: list[str] = []
    try:
        value = parse_json(
            text, max_values=MAX_VALUES, max_depth=MAX_DEPTH, told=problems, first_line=first_line
        )
    except BadJson as error:
        raise Unparseable(str(error)) from None
    return Parsed(value, True, tuple(problems))


def check_depth(value: object) -> None:
    """Raise Unparseable if lists and objects nest deeper than `MAX_DEPTH`. Iterative, level by level."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [child for node in level for child in _children(node) if isinstance(child, dict | list)]
        if not level:
            return
    raise Unparseable(f"nested deeper than {MAX_DEPTH} levels")


def _children(node: object) -> Iterable[object]:
    if isinstance(node, dict):
        return node.values()
    return node if isinstance(node, list) else ()
