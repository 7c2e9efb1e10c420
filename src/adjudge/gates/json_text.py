"""JSON as RFC 8259 has it: NaN and Infinity are not JSON, whatever Python's reader says.

A key given twice is within the grammar, and so is a number no float can hold; both are told as problems of
the shape, because readers disagree about what they mean.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from adjudge.errors import show
from adjudge.gates.parsed import MAX_DEPTH, MAX_VALUES, Parsed, Unparseable, check_depth

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|(?P<constant>-?Infinity|NaN)', re.DOTALL)
_MAX_PROBLEMS = 5
_LITERALS = ("true", "false", "null")
_HALF_A_NUMBER = re.compile(r"\.|(?:\.\d+)?[eE][-+]?")
_HALF_AN_ESCAPE = re.compile(r"\\?u?[0-9a-fA-F]{0,4}")  # CPython calls a whole one at the end invalid too


class _Constant(Exception):  # noqa: N818 - a signal inside this module
    pass


def parse_json(text: str, *, first_line: int = 1) -> Parsed:
    """The value in `text`, which starts at `first_line` of its file. Raises Unparseable with the place."""
    if text.count("[") + text.count("{") + text.count(",") > MAX_VALUES:
        raise Unparseable(f"more than {MAX_VALUES} values, which is more than is read")
    problems: list[str] = []
    try:
        value = _loads(text, problems)
    except json.JSONDecodeError as error:
        raise Unparseable(_syntax(text, error, first_line)) from None
    except _Constant as error:
        raise Unparseable(f"not JSON: {error} is not a JSON value{_where(text, first_line)}") from None
    except RecursionError:
        raise Unparseable(f"nested deeper than {MAX_DEPTH} levels") from None
    if text.count("[") + text.count("{") > MAX_DEPTH:
        check_depth(value)
    return Parsed(value, True, tuple(problems))


def _loads(text: str, problems: list[str]) -> Any:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) < len(items) and len(problems) < _MAX_PROBLEMS:
            seen: set[str] = set()
            twice = next(key for key, _ in items if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            problems.append(
                f"the key {show(twice)} stands twice in one object; readers disagree which one counts"
            )
        return found

    def number(text: str) -> float:
        value = float(text)
        if math.isinf(value) and len(problems) < _MAX_PROBLEMS:
            problems.append(f"the number {show(text)} is larger than any float")
        return value

    def integer(text: str) -> float:
        return int(text) if len(text) <= 4000 else number(text)  # Python refuses to convert more digits

    def constant(name: str) -> float:
        raise _Constant(name)

    return json.loads(
        text, object_pairs_hook=pairs, parse_float=number, parse_int=integer, parse_constant=constant
    )


def _syntax(text: str, error: json.JSONDecodeError, first_line: int) -> str:
    place = f"line {error.lineno + first_line - 1}, column {error.colno}"
    if _cut_off(text, error):
        return f"truncated: the JSON ends early, in what begins at {place}"
    if error.msg == "Extra data":
        return f"not JSON: more text after the first value, at {place}"
    hint = "; it looks like JSON inside a Markdown fence" if text.lstrip().startswith(("```", "~~~")) else ""
    return f"not JSON: {error.msg} at {place}{hint}"


def _cut_off(text: str, error: json.JSONDecodeError) -> bool:
    """Did the text end where more was due, rather than go wrong?"""
    rest = text[error.pos :]
    if error.msg.startswith("Unterminated string"):
        return True
    if error.msg.startswith("Invalid \\uXXXX escape"):
        return _HALF_AN_ESCAPE.fullmatch(rest) is not None
    if text[error.pos - 1 : error.pos].isdigit() and _HALF_A_NUMBER.fullmatch(rest):
        return True
    return not rest.strip() or rest == "-" or any(literal.startswith(rest) for literal in _LITERALS)


def _where(text: str, first_line: int) -> str:
    for token in _TOKEN.finditer(text):
        if token["constant"]:
            before = text[: token.start()]
            line = before.count("\n") + first_line
            return f", at line {line}, column {len(before) - before.rfind(chr(10))}"
    return ""
