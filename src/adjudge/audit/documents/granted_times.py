"""How far off dates and times may be, in the words of a task."""

from __future__ import annotations

import re

from adjudge.audit.documents.margins import (
    SENTENCE,
    amount_of,
    amounts_in,
    headed_blocks,
    named_fields,
    size_of,
)

_LONG_TIMES = {"day": ("time", 86400.0), "week": ("time", 604800.0)}
_MOMENTS = re.compile(
    r"\b(?:times?|dates?|moments?|timestamps?|instants?|days?|beginnings?|starts?|ends?|onsets?|arrivals?"
    r"|departures?|values?|entries)\b",
    re.I,
)
_JUDGES = re.compile(
    r"\b(?:right|correct|accepted|credit|graded|scored|full marks?|reference|compared|tolerated|fine"
    r"|tolerances?|may (?:be off|differ|deviate)|counts? (?:if|when|as right))\b",
    re.I,
)
_APART = re.compile(
    r"\b(?:each other|one another|apart|between them|merged?|duplicates?|the same event|overlap\w*|flag\w*"
    r"|late|sensors?|clocks?|drift\w*|deadlines?|due|before|after|ago|notice)\b",
    re.I,
)


def granted_times(instruction: str, key: str, keys: list[str]) -> list[float]:
    """How far off moments of a name may be, in seconds: the same for texts such as `14:05` or `2026-03-01`.

    Only sentences that judge answers grant it; what lies so close to something else of the inputs does not.
    """
    found = []
    for block, head in headed_blocks(instruction, keys):
        for said in SENTENCE.split(block):
            named = named_fields(said, keys) or head
            about = key in named or (not named and _MOMENTS.search(said) is not None)
            if not about or _JUDGES.search(said) is None or _APART.search(said):
                continue
            for match in amounts_in(said):
                unit = (match["unit"] or "").lower()
                size = _LONG_TIMES.get(unit.removesuffix("s")) or size_of(unit)
                seconds = size[1] if size is not None and size[0] == "time" else 0.0
                found.append((amount_of(match["number"], match["word"]) or 0.0) * seconds)
    return [seconds for seconds in found if seconds]
