"""JSON from anybody, read as RFC 8259 has it and nothing more: the one reader for files nobody vouches for.

A file may be huge, endlessly nested, ambiguous or not JSON at all. `load_json` returns a value that is
finite, unambiguous and of bounded depth, or raises `BadJson` with words a person can act on. The bounds are
checked before the parser allocates anything, so the memory a file can cost is a small multiple of its size.

Two parsers read it. The quick one (msgspec's, or pydantic's for a long text) passes over a key that stands
twice and over numbers past the largest float, so its value only counts once a look at it has ruled both out.
Whatever it cannot vouch for is read by the thorough one, which knows where the trouble is and has the words
for it.

A key that stands twice and a number no float can hold are within the grammar, but readers disagree about what
they mean. They are refused, unless the caller gives a list to be told of them: then the last value counts.
"""

from __future__ import annotations

import json
import math
import re
from codecs import BOM_UTF8
from typing import Any, NoReturn

import msgspec
from pydantic_core import from_json

from adjudge._lazy import late_pattern
from adjudge.contracts.plain_json import MAX_JSON_DEPTH, check_json
from adjudge.errors import Problem, show

MAX_VALUES = 400_000
"""More values than this are refused: an empty list costs 3 bytes of file but 20 times that in memory."""

_MANY_OPENERS = 2_000
_MAX_TOLD = 5
_UNSURE = object()
_SHORT = 8192
"""Characters, and so levels at most, for the parser that goes down as deep as the interpreter allows."""
_decode = msgspec.json.Decoder().decode
_STRUCTURE = late_pattern(r'"(?:[^"\\]++|\\.)*+"|[\[{]|[\]}]', re.DOTALL)
_CONSTANT = late_pattern(r'"(?:[^"\\]++|\\.)*+"|(?P<constant>-?Infinity|NaN)', re.DOTALL)
_LITERALS = ("true", "false", "null")
_HALF_A_NUMBER = late_pattern(r"\.|(?:\.\d+)?[eE][-+]?")
_HALF_AN_ESCAPE = late_pattern(r"\\?u?[0-9a-fA-F]{0,4}")  # CPython calls a whole one at the end invalid too


class BadJson(ValueError):  # noqa: N818 - reads as the state it names
    """The text is not acceptable JSON; `str()` says why, `found` what stood there."""

    def __init__(self, what: str, found: object = None) -> None:
        super().__init__(what)
        self.found = found

    def worded(self, **where: Any) -> str:
        """All of it as one sentence, with what a `Problem` may add: the file, what is allowed."""
        if self.found is not None:
            where["found"] = self.found
        return str(Problem(str(self), **where))


def load_json(data: bytes, *, max_bytes: int) -> Any:
    """The value in a file's bytes; raises `BadJson` for anything that is not one plain JSON value in UTF-8.

    A UTF-8 byte order mark is skipped: it changes no value, and some tools write one whether asked or not.
    """
    if len(data) > max_bytes:
        raise BadJson(f"{len(data)} bytes are more than the {max_bytes} that are read")
    try:
        text = data.removeprefix(BOM_UTF8).decode()  # the codec that skips it is written in Python
    except UnicodeDecodeError as error:
        at = error.start + (len(data) - len(error.object))  # counted from after the mark
        raise BadJson(f"not UTF-8: byte {at} cannot be read", data[at : at + 8]) from None
    if not text.strip():
        raise BadJson("the file is empty")
    return parse_json(text)


def parse_json(
    text: str,
    *,
    max_values: int = MAX_VALUES,
    max_depth: int = MAX_JSON_DEPTH,
    told: list[str] | None = None,
    first_line: int = 1,
) -> Any:
    """The value in `text`, which starts at `first_line` of its file. Raises `BadJson` with the place.

    With `told`, what readers disagree about is added there in words (the first few) and not refused, and a
    string may hold half of a surrogate pair.
    """
    # a text of so few characters need not be counted: most are short, and counting takes a fifth of the time
    if len(text) > max_values and _openers(text) + text.count(",") > max_values:
        raise BadJson(f"more than {max_values} values, which is more than is read")
    value = _read_quickly(text, max_depth)
    if value is not _UNSURE:
        return value
    return _read_thoroughly(text, _openers(text), max_depth, told, first_line)


def _openers(text: str) -> int:
    return text.count("[") + text.count("{")


def _read_quickly(text: str, max_depth: int) -> Any:
    """The value, or `_UNSURE` if it is not JSON, is ambiguous, or not finite and of bounded depth."""
    try:
        value = _decode(text) if len(text) <= _SHORT else from_json(text, allow_inf_nan=False)
    except (ValueError, RecursionError):
        return _UNSURE
    keys = 0
    level = [value]
    for _ in range(max_depth + 1):
        below: list[Any] = []
        for node in level:
            kind = type(node)
            if kind is dict:
                keys += len(node)
                below += node.values()
            elif kind is list:
                below += node
            elif kind is float and node - node != 0:  # infinity: every finite number gives 0 here
                return _UNSURE
        if not below:
            return value if keys == text.count(":") or keys == _keys_written(text) else _UNSURE
        level = below
    return _UNSURE


