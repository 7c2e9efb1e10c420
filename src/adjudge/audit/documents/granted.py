"""What a task grants or rules out in its own words, so that a verifier which keeps to them is not blamed."""

from __future__ import annotations

import re

from adjudge.audit.documents.allowances import unwrapped

_BYTES = re.compile(
    r"\b(?:byte|bit|character)[- ](?:for|by)[- ](?:byte|bit|character)\b"
    r"|\b(?:byte|bit)[- ](?:exact|identical|perfect)"
    r"|\b(?:identical|exact|right|equal) to the (?:last )?byte\b"
    r"|\b(?:check|comparison) is exact[:,;]? (?:and )?any other\b"
    r"|\b(?:compared|checked|matched) by (?:its |the |a )?(?:sha-?\d*|md5|digest|hash|checksum)\b",
    re.I,
)
_EXPRESSIONS = re.compile(
    r"\b(?:arithmetic(?:al)?|numeric(?:al)?|mathematical) expressions?\b|\bexpressions? (?:such as|like)\b"
    r"|\b(?:or|may be|as|accepts?|allows?) (?:an? |any )?(?:sums?|expressions?)\b",
    re.I,
)
_DENIED = re.compile(r"\b(?:not|never|no)\b|n't\b", re.I)
_FACTOR = re.compile(r"\bfactors? of\s+(\d+(?:\.\d+)?|two|three|four|five|ten)\b", re.I)
_FACTORS = {"two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "ten": 10.0}
_WITHIN = re.compile(r"\bwithin\b|\bup to\b|\bat most\b|\baccept|\btolerat|\bright\b|\bcorrect\b", re.I)
_SLACK = 1.1
"""The right answer of a golden may be off by a tenth itself, and a wrong one begins behind that."""
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n\s*\n|\n(?=[-*|] )")
_ANY = re.compile(
    r"\bany (?:\w+ )?(?:order(?:ing)?|sequence) (?:in which|that|such that|where|so that|as long as"
    r"|provided|which|consistent|compatible|of \w+ (?:in which|that|such that))\b"
    r"|\bany (?:valid|legal|feasible|topological|correct) (?:\w+ )?(?:order|sequence|sort)"
    r"|\b(?:several|more than one|many|different) (?:\w+ )?(?:orders|orderings|sequences)\b[^.]{0,60}\bany\b"
    r"|\border(?:ing)?s?\b[^.]{0,80}\bany (?:of them|one of them|such order|that works)\b",
    re.I,
)
_PRECEDES = re.compile(
    r"\bafter\b|\bbefore\b|\bpreced|\bdepend|\bprerequisite|\btopological|\bneeds?\b|\brequires?\b", re.I
)


_PATTERN = re.compile(r"\bregular\s+expression|\bregex|\bglob\s+pattern|\bpattern\b[^.]{0,40}\bmatch", re.I)
_META = re.compile(r"[\[\]\\^$*+?|]|\(\?")
_EXACT_FORM = re.compile(
    r"\b(?:in|of|with|has|have) exactly (?:this|the following|that) (?:form|format|layout|shape)\b"
    r"|\bexactly (?:in|as) (?:this|the (?:form|format|layout)|shown)\b",
    re.I,
)


def says(words: re.Pattern[str], instruction: str) -> bool:
    """Does a sentence of the task say this, and nothing before it that denies it?"""
    return any(
        (match := words.search(said)) is not None and not _DENIED.search(said[: match.start()])
        for said in _SENTENCE.split(unwrapped(instruction))
    )


def compared_by_bytes(instruction: str) -> bool:
    """Does the task say that the output is compared byte for byte, so that any other spelling is wrong?"""
    return says(_BYTES, instruction)


def asks_for_pattern(instruction: str) -> bool:
    """Does the task ask for a regular expression, or another pattern that something has to match?"""
    return _PATTERN.search(instruction) is not None


def is_pattern(instruction: str, text: str) -> bool:
    """Is the answer one regular expression? What stands in it are no values of the answer."""
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) == 1 and bool(_PATTERN.search(instruction)) and bool(_META.search(lines[0]))


def exact_form(instruction: str) -> bool:
    """Does the task ask for a layout to the letter, so that other spellings of the format are wrong?"""
    return says(_EXACT_FORM, instruction)


def expressions_allowed(instruction: str) -> bool:
    """Does the task say that a number may be written as something to work out?"""
    return says(_EXPRESSIONS, instruction)


def stated_factor(instruction: str) -> float | None:
    """The largest factor within which a value is right, as the task says; None if it says nothing of it."""
    found = [
        float(_FACTORS.get(match[1].lower(), match[1]))
        for said in _SENTENCE.split(unwrapped(instruction))
        if _WITHIN.search(said)
        for match in _FACTOR.finditer(said)
    ]
    return max(found) if found else None


def within_factor(instruction: str, number: float, right: float) -> bool:
    """Is a number about as near to the right one as the factor that the task grants?"""
    factor = stated_factor(instruction)
    if factor is None or not right or number / right <= 0:
        return False
    return 1 / (factor * _SLACK) <= number / right <= factor * _SLACK


def conditioned_order(instruction: str) -> bool:
    """Does the task take any order that keeps to a condition ("any order in which each comes after ...")?"""
    return _ANY.search(unwrapped(instruction)) is not None


def partial_order(instruction: str) -> bool:
    """Does that condition say what comes before what, so that some two neighbours may change places?

    Two orders that both keep to such a condition are joined by exchanges of neighbours that keep to it. So if
    there is a second one, one exchange of the first is right as well.
    """
    return (
        _ANY.search(unwrapped(instruction)) is not None
        and _PRECEDES.search(unwrapped(instruction)) is not None
    )
