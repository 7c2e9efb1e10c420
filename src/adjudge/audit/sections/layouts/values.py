"""Single values in another spelling that the task allows, both ways where it names two.

Each spelling is one rule: what the task must say, and what it makes of a value (`spelt`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from msgspec import Struct

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Document, allows, leaves, replaced, unquoted
from adjudge.audit.sections.layouts import spelt
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.audit.sections.layouts.spelt import Change, value_of
from adjudge.contracts import OutputFormat, Severity

_ADVICE = "Accept every spelling that the task allows; compare what is meant, not the letters."


def allowed_values(instruction: str, kind: OutputFormat, document: Document) -> Iterator[Rewrite]:
    """The right answer with values in each spelling that its instruction allows; `document` is structured."""
    loose = kind is OutputFormat.CSV or document.by_place
    values = [value_of(leaf, loose=loose) for leaf in leaves(document.value)]
    for rule in _RULES:
        if not allows(rule.said, instruction, choice=rule.choice):
            continue
        made = [(one, rule.change(one)) for one in values]
        changes = [(one.leaf.path, new) for one, new in made if new is not None and new != one.text]
        if changes:
            data = unquoted(document.render(replaced(document.value, changes)))
            what = f"{rule.what}, which the task allows"
            yield Rewrite(f"allowed-{rule.name}", what, data, Severity.MEDIUM, _ADVICE, Cause.SPELLING)


class _Rule(Struct, frozen=True):
    """A spelling: its name, what it is called, what a task must say, and what it makes of a value.

    With `choice` the words themselves give the choice ("12.5% or 0.125"); without it something else in the
    sentence must allow it ("may be", "optional").
    """

    name: str
    what: str
    said: re.Pattern[str]
    change: Change
    choice: bool = False


def _either(one: str, other: str, between: str = r",? (?:or|/) (?:(?:as|in|with|the|an?) )*") -> str:
    """The one or the other, in either order."""
    return rf"(?:{one}){between}(?:{other})|(?:{other}){between}(?:{one})"


def _rules(said: str, *ways: tuple[str, str, Change], choice: bool = False) -> list[_Rule]:
    pattern = re.compile(said, re.I)
    return [_Rule(name, what, pattern, change, choice) for name, what, change in ways]


_NEAR = r".{0,60}?\b(?:or|as well as)\b.{0,60}?"
_GROUPING = (
    r"\bthousands?[- ]separators?\b|\bcommas? (?:as|for|between|in|to separate) (?:the )?thousands\b"
    r"|\bseparators? (?:for|of|between) (?:the )?thousands\b|\bdigit grouping\b|\bgrouping of digits\b"
)
_RATIO = r"\b(?:fractions?|ratios?|decimals?|shares?|plain numbers?)\b|\b0\.\d+"
_PERCENT = r"\bper ?cent\b.{0,30}\bsign\b|\d ?%|\bpercent signs?\b|\bwith (?:a |the )?%"
_CLOCK = r"[`\"']?HH?:MM[`\"']?"
_FULL = r"\b(?:in full|full (?:names?|forms?)|long (?:names?|forms?)|spelled out|Monday|January)\b[`\"']?"
_SHORT = r"[`\"']?\b(?:abbreviat\w+|short(?:ened)?|short (?:names?|forms?)|(?:3|three) letters|Mon|Jan)\b"
_BLANKS = r"\b(?:white ?space|blanks?|spaces?)\b"
_BY_RANGE, _ONE_BY_ONE = (
    r"\d ?[-–] ?\d[`\"']?|\branges?\b",
    r"[`\"']?\d, ?\d|\b(?:lists?|one by one|commas)\b",
)
_UNITLESS = (
    r"\bwith or without (?:the |its |their |an? )?units?\b|\bunits?\b.{0,60}"
    r"\b(?:left out|optional|omitted|not needed|need not)\b|\bleft out\b.{0,60}\bunits?\b"
)
_RULES: tuple[_Rule, ...] = (
    *_rules(
        _GROUPING,
        ("separators", "thousands separators", spelt.grouped),
        ("no-separators", "no thousands separators", spelt.ungrouped),
    ),
    *_rules(
        _either(r"\b(?:points?|dots?)", r"\b(?:decimal )?commas?\b")
        + r"|\bdecimal commas? (?:is|are) (?:also |fine)",
        ("comma", "decimal commas", spelt.comma),
        choice=True,
    ),
    *_rules(
        _either(_RATIO, _PERCENT, _NEAR),
        ("percent", "ratios in percent", spelt.percent),
        ("no-percent", "percent as fractions of one", spelt.no_percent),
        choice=True,
    ),
    *_rules(
        _either(r"\bminus\b|-\d+", r"\b(?:brackets|parenthes[ie]s)\b|\(\d[\d.]*\)", _NEAR),
        ("brackets", "negative amounts in brackets", spelt.bracketed),
        choice=True,
    ),
    *_rules(
        r"\b(?:plus signs?|leading plus|leading \+)|\bsigns? of (?:a )?positive|[`\"']\+[`\"']",
        ("plus", "a plus sign", spelt.with_plus),
        ("no-plus", "no plus sign", spelt.without_plus),
    ),
    *_rules(
        r"\b(?:scientific|exponential|exponent|e[- ])\s*(?:notation|form)\b|\bexponents\b|\bpowers of ten\b",
        ("exponents", "scientific notation", spelt.power),
    ),
    *_rules(
        _either(r"\bfractions?\b[^.]{0,20}|\d+/\d+[`\"']?", r"\bdecimals?\b|\b0\.\d+", r"\W{0,3}or .{0,30}?"),
        ("fractions", "fractions such as 3/8", spelt.fraction),
        choice=True,
    ),
    *_rules(
        r"\bleading zero(?:e?s)?\b",
        ("no-zeros-before", "no leading zeros", spelt.no_zero_before),
        ("zeros-before", "leading zeros", spelt.zero_before),
    ),
    *_rules(
        r"\bwith or without (?:the )?seconds\b|\bseconds (?:are|is) optional\b|HH?:MM\[:SS\]"
        r"|\bseconds (?:may|can) be (?:left out|omitted)|" + _either(_CLOCK, r"[`\"']?HH?:MM:SS[`\"']?"),
        ("seconds", "times with seconds", spelt.with_seconds),
        ("no-seconds", "times without seconds", spelt.without_seconds),
        choice=True,
    ),
    *_rules(
        _either(
            r"\b(?:24|twenty-four)[- ]hours?\b.{0,20}|\b[0-2]\d:\d\d[`\"']?",
            r"\b(?:12|twelve)[- ]hours?\b|[`\"']?\d:\d\d ?[ap]m|\bam/pm",
        )
        + r"|\bam/pm (?:is|are|may|will)\b",
        ("half-day", "times with am and pm", spelt.half_day),
        choice=True,
    ),
    *_rules(
        _either(_FULL, _SHORT),
        ("long-names", "days or months in full", spelt.name_in_full),
        ("short-names", "days or months cut to three letters", spelt.name_cut),
        choice=True,
    ),
    *_rules(
        _either(r"\b(?:digits?|figures|numerals?)\b", r"\b(?:words?|number words)\b"),
        ("words", "numbers in words", spelt.in_words),
        choice=True,
    ),
    *_rules(
        _either(r"\broman\b(?: numerals?| numbers?)?", r"\b(?:arabic|plain numbers?|digits)\b"),
        ("roman", "Roman numerals", spelt.roman),
        ("arabic", "Arabic numerals", spelt.arabic),
        choice=True,
    ),
    *_rules(
        r"\bumlauts?\b.{0,40}\b[aou]e\b"
        r"|\b[aou]e\b[`\"']?,?.{0,20} (?:for|instead of|in place of) .{0,20}(?:[äöü]|umlauts?)",
        ("no-umlauts", "ae for an umlaut", spelt.no_umlauts),
    ),
    *_rules(
        r"\b(?:accents?|diacritics?|diacritical marks)\b",
        ("no-accents", "letters without accents", spelt.no_accents),
    ),
    *_rules(
        rf"\b(?:surrounding|extra|stray|leading (?:and|or) trailing) {_BLANKS}"
        rf"|{_BLANKS} around (?:the )?(?:values|cells|fields|entries|commas?|semicolons?|separators?)\b",
        ("padding", "blanks around the values", spelt.padded),
    ),
    *_rules(
        _either(_BY_RANGE, _ONE_BY_ONE, _NEAR),
        ("spelled-out", "ranges number by number", spelt.spelled_out),
        ("ranges", "numbers in a row as a range", spelt.as_range),
        choice=True,
    ),
    *_rules(
        _either(_BLANKS, r"\bunderscores?\b"),
        ("underscores", "underscores for blanks", partial(spelt.joined, " ", "_")),
        ("blanks", "blanks for underscores", partial(spelt.joined, "_", " ")),
        choice=True,
    ),
    *_rules(
        _either(r"\b(?:hyphens?|dashes)\b", r"\bunderscores?\b"),
        ("underscores", "underscores for hyphens", partial(spelt.joined, "-", "_")),
        ("hyphens", "hyphens for underscores", partial(spelt.joined, "_", "-")),
        choice=True,
    ),
    *_rules(_UNITLESS, ("unitless", "values without their unit", spelt.no_unit), choice=True),
)