def _keys_written(text: str) -> int:
    """How many keys stand in a valid document, also those that stand twice: each has its colon outside of
    every string, and strings are every other piece between quotes."""
    if "\\" in text:
        text = text.replace("\\\\", "").replace('\\"', "")
    return "".join(text.split('"')[::2]).count(":")


def _read_thoroughly(text: str, openers: int, max_depth: int, told: list[str] | None, first_line: int) -> Any:
    too_deep = f"nested deeper than {max_depth} levels"
    if openers > _MANY_OPENERS and _is_deep(text, max_depth):
        raise BadJson(too_deep)
    try:
        value = _decoder(told).decode(text)
    except json.JSONDecodeError as error:
        raise _syntax(text, error, first_line) from None
    except RecursionError:
        raise BadJson(too_deep) from None
    except _NoNumber as error:
        place = _place_of_constant(text, first_line)
        raise BadJson(f"not JSON: {error} is not a JSON value{place}", str(error)) from None
    except BadJson:
        raise
    except ValueError as error:  # an integer with more digits than Python converts
        raise BadJson(f"not usable JSON: {str(error).partition(';')[0]}") from None
    if told is not None:
        if openers > max_depth and _is_deep(text, max_depth):
            raise BadJson(too_deep)
    elif openers > max_depth or "\\u" in text:  # may be too deep, or hold half of a surrogate pair
        try:
            check_json(value)
        except ValueError as error:
            raise BadJson(str(error)) from None
    return value


class _NoNumber(Exception):  # noqa: N818 - a signal inside this module
    """NaN or an infinity stands where a value should."""


def _decoder(told: list[str] | None) -> json.JSONDecoder:
    def tell(what: str, found: object) -> None:
        if told is None:
            raise BadJson(what, found)
        if len(told) < _MAX_TOLD:
            told.append(what)

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(items)
        if len(value) < len(items):
            seen: set[str] = set()
            twice = next(key for key, _ in items if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            values = [item for key, item in items if key == twice]
            count = "twice" if len(values) == 2 else f"{len(values)} times"
            tell(
                f"the key {show(twice)} stands {count} in one object; readers disagree which one counts",
                values,
            )
        return value

    def number(digits: str) -> float:
        value = float(digits)
        if math.isinf(value):
            tell(f"the number {show(digits)} is larger than any float", digits)
        return value

    def integer(digits: str) -> float:
        return number(digits) if told is not None and len(digits) > 4000 else int(digits)

    def constant(name: str) -> NoReturn:
        raise _NoNumber(name)

    return json.JSONDecoder(
        object_pairs_hook=pairs, parse_float=number, parse_int=integer, parse_constant=constant
    )


def _is_deep(text: str, max_depth: int) -> bool:
    """Is the nesting past the limit? Found without parsing: a parser would recurse into it."""
    depth = 0
    for match in _STRUCTURE.finditer(text):
        mark = text[match.start()]
        if mark in "[{":
            depth += 1
            if depth > max_depth + 1:
                return True
        elif mark in "]}":
            depth -= 1
    return False


def _syntax(text: str, error: json.JSONDecodeError, first_line: int) -> BadJson:
    place = f"line {error.lineno + first_line - 1}, column {error.colno}"
    found = text[error.pos : error.pos + 20] or "the end of the file"
    if _is_cut_off(text, error):
        return BadJson(f"truncated: the JSON ends early, in what begins at {place}")
    if error.msg == "Extra data":
        return BadJson(f"not JSON: more text after the first value, at {place}", found)
    hint = "; it looks like JSON inside a Markdown fence" if text.lstrip().startswith(("```", "~~~")) else ""
    return BadJson(f"not JSON: {error.msg} at {place}{hint}", found)


def _is_cut_off(text: str, error: json.JSONDecodeError) -> bool:
    """Did the text end where more was due, rather than go wrong?"""
    rest = text[error.pos :]
    if error.msg.startswith("Unterminated string"):
        return True
    if error.msg.startswith("Invalid \\uXXXX escape"):
        return _HALF_AN_ESCAPE.fullmatch(rest) is not None
    if text[error.pos - 1 : error.pos].isdigit() and _HALF_A_NUMBER.fullmatch(rest):
        return True
    return not rest.strip() or rest == "-" or any(literal.startswith(rest) for literal in _LITERALS)


def _place_of_constant(text: str, first_line: int) -> str:
    for token in _CONSTANT.finditer(text):
        if token["constant"]:
            before = text[: token.start()]
            line = before.count("\n") + first_line
            return f", at line {line}, column {len(before) - before.rfind(chr(10))}"
    return ""
