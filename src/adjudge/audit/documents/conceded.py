"""What a task says does not count in its answers: signs, the rest of a code, several candidates.

A verifier that keeps to such words is not blamed for it. A sentence that denies them before it says them
concedes nothing.
"""

from __future__ import annotations

import re

from adjudge.audit.documents.allowances import sentences, unwrapped
from adjudge.audit.documents.granted import says
from adjudge.audit.documents.numerals import NUMERALS, whole_number

_NO_ACCOUNT = (
    r"(?:not (?:be )?(?:looked at|compared|checked|considered|counted|graded|marked|scored|relevant)"
    r"|(?:do|does|will|need) ?n(?:o|')t (?:matter|count|agree)|ignored|disregarded|dropped|irrelevant|free"
    r"|up to you|yours|your choice|your own|of no (?:importance|consequence|account|interest|concern)"
    r"|makes? no difference|left to you)"
)
_MAGNITUDES = r"(?:magnitudes?|absolute values?|moduli|modulus)"
_OTHER_SIGNS = ("percent", "currency", "dollar", "euro", "pound", "degree", "plus", "equals", "equal", "hash")
_SIGN_FREE = re.compile(
    rf"{''.join(rf'(?<!{mark} )' for mark in _OTHER_SIGNS)}\bsigns?\b[^.;\n]{{0,60}}\b{_NO_ACCOUNT}\b"
    r"|\b(?:regardless|irrespective|whatever|independent(?:ly)?) (?:of )?(?:the |its |their )?signs?\b"
    rf"|\b(?:only|just)\b[^.;\n]{{0,30}}\b{_MAGNITUDES}\b"
    rf"|\b{_MAGNITUDES}\b[^.;\n]{{0,40}}\b(?:is|are)\b[^.;\n]{{0,12}}\b(?:compared|checked|graded|scored)\b"
    r"|\b(?:with|of|in|has|have) (?:any|either) sign\b|\beither sign\b|\bup to (?:the |its |a )?sign\b"
    r"|\bpositive or negative\b[^.;\n]{0,40}\b(?:alike|both|either|same)\b",
    re.I,
)
_PART = r"(?:digits?|letters?|characters?|part|suffix|prefix)"
_COUNTS = r"(?:counts?|matters?|(?:is|are|will be) (?:compared|checked|looked at|graded|read|scored|used))"
_PLACE = r"(?:before|after|behind|in front of|up to|left of|right of)"
_PART_COUNTS = re.compile(
    rf"\bonly (?:the |its |their )?(?:first|last|final|leading|trailing|left|right|middle)[- ]?(?:hand)?"
    rf"[\w -]{{0,20}}\b{_PART}\b[^.;\n]{{0,50}}\b{_COUNTS}\b"
    rf"|\bonly (?:the )?(?:{_PART}|what (?:stands|comes|is)) {_PLACE}\b[^.;\n]{{0,40}}\b{_COUNTS}\b",
    re.I,
)
_AROUND_IT = re.compile(
    rf"\b(?:what|whatever|anything|everything)\b[^.;\n]{{0,30}}\b(?:before|after|behind|follows|precedes)\b"
    rf"[^.;\n]{{0,40}}\b{_NO_ACCOUNT}\b",
    re.I,
)
_OF_A_VALUE = re.compile(
    r"\b(?:codes?|numbers?|names?|ids?|identifiers?|serials?|tags?|digits?|characters?|letters?|suffix(?:es)?"
    r"|prefix(?:es)?|dash|hyphen|slash|colon|dot)\b",
    re.I,
)
_OF_THE_FILE = re.compile(
    r"\b(?:blocks?|fences?|json|files?|lines?|comments?|tables?|sections?|headings?|paragraphs?|outputs?"
    r"|answers?|reports?|texts?|prose)\b",
    re.I,
)
_MANY = rf"(?P<many>\d{{1,2}}|{'|'.join(NUMERALS[1:])})"
_CANDIDATES = re.compile(
    rf"\b(?:up to|at most|as many as|no more than|to)\s+{_MANY}\s+(?:[\w-]+\s+){{0,2}}?"
    r"(?:candidates?|guesses|guess|alternatives|suggestions|hypotheses|tries|suspects?|proposals)\b"
    r"|\btop[- ](?P<top>\d{1,2}|three|five|ten)\b",
    re.I,
)
_AMONG = re.compile(
    r"\b(?:is|was|be|are|stands?|appears?)\b[^.;\n]{0,30}\b(?:among|in|on|one of)\b[^.;\n]{0,40}"
    r"\b(?:your|them|these|those|the list|list|candidates|guesses|alternatives|suggestions)\b",
    re.I,
)


def sign_is_free(instruction: str) -> bool:
    """Does the task say that a number is right with either sign?"""
    return says(_SIGN_FREE, instruction)


def part_counts(instruction: str) -> bool:
    """Does the task say that of a code or a text only one part is compared, whatever stands beside it?"""
    around = (
        one for one in sentences(instruction) if _OF_A_VALUE.search(one) and not _OF_THE_FILE.search(one)
    )
    return says(_PART_COUNTS, instruction) or any(says(_AROUND_IT, one) for one in around)


def candidates_taken(instruction: str) -> int:
    """How many candidates the task takes for one value, if the right one is among them; 0 if none."""
    instruction = unwrapped(instruction)
    found = _CANDIDATES.search(instruction)
    if found is None or not _AMONG.search(instruction):
        return 0
    return whole_number(found["many"] or found["top"])
