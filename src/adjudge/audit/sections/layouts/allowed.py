"""Spellings that a task allows in words: "decimal point or comma", "numbers or strings", "the unit first".

The right answer of a golden is in one of them; an agent may choose the other, and must not lose by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Document, leaves, replaced, says, write_number
from adjudge.audit.sections.layouts.cycles import allowed_cycles
from adjudge.audit.sections.layouts.dates import allowed_dates
from adjudge.audit.sections.layouts.instants import allowed_instants
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.audit.sections.layouts.rounded import rounded_as_asked
from adjudge.audit.sections.layouts.rows import allowed_rows
from adjudge.audit.sections.layouts.values import allowed_values
from adjudge.contracts import OutputFormat, Severity

_ADVICE = "Accept every spelling that the task allows; compare what is meant, not the letters."
_WITHIN = r"(?:[^.;]|\.\d){0,80}?"
"""More of the same sentence: a point before a digit does not end it."""
_COMMA = re.compile(
    r"\b(?:point|dot)s? or (?:a |an |as |with )?(?:decimal )?commas?\b"
    r"|\b(?:decimal )?commas? or (?:a |an |as |with )?(?:decimal )?(?:points?|dots?)\b"
    r"|\bdecimal commas? (?:is|are|may|can|will do)\b|\baccepts? (?:a )?decimal commas?\b",
    re.I,
)
_SEPARATORS = re.compile(
    r"\bwith or without thousands?[- ]separators?\b"
    r"|\bthousands?[- ]separators?\b[^.;]{0,40}\b(?:are|is|may be)"
    r" (?:allowed|accepted|fine|used|ignored|optional)\b"
    r"|\b(?:may|can) (?:use|have|contain) (?:a )?thousands?[- ]separators?\b"
    rf"|\b(?:may|can)\b{_WITHIN}\bcommas? (?:for|as|between|in) (?:the )?thousands\b"
    rf"|\bcommas? (?:for|as|between|in) (?:the )?thousands\b{_WITHIN}\b(?:allowed|accepted|fine|ignored)\b",
    re.I,
)
_SIGN = re.compile(rf"\b(?:may|can)\b{_WITHIN}([€$£])\S?\s(?:before|in front)", re.I)
_EITHER_TYPE = re.compile(
    r"\bnumbers? or (?:as )?(?:strings?|texts?)\b|\b(?:strings?|texts?) or (?:as )?(?:plain )?numbers?\b"
    r"|\bwith or without quotes\b|\bquoted or (?:not|unquoted|plain)\b",
    re.I,
)
_UNIT_BEFORE = re.compile(
    r"\bunits?\b[^.;]{0,60}\bbefore\b|\bbefore or (?:after|behind)\b[^.;]{0,60}\bunits?\b", re.I
)
_NO_UNIT = re.compile(
    r"\bwith or without (?:the |its |their |an? )?units?\b"
    r"|\bunits?\b[^.;]{0,60}\b(?:left out|optional|omitted|not needed|need not)\b"
    r"|\bleft out\b[^.;]{0,60}\bunits?\b",
    re.I,
)
_DECIMAL = re.compile(r"(?<![\w.,])(-?\d+)\.(\d+)(?![\w.,]*\d)")
_LARGE = re.compile(r"(?<![\w.,])(-?\d{4,})(?=(?:\.\d+)?(?![\w.,]*\d))")
_AMOUNT = re.compile(r"(?<![\w.,€$£-])\d+\.\d\d(?![\w.,]*\d)")
_LINE = re.compile(
    r"^(?P<label>[^\d\n:=|]*[^\s\d:=|])(?P<mark>\s*[:=]\s*)(?P<number>-?\d[\d.,]*)"
    r"[ \t]*(?P<unit>[^\s\d]\S{0,15})$",
    re.M,
)
_NUMERIC = re.compile(r"-?\d+(?:\.\d+)?")
_PROSE = frozenset({OutputFormat.MARKDOWN, OutputFormat.TEXT})


def allowed_spellings(
    instruction: str, text: str, kind: OutputFormat, document: Document | None
) -> Iterator[Rewrite]:
    """The right answer in each spelling that its instruction allows."""
    structured = document is not None and document.structured
    if kind in _PROSE and (document is None or not structured or document.by_place):
        for name, what, pattern, change in _IN_PROSE:
            if says(pattern, instruction) and (other := change(text)) != text:
                yield Rewrite(name, what, other.encode(), Severity.MEDIUM, _ADVICE, Cause.SPELLING)
        yield from _signs(instruction, text)
    yield from allowed_dates(instruction, text)
    if document is not None and structured:
        if kind is not OutputFormat.CSV:
            yield from _other_types(instruction, document)
        yield from allowed_values(instruction, kind, document)
        yield from rounded_as_asked(instruction, document)
        yield from allowed_instants(instruction, document)
        yield from allowed_cycles(instruction, document)
        yield from allowed_rows(instruction, text, kind, document)


def _signs(instruction: str, text: str) -> Iterator[Rewrite]:
    """The currency sign that may stand before an amount."""
    match = _SIGN.search(instruction)
    if match is not None and says(_SIGN, instruction) and _AMOUNT.search(text):
        data = _AMOUNT.sub(rf"{match[1]}\g<0>", text).encode()
        what = f"{match[1]} before the amounts, which the task allows"
        yield Rewrite("allowed-sign", what, data, Severity.MEDIUM, _ADVICE, Cause.SPELLING)


def _other_types(instruction: str, document: Document) -> Iterator[Rewrite]:
    """Numbers that are written as texts as numbers, and the other way round."""
    if not says(_EITHER_TYPE, instruction):
        return
    numbers = [
        (leaf.path, float(leaf.value) if "." in leaf.value else int(leaf.value))
        for leaf in leaves(document.value)
        if isinstance(leaf.value, str) and _NUMERIC.fullmatch(leaf.value)
    ]
    texts = [
        (leaf.path, write_number(leaf.number))
        for leaf in leaves(document.value)
        if leaf.kind == "number" and leaf.rest is None and not isinstance(leaf.value, str)
    ]
    for name, changes in (("numbers", numbers), ("texts", texts)):
        if changes:
            data = document.render(replaced(document.value, changes))
            what = f"numbers as {name}, which the task allows"
            yield Rewrite(f"allowed-{name}", what, data, Severity.MEDIUM, _ADVICE, Cause.SPELLING)


def _with_comma(text: str) -> str:
    return _DECIMAL.sub(r"\1,\2", text)


def _with_separators(text: str) -> str:
    return _LARGE.sub(lambda match: f"{int(match[1]):,}", text)


def _unit_first(text: str) -> str:
    return _LINE.sub(r"\g<label> (\g<unit>)\g<mark>\g<number>", text)


def _without_unit(text: str) -> str:
    return _LINE.sub(r"\g<label>\g<mark>\g<number>", text)


_IN_PROSE: tuple[tuple[str, str, re.Pattern[str], Callable[[str], str]], ...] = (
    ("allowed-comma", "decimal commas, which the task allows", _COMMA, _with_comma),
    ("allowed-separators", "thousands separators, which the task allows", _SEPARATORS, _with_separators),
    ("allowed-unit-first", "the unit before the value, as the task allows", _UNIT_BEFORE, _unit_first),
    ("allowed-no-unit", "no unit, as the task allows", _NO_UNIT, _without_unit),
)
