"""Rewritings that are worse to lose because the task allows them in words: they become medium."""

from __future__ import annotations

import re

from msgspec.structs import replace

from adjudge.audit.documents import allows, free_order
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.contracts import Severity

_ANY_FENCE = (
    r"\bany (?:kind of |sort of |valid |style of |markdown )?(?:code )?fences?\b"
    r"|\bfence[sd]?\b.{0,80}\bhowever (?:it|they) (?:is|are)"
)
_NO_LABEL = (
    r"\b(?:labell?ed|tagged) or (?:not|un(?:labell?ed|tagged))\b"
    r"|\bun(?:labell?ed|tagged) or (?:labell?ed|tagged)\b"
    r"|\bwith or without (?:a |an |the |its )?(?:\w+ )?(?:label|tag|info string)\b"
    r"|\b(?:label|tag|info string)\b.{0,40}\b(?:optional|left out|not needed|not required|does not matter)\b"
)
_TILDES = r"\btildes?\b.{0,40}\bor\b.{0,20}\bback-?ticks?\b|\bback-?ticks?\b.{0,40}\bor\b.{0,20}\btildes?\b"
_BARE = (
    r"\bwith or without (?:a |the )?(?:code )?fences?\b|\bfenced or (?:not|bare|plain)\b|\bbare or fenced\b"
    r"|\bfences? (?:is|are) optional\b|\bfence\b.{0,40}\b(?:left out|not needed|not required)\b"
    r"|\bbare (?:json|object)\b.{0,40}\b(?:fine|accepted|allowed|as well)\b"
)
_MORE_KEYS = (
    r"\b(?:other|further|additional|extra|more|unknown) (?:[\w-]+ ){0,2}?"
    r"(?:keys?|columns?|fields?|members?|properties|entries)\b"
)
_COMMENTS = r"\bcomments?\b"
_ZEROS = r"\btrailing zero(?:e?s)?\b|\b(?:or more|at least \w+) decimals?\b|\bmore decimals\b"
_POWERS = r"\b(?:scientific|exponential|exponent|e[- ])\s*(?:notation|form)\b"
_WHOLE = (
    r"\b3\.0\b.{0,20}\b3\b|\b(?:whole numbers?|integers?)\b.{0,30}\b(?:decimal point|\.0)\b"
    r"|\bor without (?:a )?decimal point\b"
)
_COLUMNS = (
    r"\b(?:columns?|keys|fields|lines|entries)\b.{0,50}\bany order\b"
    r"|\bany order\b.{0,30}\b(?:columns?|keys|fields|lines)\b"
    r"|\border of (?:the )?(?:columns?|keys|fields|lines)\b"
)
_AROUND = (
    r"\b(?:text|prose|words|explanations?|remarks?|notes?|working)\b.{0,40}"
    r"\b(?:before|after|around|below|above|behind)\b"
)
_MARK = r"\b(?:byte[- ]order mark|BOM)\b"
_QUOTES = r"\b(?:with or without|in) quotes\b|\bquot(?:es|ed|ing)\b|\bRFC ?4180\b"

_RAISED: tuple[tuple[tuple[str, ...], re.Pattern[str], bool], ...] = tuple(
    (names, re.compile(said, re.I), choice)
    for names, said, choice in (
        (("fence-unlabelled", "fence-of-tildes", "fence-longer", "fence-indented"), _ANY_FENCE, True),
        (("fence-unlabelled",), _NO_LABEL, True),
        (("fence-of-tildes",), _TILDES, True),
        (("bare-json",), _BARE, True),
        (("extra-key",), _MORE_KEYS, False),
        (("comment",), _COMMENTS, False),
        (("trailing-zeros",), _ZEROS, False),
        (("exponents",), _POWERS, False),
        (("whole-as-decimal", "decimal-as-whole"), _WHOLE, False),
        (("key-order", "rewritten"), _COLUMNS, False),
        (("prose-after",), _AROUND, False),
        (("byte-order-mark",), _MARK, False),
        (("quoted-texts",), _QUOTES, False),
    )
)
"""Names of rewritings, what a task says that allows them, and whether that is a choice in itself."""


def raised(rewrite: Rewrite, instruction: str) -> Rewrite:
    """The rewriting with its severity as the words of the task make it."""
    if rewrite.severity is not Severity.LOW:
        return rewrite
    in_words = any(
        rewrite.name in names and allows(said, instruction, choice=choice) for names, said, choice in _RAISED
    )
    if in_words or (rewrite.name.startswith("record-order.") and free_order(instruction)):
        return replace(rewrite, severity=Severity.MEDIUM)
    return rewrite
