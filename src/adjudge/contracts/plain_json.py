"""Is a value plain, finite JSON of bounded depth? Asked of everything free-form that a record keeps.

What the parsers of outputs need stands here and in `choices.py`, without pydantic: the process that parses
what nobody vouches for starts in half the time without it.
"""

from __future__ import annotations

import math
from typing import Any

MAX_JSON_DEPTH = 64


def check_json(value: object) -> None:
    """Raise ValueError, with the place, if `value` is not plain, finite JSON of bounded depth.

    Iterative on purpose: a hostile nest of lists must not exhaust the interpreter's stack.
    """
    if not _is_plain_json(value):
        _find_what_is_not_json(value)


def _is_plain_json(value: object) -> bool:
    """The quick look, level by level; if it says no, the slow one finds the place, or that all is well."""
    level: list[Any] = [value]
    for _ in range(MAX_JSON_DEPTH + 1):
        below: list[Any] = []
        for node in level:
            kind = type(node)
            if kind is dict:
                if not all(type(key) is str and key.isascii() for key in node):
                    return False
                below.extend(node.values())
            elif kind is list:
                below.extend(node)
            elif not (
                (kind is str and node.isascii())
                or (kind is float and math.isfinite(node))
                or kind is int
                or kind is bool
                or node is None
            ):
                return False
        if not below:
            return True
        level = below
    return False


def _find_what_is_not_json(value: object) -> None:
    stack: list[tuple[str, object, int]] = [("$", value, 0)]
    while stack:
        where, node, depth = stack.pop()
        if depth > MAX_JSON_DEPTH:
            raise ValueError(f"{where[:80]}: nested deeper than {MAX_JSON_DEPTH} levels")
        if isinstance(node, dict):
            for key, child in node.items():
                if not isinstance(key, str):
                    raise ValueError(f"{where}: a key is {type(key).__name__}, not a string")
                _check_text(where, key)
                stack.append((f"{where}.{key}", child, depth + 1))
        elif isinstance(node, list):
            stack.extend((f"{where}[{i}]", child, depth + 1) for i, child in enumerate(node))
        elif isinstance(node, str):
            _check_text(where, node)
        elif isinstance(node, float):
            if not math.isfinite(node):
                raise ValueError(f"{where}: {node} is not a finite number")
        elif node is not None and not isinstance(node, (bool, int)):
            raise ValueError(f"{where}: {type(node).__name__} is not a JSON value")


def _check_text(where: str, text: str) -> None:
    """Raise ValueError for a string that UTF-8 cannot carry (half of a surrogate pair)."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"{where[:80]}: a string holds half of a surrogate pair") from None
