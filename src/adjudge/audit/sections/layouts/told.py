"""Spellings that the task itself gives: an agent who follows its words to the letter must not lose.

The right answer of a golden, or of the verifier's own constants, is in a spelling that the verifier accepts.
What the instruction shows may be another one: `non-compliant` for `non_compliant`, a typographic minus in its
example, a whole number without a decimal point. Only what differs in nothing but its spelling is tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.documents import (
    Document,
    free_order,
    get,
    leaves,
    lists,
    name_of,
    raw_number,
    replaced,
    sentences,
    slug,
    unquoted,
    whole_number,
)
from adjudge.audit.sections.layouts.residues import residues
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.audit.sections.layouts.synonyms import told_synonyms
from adjudge.contracts import OutputFormat, Severity

_QUOTED = re.compile(r"[`\"'“‘]([^`\"'“”‘’\n]{2,60})[`\"'”’]")
_OPTIONS = re.compile(r"\s*[|/,]\s*|\s+or\s+")
_MINUS = "\N{MINUS SIGN}"
_MINUS_SHOWN = re.compile(rf"^.*{_MINUS}\d.*$", re.MULTILINE)
_NEGATIVE = re.compile(r"(?<![\w.,+-])-(?=\d)")
_LOOSE = frozenset({OutputFormat.MARKDOWN, OutputFormat.TEXT, OutputFormat.CSV})
"""Formats in which a number is text: elsewhere a typographic minus would make it one."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+]00:00)")
_ANY_ISO = re.compile(r"\bISO[ -]?8601\b", re.I)
_ONE_ISO = re.compile(r"SS(?:\.\w+)?['\"]?(?:Z\b|['\"]Z['\"]|[+]00:?00)", re.I)
"""A layout that says how the offset is written: `YYYY-MM-DDTHH:MM:SSZ`."""
_EITHER = re.compile(r"`?Z`?,? or `?\+00:00|`?\+00:00`?,? or `?Z\b", re.I)
_WITH_TIME = re.compile(r"\bwith or without a time\b|\bany ISO[ -]?8601\b", re.I)
_WHOLE = re.compile(r"\b(?:whole|integer) numbers?\b|\bintegers?\b", re.I)
_ROUNDED = re.compile(
    r"\bround|\bexact|\bcents?\b|\bdecimals?\b|\bdecimal places?\b|\bsignificant\b|\bdigits?\b|\bprecision\b",
    re.I,
)
_AT_LEAST = re.compile(
    r"\bat least \w+ (?:decimals?|decimal places?|(?:significant )?(?:figures|digits))\b", re.I
)
_WIDTH = re.compile(
    r"\bindent\w*[^.\n]{0,40}\b(?:two|2|four|4)\b|\b(?:two|2|four|4)[- ](?:space|blank)s?\b", re.I
)
_TOLERANT = re.compile(
    rf"{_AT_LEAST.pattern}|\bwithin\b|\btoleran|\bmore (?:figures|digits|decimals) are\b|±", re.I
)
"""Of a text that is no data, other figures are tried only if the task speaks of them."""
_FREE_BLANKS = re.compile(
    r"\b(?:blanks?|spaces?|white ?space)\b[^.;]{0,40}\baround\b[^.;]{0,40}(?:[=:]|equals?|colon|separator"
    r"|sign)[^.;]{0,60}\b(?:no difference|optional|ignored|not matter|allowed|free|fine|irrelevant|either)\b"
    r"|\bwith or without (?:blanks?|spaces?|white ?space) around\b"
    r"|\b(?:blanks?|spaces?|white ?space) around\b[^.;]{0,40}"
    r"\b(?:is|are) (?:optional|ignored|free|irrelevant)\b",
    re.I,
)
_MARKED = re.compile(r"^([ \t]*[\w.-]+)[ \t]*([=:])[ \t]*(?=\S)", re.M)
_ZEROS_AT_THE_END = re.compile(r"(?<![\w.-])(-?\d+\.\d+?)0+(?![\w.])")
_MANY = r"(?:one|two|three|four|five|six|[1-6])"
_ENOUGH = re.compile(
    rf"\b(?P<one>{_MANY}) decimal(?: place|s| places)?s?\b[^.;]{{0,12}}"
    r"\b(?:is|are) (?:enough|sufficient|fine|plenty)\b"
    rf"|\b(?P<three>{_MANY}) or more decimals?\b|\bat least (?P<four>{_MANY}) decimals?\b"
    rf"|\b(?P<two>{_MANY}) decimals? (?:places? )?(?:will do|suffices?)\b",
    re.I,
)
_WITHIN = re.compile(
    r"\border\b[^.;]{0,40}\b(?:in|within|inside|of) (?:an?|each|every|one|its|the same)\b"
    r"|\binner\b[^.;]{0,40}\border\b|\border\b[^.;]{0,40}\binner\b",
    re.I,
)
_SEVENTH = 2e-7
_ADVICE = "Accept every spelling that the task shows or allows; compare what is meant, not the letters."


