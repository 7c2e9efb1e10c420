"""Bounds on the other side than the task says: `value > 500` where "500 EUR or more" counts.

"At least 500", "500 or more", "less than 500" and "not below 500" draw the same line, between what is
smaller and the rest; "over 500", "up to 500" and "not more than 500" the other one. A verifier that compares
with that number draws one of them, too. Only a number counts that the task speaks of in one way and the
verifier in the other one throughout; a usual one only where both name the same thing.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Literal

from adjudge.audit.causes import Cause
from adjudge.audit.reading.module import Module
from adjudge.audit.reading.remark import Remark
from adjudge.contracts import Severity

Line = Literal["below", "above"]
"""Which side of the number is cut off from it: what is below it, or what is above it."""

_NUMBER = r"(?P<number>\d[\d,]*(?:\.\d+)?)"
_MONEY = r"(?:[$€£]|EUR |USD |GBP |CHF )?"
_FEW = r"(?:[ \t*`]*(?!or\b|and\b)[\w%°/²³.-]{1,12}){0,2}?[ \t*`]*"
_BELOW = (
    r"\bat least|\b(?:no|not) (?:less|fewer|lower|smaller|shorter) than|\bminimum of|\bstarting (?:at|with)"
    r"|\b(?:less|fewer|lower|smaller|shorter|younger|lighter|cheaper|slower) than|\bbelow|\bunder"
    r"|>=|≥|(?<![<>=])<(?!=)"
)
_ABOVE = (
    r"\bat most|\b(?:no|not) (?:more|higher|larger|longer|older|greater) than|\bup to|\bmaximum of"
    r"|\b(?:more|higher|larger|longer|older|greater|heavier|bigger|faster) than|\bno later than"
    r"|\bover|\babove|\bexceed(?:s|ing)?|<=|≤|(?<![<>=-])>(?!=)"
)
_MORE = r"(?:more|above|over|higher|greater|later|longer|older|larger|heavier|up)"
_LESS = r"(?:less|below|under|lower|fewer|smaller|earlier|shorter|younger|lighter)"
_SAID: tuple[tuple[re.Pattern[str], Line], ...] = (
    (re.compile(rf"(?:{_BELOW})[ \t*`]*{_MONEY}{_NUMBER}(?![\d.:/-]*\d)", re.I), "below"),
    (re.compile(rf"(?:{_ABOVE})[ \t*`]*{_MONEY}{_NUMBER}(?![\d.:/-]*\d)", re.I), "above"),
    (re.compile(rf"(?<![\w.,-]){_NUMBER}{_FEW}\b(?:or|and) {_MORE}\b(?! than)", re.I), "below"),
    (re.compile(rf"(?<![\w.,-]){_NUMBER}{_FEW}\b(?:or|and) {_LESS}\b(?! than)", re.I), "above"),
)
_OPS: dict[type[ast.cmpop], tuple[Line, Line]] = {
    ast.Lt: ("below", "above"),
    ast.GtE: ("below", "above"),
    ast.Gt: ("above", "below"),
    ast.LtE: ("above", "below"),
}
"""Which line a comparison draws: with the number on its right, and on its left."""
_USUAL = frozenset({*range(13), 15, 20, 24, 25, 30, 50, 60, 100, 1000})
"""Numbers that stand in a program for many reasons."""
_MARGIN = re.compile(r"\babs\(|isclose|toler|\btol\b|\beps|diff|err|argv|returncode|timeout|time\(\)", re.I)
_COUNTED = re.compile(r"\blen\(|count|\bsum\(", re.I)
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n")
_STEM = 4
_ADVICE = "Compare as the task says it, or say in the task on which side the bound itself lies."


def read_bounds(module: Module) -> Iterator[Remark]:
    """Each number whose bound is drawn otherwise than the task says."""
    said = _said(module.instruction)
    drawn: dict[float, list[tuple[ast.Compare, Line, str]]] = defaultdict(list)
    for node, number, line, other in _drawn(module):
        drawn[number].append((node, line, other))
    for number, places in drawn.items():
        lines = said.get(number, {})
        [here, *others] = {line for _, line, _ in places}
        if len(lines) != 1 or others or here in lines:
            continue
        [(wanted, words)] = lines.items()
        for node, _, other in places:
            if number not in _USUAL or _stems(other) & _stems(words):
                sides = ("above", "below") if wanted == "below" else ("below", "above")
                yield module.remark(
                    node,
                    Cause.BOUNDARY,
                    "the task counts {:g} itself with what is {} it, and the verifier with what is {}".format(
                        number, *sides
                    ),
                    _ADVICE,
                    Severity.LOW if _judges_answer(module, node) else Severity.MEDIUM,
                )
                break


def _judges_answer(module: Module, node: ast.Compare) -> bool:
    """Is it the answer that is held against the bound, and nothing that the reference follows from?

    Then it matters only for an answer that lies on the bound itself.
    """
    asserted = any(isinstance(around, ast.Assert) for around in module.around(node))
    return asserted or module.of_answer(node) or bool(_COUNTED.search(ast.unparse(node)))


def _said(instruction: str) -> dict[float, dict[Line, str]]:
    """Number -> the lines that the task draws at it, each with its sentence."""
    found: dict[float, dict[Line, str]] = defaultdict(dict)
    for sentence in _SENTENCE.split(instruction):
        for pattern, line in _SAID:
            for match in pattern.finditer(sentence):
                number = float(match["number"].replace(",", "").rstrip("."))
                found[number][line] = f"{found[number].get(line, '')} {sentence}"
    return found


def _drawn(module: Module) -> Iterator[tuple[ast.Compare, float, Line, str]]:
    """Every comparison with a number that is written there, or has a name of its own."""
    for node in module.nodes:
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
            lines = _OPS.get(type(op))
            if lines is None:
                continue
            for number, other, line in ((right, left, lines[0]), (left, right, lines[1])):
                value = _value(module, number)
                text = ast.unparse(other)
                if value is not None and _value(module, other) is None and not _MARGIN.search(text):
                    yield node, value, line, f"{text} {ast.unparse(number)}"


def _value(module: Module, node: ast.expr) -> float | None:
    """The number that stands there: itself, as a Decimal, or by a name that is given once."""
    if (
        isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("Decimal", "D", "float", "int")
        and node.args
    ):
        node = node.args[0]
    if isinstance(node, ast.Name):
        values = list(module.flow.values(node))
        if len(values) != 1 or isinstance(values[0], ast.Name):
            return None
        return _value(module, values[0])
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _stems(text: str) -> set[str]:
    return {word[:_STEM].lower() for word in re.findall(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}", text)}
