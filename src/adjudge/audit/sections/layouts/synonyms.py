"""Words that the task declares to mean the same: whichever an agent takes, it must not lose.

Only what cannot be read otherwise counts: `yes`/`true`/`1` side by side, `A` (alias `B`), "`A` and `B` mean
the same", two options followed by two synonyms, and a sentence that says that case does not matter.
"`A` (or `B`)" and "`A` and `B` are accepted" may name options that exclude each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Document, Leaf, leaves, of_inputs, replaced, sentences
from adjudge.audit.sections.layouts.rewrite import Rewrite
from adjudge.contracts import Severity

_QUOTED = r"[`\"'“‘]([^`\"'“”‘’\n]{1,40})[`\"'”’]"
_TRUE = frozenset({"yes", "true", "y", "1", "on"})
_FALSE = frozenset({"no", "false", "n", "0", "off"})
_CHAIN = re.compile(r"[`\"']?(\w+)[`\"']?(?:\s*(?:/|\||,|,? or)\s*[`\"']?(\w+)[`\"']?)+")
_LINK = re.compile(r"\s*(?:/|\||,? or |,)\s*")
_BRACKET = re.compile(
    rf"{_QUOTED}\s*\((?:also|alias|synonyms?|same as|or equivalently)[:,]?\s*{_QUOTED}\s*\)", re.I
)
_BOTH = re.compile(
    rf"{_QUOTED}\s*(?:and|or)\s*{_QUOTED}\s*(?:are|is)\s*(?:both |equally |also |treated )*"
    r"(?:equivalent|synonym|the same\b|interchangeable|alike)"
    rf"|{_QUOTED}\s*and\s*{_QUOTED}\s*mean the same",
    re.I,
)
_WILL_DO = re.compile(r"\bwill do\b|\bas well\b|\balso (?:fine|accepted|allowed)\b", re.I)
_INSTEAD = re.compile(
    rf"{_QUOTED} (?:may|can) be (?:written|used|given) (?:for|instead of|in place of) {_QUOTED}", re.I
)
_MEANING_THE_SAME = re.compile(r"\bsynonyms?\b|\bequivalent\b|\balternatively\b", re.I)
_ANY_CASE = re.compile(
    r"\bcase[- ]insensitiv|\bnot case[- ]sensitive|\bcase (?:does not|doesn't) matter"
    r"|\b(?:regardless|irrespective) of case|\bignor(?:e|es|ing) case|\bupper[- ]? or lower[- ]?case",
    re.I,
)
_OF_THE_WORK = re.compile(
    r"\b(?:contain|sort|order|search|filter|duplicate|deduplicate|group|find|detect|flag|match|look)(?:s|es|ed|ing)?\b",
    re.I,
)
"""What an agent is to do with its inputs: that case does not matter there says nothing of the answer's."""
_SENTENCES = re.compile(r"(?<=[.!?])\s|\n\s*\n")
_CASE_ASKED = re.compile(
    r"\b(?:in|as|to|with) (?:(?:all|only|small|their) )?(?:lower|upper|capital)[- ]?(?:case|letters?)"
    r"|\b(?:lower|upper)-?cased\b|\bin (?:small |capital )?(?:capitals|letters)\b",
    re.I,
)
"""The task says in which case the answer is to be written."""
_ADVICE = "Accept every word that the task declares to mean the same, in any case if it says so."


def told_synonyms(instruction: str, document: Document) -> Iterator[Rewrite]:
    """The right answer in other words that the instruction allows; `document` is structured."""
    words = [
        leaf for leaf in leaves(document.value) if leaf.kind in ("text", "truth") or leaf.rest is not None
    ]
    groups = list(_groups(instruction))
    changes = [(leaf, other) for leaf in words if (other := _other(leaf, groups)) is not None]
    if changes:
        data = document.render(replaced(document.value, [(leaf.path, other) for leaf, other in changes]))
        shown = ", ".join(dict.fromkeys(f"`{other}`" for _, other in changes[:3]))
        what = f"words that the task calls the same: {shown}"
        yield Rewrite("told-synonyms", what, data, Severity.MEDIUM, _ADVICE, Cause.SPELLING)
    letters = [
        leaf for leaf in words if leaf.kind == "text" and re.fullmatch(r"[A-Za-z][A-Za-z_-]+", leaf.value)
    ]
    said = (part for part in re.split(r"(?<=[.!?;])\s|\n", instruction) if _ANY_CASE.search(part))
    elsewhere = (part for part in re.split(r"(?<=[.!?;])\s", instruction) if not _ANY_CASE.search(part))
    asked = any(_CASE_ASKED.search(part) for part in elsewhere)
    if letters and not asked and any(not _OF_THE_WORK.search(part) for part in said):
        other_case = [(leaf.path, _other_case(leaf.value)) for leaf in letters]
        data = document.render(replaced(document.value, other_case))
        what = "words in another case, which the task allows"
        yield Rewrite("told-case", what, data, Severity.MEDIUM, _ADVICE, Cause.SPELLING)


def _other_case(word: str) -> str:
    return word.lower() if word != word.lower() else word.upper()


def _other(leaf: Leaf, groups: list[list[str]]) -> str | None:
    """Another word of the group in which a leaf's value stands; a truth is no text, and left alone."""
    if leaf.kind == "truth":
        return None
    word = str(leaf.value)
    for group in groups:
        if word in group:
            return next((other for other in group if other.lower() != word.lower()), None)
    return None


def _names_one_of_each(said: str) -> bool:
    """Does a sentence fix the spelling, "`yes` or `no`": one word for true, one for false?"""
    words = {word.lower() for word in re.findall(_QUOTED, said)}
    return len(words & _TRUE) == 1 == len(words & _FALSE)


def _groups(instruction: str) -> Iterator[list[str]]:
    """Words that mean the same in an answer; what a sentence says of the inputs is left out."""
    instruction = "\n\n".join(said for said in _SENTENCES.split(instruction) if not of_inputs(said))
    one_of_two = any(map(_names_one_of_each, sentences(instruction)))
    for chain in [] if one_of_two else _CHAIN.finditer(instruction):
        parts = [part.strip("`\"' ") for part in _LINK.split(chain[0])]
        for family in (_TRUE, _FALSE):
            if len(parts) > 1 and all(part.lower() in family for part in parts):
                yield parts
    for sentence in _SENTENCES.split(instruction):
        words = re.findall(_QUOTED, sentence)
        if _WILL_DO.search(sentence):
            yield from ([w, x] for w in words for x in words if len(x) == 1 < len(w) and w[0] == x)
    for match in _BRACKET.finditer(instruction):
        yield [match[1], match[2]]
    for match in _INSTEAD.finditer(instruction):
        yield [match[1], match[2]]
    for match in _BOTH.finditer(instruction):
        yield [word for word in match.groups() if word]
    for sentence in _SENTENCES.split(instruction):
        mark = _MEANING_THE_SAME.search(sentence)
        if mark is None:
            continue
        before, after = (
            re.findall(_QUOTED, part) for part in (sentence[: mark.start()], sentence[mark.end() :])
        )
        if len(before) == len(after) == 2:
            yield [before[0], after[0]]
            yield [before[1], after[1]]
