"""Numbers rounded as the task asks: to so many decimals or figures, to the nearest ten, to the cent.

Who rounds as told must not lose; the right answer of a golden, or of the constants of a verifier, often has
more figures. What a sentence says of a field that it names goes before what is said of all. A number in the
middle between two is left out, since it may be rounded either way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal

from adjudge.audit.causes import Cause
from adjudge.audit.documents import (
    Document,
    Leaf,
    headed_blocks,
    leaves,
    named_fields,
    raw_number,
    replaced,
    unquoted,
    whole_number,
)
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.contracts import Severity

_MANY = r"(?:no|one|two|three|four|five|six|[0-6])"
_NEAREST = {
    "ten": "10",
    "hundred": "100",
    "thousand": "1000",
    "tenth": "0.1",
    "hundredth": "0.01",
    "whole number": "1",
    "integer": "1",
    "unit": "1",
    "cent": "0.01",
    "penny": "0.01",
}
_DECIMALS = re.compile(
    rf"\b(?P<count>{_MANY})(?: or more)? (?:decimals?|decimal places?|d\.?p\.?|places)\b", re.I
)
_FIGURES = re.compile(
    rf"\b(?P<count>{_MANY})(?: or more)? significant (?:figures?|digits?)|\b(?P<short>[1-6]) ?s\.?f\.?\b",
    re.I,
)
_TO_NEAREST = re.compile(
    rf"\bto the (?:nearest|next|closest) (?P<step>\d+(?:\.\d+)?\b|{'|'.join(_NEAREST)})"
    r"|\bto (?:the|a) (?P<coin>cent|penny)\b|\b(?:as|to) (?P<whole>whole|full) (?:numbers?|euros?|units?)\b",
    re.I,
)
_ASKED = re.compile(
    r"\b(?:give|given|gives|write|written|report\w*|round\w*|stat(?:e|ed)|answers?|to|with|in|at least)\b",
    re.I,
)
_NOT_OF_ANSWERS = re.compile(
    r"\b(?:intermediate|internal\w*|unrounded|(?:not|never|without) (?:be )?round\w*|before rounding|carry"
    r"|was|were|had|inputs?|source|exact(?:ly)?"
    r"|(?:table|data|file|log|readings?) (?:has|have|shows?|are|is|gives?))\b",
    re.I,
)
_ALL = re.compile(r"\b(?:numbers?|values?|figures|amounts|results?|everything|answers?|all)\b", re.I)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z`\"])")
_ADVICE = "Grant half a unit of the last figure that the task asks for."


def rounded_as_asked(instruction: str, document: Document) -> Iterator[Rewrite]:
    """The right answer with its numbers rounded as the task says; `document` is structured."""
    found = [
        leaf
        for leaf in leaves(document.value)
        if leaf.kind == "number" and not leaf.rest and leaf.path and isinstance(leaf.number, float)
    ]
    names = {
        leaf: str(next((s for s in reversed(leaf.path) if not isinstance(s, int)), "")) for leaf in found
    }
    keys = sorted(set(names.values()) - {""})
    steps = {key: _step_of(instruction, key, keys) for key in keys}
    changes = []
    for leaf in found:
        kind, size = steps.get(names[leaf]) or ("", Decimal(0))
        written = _rounded(leaf, kind, size) if kind else None
        if written is not None:
            changes.append((leaf.path, raw_number(written)))
    if changes:
        data = unquoted(document.render(replaced(document.value, changes)))
        what = "numbers rounded as the task asks"
        yield Rewrite("told-rounded", what, data, Severity.MEDIUM, _ADVICE, Cause.NARROW)


def _step_of(instruction: str, key: str, keys: list[str]) -> tuple[str, Decimal] | None:
    """How a field is to be rounded: in words that name it, else in those that name none; None for several."""
    own, common = [], []
    for block, head in headed_blocks(instruction, keys):
        for said in _SENTENCE.split(block):
            step = _step(said) if _ASKED.search(said) and not _NOT_OF_ANSWERS.search(said) else None
            named = named_fields(said, keys) or head
            if step is not None and key in named:
                own.append(step)
            elif step is not None and not named and _ALL.search(said):
                common.append(step)
    found = own or common
    return found[0] if len(set(found)) == 1 else None


def _step(said: str) -> tuple[str, Decimal] | None:
    """`("decimals", 2)`, `("figures", 3)` or `("nearest", 10)`; None for no, or for several of them."""
    found: list[tuple[str, Decimal]] = []
    for match in _FIGURES.finditer(said):
        found.append(("figures", Decimal(whole_number(match["count"] or match["short"]))))
    for match in _DECIMALS.finditer(said):
        found.append(("decimals", Decimal(whole_number(match["count"]))))
    for match in _TO_NEAREST.finditer(said):
        word = (match["step"] or match["coin"] or "unit").lower()
        found.append(("nearest", Decimal(_NEAREST.get(word, word))))
    return found[0] if len(set(found)) == 1 and found[0][1] >= 0 else None


def _rounded(leaf: Leaf, kind: str, size: Decimal) -> str | None:
    """The number as text, rounded; None if that changes nothing, makes it zero, or could go either way."""
    number = Decimal(repr(float(leaf.number)))
    if not number or (kind != "decimals" and not size):
        return None
    step = size if kind == "nearest" else Decimal(1).scaleb(-int(size))
    if kind == "figures":
        step = Decimal(1).scaleb(number.adjusted() - int(size) + 1)
    whole = (number / step).quantize(Decimal(1), ROUND_HALF_UP)
    new = whole * step
    if new == number or not new or abs(number / step - whole) == Decimal("0.5"):
        return None
    return f"{new:f}"
