"""Zeros as computers work them out: 3.6e-15 in place of 0, and the zero with a minus that rounding leaves.

Where a right value is exactly zero, a relative tolerance accepts nothing else. An equilibrium, a difference
or a closed loop rarely comes out at a plain zero, and nobody can see the difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Document, Leaf, leaves, raw_number, replaced, says, unquoted
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.contracts import OutputFormat, Severity

_RESIDUE = 3.6e-15
_WITH_NUMBERS = frozenset(
    {
        *(OutputFormat.JSON, OutputFormat.JSONL, OutputFormat.YAML, OutputFormat.TOML),
        *(OutputFormat.MARKDOWN, OutputFormat.MARKDOWN_JSON),
    }
)
"""Formats that have numbers, or a block that has: elsewhere an exponent is a spelling of its own."""
_ROUNDED = re.compile(
    r"\bround|\bexact|\bcents?\b|\bdecimals?\b|\bdecimal places?\b|\bsignificant\b|\bdigits?\b|\bprecision\b",
    re.I,
)
_BEGINS = re.compile(
    r".*(?:^|_)(?:start|from|begin|first|min|lo|low|lower|origin|index|idx|id|count|[tx]0)(?:_.*)?|time|[txn]|nr|no",
    re.I,
)
_ADVICE = "Add an absolute tolerance for references of zero: math.isclose(x, ref, rel_tol=..., abs_tol=...)."


def residues(instruction: str, kind: OutputFormat, document: Document) -> Iterator[Rewrite]:
    """The right answer with its zeros as they come out of a computation; nothing if it has none.

    Zeros that are counts stay as they are: a whole number is one unless its column has others.
    """
    if kind not in _WITH_NUMBERS or not document.structured or document.by_place:
        return
    zeros = _computed_zeros(leaves(document.value))
    if not zeros:
        return
    if not says(_ROUNDED, instruction):
        data = document.render(replaced(document.value, [(leaf.path, _RESIDUE) for leaf in zeros]))
        what = f"{_RESIDUE:g} in place of 0, as computers work it out"
        yield Rewrite("residues", what, data, Severity.MEDIUM, _ADVICE, Cause.NARROW)
    minus = [(leaf.path, raw_number("-0.0")) for leaf in zeros]
    data = unquoted(document.render(replaced(document.value, minus)))
    advice = "Compare numbers as numbers: -0.0 equals 0.0, and their texts differ."
    what = "-0.0 in place of 0, as rounding leaves it"
    yield Rewrite("minus-zero", what, data, Severity.LOW, advice, Cause.NUMBER_FORMAT)


def _computed_zeros(found: list[Leaf]) -> list[Leaf]:
    """Zeros among decimal numbers, but places and times at which something begins: these are given."""
    numbers = [leaf for leaf in found if leaf.kind == "number" and leaf.rest is None]
    columns: dict[tuple[str, ...], list[Leaf]] = {}
    for leaf in numbers:
        columns.setdefault(_column(leaf), []).append(leaf)
    decimal = {name for name, column in columns.items() if any(_is_decimal(leaf) for leaf in column)}
    return [
        leaf
        for leaf in numbers
        if leaf.number == 0
        and (_column(leaf) in decimal or (decimal and isinstance(leaf.number, float)))
        and not _BEGINS.fullmatch(str(leaf.path[-1]) if leaf.path else "")
        and not _is_scale([other.number for other in columns[_column(leaf)]])
    ]


def _is_decimal(leaf: Leaf) -> bool:
    return isinstance(leaf.number, float) and leaf.number != 0


def _is_scale(column: list[float | int]) -> bool:
    """Do the numbers rise from record to record, as those do by which records are named?"""
    return len(column) > 2 and all(a < b for a, b in pairwise(column))


def _column(leaf: Leaf) -> tuple[str, ...]:
    return tuple("*" if isinstance(step, int) else step for step in leaf.path)