def told_spellings(
    instruction: str, text: str, kind: OutputFormat, document: Document | None
) -> Iterator[Rewrite]:
    """The right answer in the spellings of its instruction."""
    loose = document is None or not document.structured or document.by_place
    if kind in _LOOSE and (loose or kind is OutputFormat.CSV):
        yield from _minus(instruction, text)
    if document is not None and loose and _TOLERANT.search(instruction):
        yield from _unrounded(instruction, document)
    yield from _blanks(instruction, text)
    if kind is OutputFormat.CSV or (document is not None and document.by_place):
        yield from _as_programs_write(instruction, text)
    if document is not None and document.structured:
        yield from _words(instruction, document)
        yield from told_synonyms(instruction, document)
        yield from _moments(instruction, document)
        yield from _whole_numbers(instruction, kind, document)
        yield from _stated_decimals(instruction, document)
        yield from _orders(instruction, document)
        yield from _orders_within(instruction, document)
        yield from residues(instruction, kind, document)
        if not loose:
            yield from _unrounded(instruction, document)
        if kind is OutputFormat.YAML and not _WIDTH.search(instruction):
            yield _indented(document)


def _blanks(instruction: str, text: str) -> Iterator[Rewrite]:
    """Lines of names and values without blanks around the mark between them, and with, if either will do."""
    if not _FREE_BLANKS.search(instruction):
        return
    for name, between in (("no-blanks", r"\1\2"), ("blanks", r"\1 \2 ")):
        written = _MARKED.sub(between, text)
        if written != text:
            what = (
                f"{'no blanks' if name == 'no-blanks' else 'blanks'} around the mark between name and value"
            )
            yield Rewrite(f"told-{name}", what, written.encode(), Severity.MEDIUM, _ADVICE, Cause.SPELLING)


def _as_programs_write(instruction: str, text: str) -> Iterator[Rewrite]:
    """Decimal numbers without zeros at the end, as programs print them; not if a task speaks of decimals."""
    written = _ZEROS_AT_THE_END.sub(r"\1", text)
    if written != text and not _ROUNDED.search(instruction):
        what = "numbers as programs print them, 3.5 for 3.50"
        advice = "Compare numbers as numbers, or say in the task with how many decimals they are written."
        yield Rewrite("plain-decimals", what, written.encode(), Severity.LOW, advice, Cause.NUMBER_FORMAT)


def _minus(instruction: str, text: str) -> Iterator[Rewrite]:
    shown = _MINUS_SHOWN.findall(instruction)
    written = _NEGATIVE.sub(_MINUS, text)
    if shown and written != text:
        to_follow = any(
            line.lstrip().startswith("|") for line in shown
        )  # a row of the table that is asked for
        severity = Severity.MEDIUM if to_follow else Severity.LOW
        what = "the minus sign that the task writes"
        yield Rewrite("told-minus", what, written.encode(), severity, _ADVICE, Cause.SPELLING)


def _words(instruction: str, document: Document) -> Iterator[Rewrite]:
    tokens = [part.strip() for token in _QUOTED.findall(instruction) for part in _OPTIONS.split(token)]
    told = {_bare(token): token for token in reversed(tokens) if re.search("[A-Za-z]{2}", token)}
    changes = []
    for leaf in leaves(document.value):
        word = str(leaf.value)
        other = told.get(_bare(word)) if leaf.kind == "text" else None
        if other is not None and other != word and not _stands_in(word, instruction):
            changes.append((leaf.path, other))
    if changes:
        words = ", ".join(dict.fromkeys(f"`{other}`" for _, other in changes[:3]))
        data = document.render(replaced(document.value, changes))
        what = f"words as the task spells them: {words}"
        yield Rewrite("told-words", what, data, Severity.MEDIUM, _ADVICE, Cause.SPELLING)


def _bare(word: str) -> str:
    return re.sub(r"[\W_]+", "", word).lower()


