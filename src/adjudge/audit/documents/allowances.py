"""What a task allows of its answer in words: "with or without", "may be", "is welcome", "does not matter".

The thing and the allowance stand in one sentence. What is said of the inputs ("some rows have commas") is for
the agent to deal with, and allows nothing; nor does a sentence that denies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n\s*\n|\n(?=\s*[-*|#+] )|(?<=\.\))\s+")
_ALLOWANCE = re.compile(
    r"\bwith or without\b|\b(?:may|can|could)\b(?! (?:not|never)\b)|\b(?:need|have|has) not\b|\bneedn't\b"
    r"|\b(?:is|are|be|also|equally|both|all|just as|as) (?:[\w-]+ )?(?:allowed|accepted|fine|ok|okay|welcome"
    r"|good|permitted|tolerated|ignored|optional|acceptable|possible|valid|understood|right|free|harmless)\b"
    r"|\b(?:optional|optionally|allowed|accepted|welcome|permitted|ignored)\b|\beither\b|\bany\b"
    r"|\b(?:do|does|will) (?:not|no) (?:matter|harm|count|cost|difference)|\b(?:doesn|don)'t matter\b"
    r"|\bmakes? no difference\b|\bwill do\b|\bor not\b|\bas you (?:like|please|prefer|wish)\b|\bup to you\b"
    r"|\byour choice\b|\bno matter\b|\bregardless\b|\birrespective\b|\bnot (?:required|needed|necessary)\b"
    r"|\binsensitiv\w+|\bfree(?:ly)? to\b|\baccepts?\b|\bignores?\b",
    re.I,
)
_DENIAL = re.compile(
    r"\b(?:not|never|n't|cannot|avoid|refused|rejected|forbidden|disallowed|no longer|wrong|only)\b"
    r"(?! (?:be )?(?:required|needed|necessary|matter|count|a problem|important|only|but|cost|harm"
    r"|known|given|measured|available|applicable|found|defined|detected|there|present))"
    r"|\bwithout (?!any effect)|\bno\b(?! (?:matter|difference|harm|problem|particular|effect|meaning"
    r"|value|reading|result|data|match|entry|measurement|answer)s?\b)"
    r"|\bmust\b|\binstead of\b",
    re.I,
)
_WITH_OR_WITHOUT = re.compile(
    r"\b(?:with or without|without or with|or without|need not|needn't|or not)\b", re.I
)
_INPUTS = re.compile(
    r"\b(?:inputs?|sources?|exports?|raw|logs?|dirty|messy"
    r"|some (?:of|rows|records|lines|dates|values|amounts)|clean|normali[sz]e|strip|convert"
    r"|the (?:data|file|table|sheet|dump) (?:has|have|may|can|contains?))\b",
    re.I,
)
_OF_ANSWERS = re.compile(r"\b(?:answers?|outputs?|your|you|write|give|report|submi\w+)\b", re.I)


_OWN_LINE = re.compile(r"\s*(?:$|[-*+|#>{}\[\]`~<]|\d+[.)]\s)| {4}|\t")
"""What begins a line of its own: a point, a row, a heading, a fence, something of an example."""


def unwrapped(instruction: str) -> str:
    """A text with each paragraph on one line, where words are looked for; examples and tables as they are."""
    made: list[str] = []
    fenced = joins = False
    for line in instruction.splitlines():
        fence = line.lstrip().startswith(("```", "~~~"))
        if joins and not fenced and not fence and not _OWN_LINE.match(line):
            made[-1] = f"{made[-1].rstrip()} {line.lstrip()}"
            continue
        made.append(line)
        fenced ^= fence
        joins = bool(line.strip()) and not fence and not fenced and line.lstrip()[:1] not in "|#{}"
    return "\n".join(made)


def sentences(instruction: str) -> list[str]:
    """The sentences and points of a text, each on one line."""
    return [" ".join(said.split()) for said in _SENTENCE.split(instruction) if said.strip()]


def of_inputs(said: str) -> bool:
    """Does a sentence speak of what the agent is given, and not of what it is to write?"""
    return _INPUTS.search(said) is not None and not _OF_ANSWERS.search(said)


def allowing(subject: re.Pattern[str], instruction: str, *, choice: bool = False) -> Iterator[str]:
    """The sentences that allow what `subject` finds; with `choice` that is itself one ("a or b")."""
    for said in sentences(instruction):
        if subject.search(said) is None or not (choice or _ALLOWANCE.search(said)):
            continue
        if of_inputs(said):
            continue
        if _DENIAL.search(_WITH_OR_WITHOUT.sub(" ", said)) is None:
            yield said


def allows(subject: re.Pattern[str], instruction: str, *, choice: bool = False) -> bool:
    """Does a sentence allow what `subject` finds?"""
    return next(allowing(subject, instruction, choice=choice), None) is not None