def _stands_in(word: str, instruction: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", instruction) is not None


def _moments(instruction: str, document: Document) -> Iterator[Rewrite]:
    texts = [(leaf.path, str(leaf.value)) for leaf in leaves(document.value) if leaf.kind == "text"]
    moments = [(path, match) for path, text in texts if (match := _MOMENT.fullmatch(text))]
    if moments and _ANY_ISO.search(instruction) and not _ONE_ISO.search(instruction):
        other = {"Z": "+00:00", "+00:00": "Z"}
        data = document.render(replaced(document.value, [(p, f"{m[1]}{other[m[2]]}") for p, m in moments]))
        what = "the same moment with its offset in the other spelling"
        named = all(f"{mark}" in instruction for mark in ("+00:00", "Z"))
        severity = Severity.MEDIUM if named and _EITHER.search(instruction) else Severity.LOW
        yield Rewrite("told-offset", what, data, severity, _ADVICE, Cause.SPELLING)
    days = [(path, f"{text}T00:00:00") for path, text in texts if _DAY.fullmatch(text)]
    if days and _WITH_TIME.search(instruction):
        data = document.render(replaced(document.value, days))
        what = "the same date with a time of day"
        yield Rewrite("told-time", what, data, Severity.MEDIUM, _ADVICE, Cause.SPELLING)


def _stated_decimals(instruction: str, document: Document) -> Iterator[Rewrite]:
    """Numbers with as many decimals as the task says will do, where the reference has more."""
    match = _ENOUGH.search(instruction)
    if match is None:
        return
    decimals = whole_number(next(said for said in match.groups() if said))
    changes = [
        (leaf.path, raw_number(f"{leaf.number:.{decimals}f}"))
        for leaf in leaves(document.value)
        if leaf.kind == "number" and leaf.rest is None and isinstance(leaf.number, float)
        if round(leaf.number, decimals) != leaf.number
    ]
    if changes:
        data = unquoted(document.render(replaced(document.value, changes)))
        what = f"numbers with {decimals} decimals, which the task says are enough"
        advice = "Grant half a unit of the last decimal that the task asks for."
        yield Rewrite("told-decimals", what, data, Severity.MEDIUM, advice, Cause.NARROW)


def _orders(instruction: str, document: Document) -> Iterator[Rewrite]:
    """The only list of an answer in the opposite order, if the task allows any; of several those it names."""
    found = [path for path in lists(document.value) if not any(isinstance(step, int) for step in path)]
    if len(found) > 1:
        said = [part for part in sentences(instruction) if free_order(part)]
        found = [path for path in found if path and any(f"`{path[-1]}`" in part for part in said)]
    elif not free_order(instruction):
        return
    for path in found:
        items = get(document.value, path)
        if items[::-1] != items:
            data = document.render(replaced(document.value, [(path, items[::-1])]))
            what = f"the items of {name_of(path)} in the opposite order, since any will do"
            name = "told-order" if len(found) == 1 else f"told-order.{slug(path)}"
            yield Rewrite(name, what, data, Severity.MEDIUM, _ADVICE, Cause.ORDER)


def _orders_within(instruction: str, document: Document) -> Iterator[Rewrite]:
    """The lists within a list, each in the opposite order, if a sentence says that any will do in one."""
    if not any(free_order(part) and _WITHIN.search(part) for part in sentences(instruction)):
        return
    inner = [path for path in lists(document.value) if any(isinstance(step, int) for step in path)]
    turned = [(path, get(document.value, path)[::-1]) for path in inner]
    plain = [(path, items) for path, items in turned if not any(isinstance(item, list) for item in items)]
    if all(len(items) == 2 and all(isinstance(item, int | float) for item in items) for _, items in plain):
        return  # a beginning and an end, or a place: the order tells which is which
    if any(items[::-1] != items for _, items in plain):
        data = document.render(replaced(document.value, plain))
        what = "what stands within each item in the opposite order, since any will do"
        yield Rewrite("told-order-within", what, data, Severity.MEDIUM, _ADVICE, Cause.ORDER)


def _indented(document: Document) -> Rewrite:
    """YAML with lines indented by four blanks, unless the task says how far."""
    import yaml

    written: str = yaml.safe_dump(document.value, indent=4, sort_keys=False, allow_unicode=True, width=1000)
    advice = "Read YAML with a parser of it; how far a line is indented tells only what stands below what."
    return Rewrite("indented", "lines indented by four blanks", written.encode(), Severity.MEDIUM, advice)


def _unrounded(instruction: str, document: Document) -> Iterator[Rewrite]:
    """Decimal numbers with more figures than the reference has, unless the task says how many.

    Those with one or two decimals may be exact, such as prices.
    """
    if _ROUNDED.search(_AT_LEAST.sub("", instruction)):
        return
    changes = [
        (leaf.path, float(f"{leaf.number * (1 + _SEVENTH):.9g}"))
        for leaf in leaves(document.value)
        if leaf.kind == "number" and leaf.rest is None and isinstance(leaf.number, float)
        if leaf.number != round(leaf.number, 2)
    ]
    if changes:
        data = document.render(replaced(document.value, changes))
        what = "decimal numbers that differ in the seventh figure, as computers work them out"
        advice = "Compare with a tolerance, or say in the task to how many decimals numbers are rounded."
        yield Rewrite("unrounded", what, data, Severity.MEDIUM, advice, Cause.NARROW)


def _whole_numbers(instruction: str, kind: OutputFormat, document: Document) -> Iterator[Rewrite]:
    changes = [
        (leaf.path, int(leaf.number))
        for leaf in leaves(document.value)
        if leaf.kind == "number" and leaf.rest is None and isinstance(leaf.number, float)
        if leaf.number.is_integer() and abs(leaf.number) < 1e15
    ]
    if changes and _WHOLE.search(instruction) and kind is not OutputFormat.CSV:
        data = document.render(replaced(document.value, changes))
        what = "whole numbers, as the task calls them, without a decimal point"
        yield Rewrite("told-whole", what, data, Severity.MEDIUM, _ADVICE, Cause.SPELLING)
