"""Numbers that are like the right one in another way than by size: by digits, or half a turn off."""

from __future__ import annotations

import re

from adjudge.audit.causes import Cause
from adjudge.audit.documents import Leaf, write_number
from adjudge.audit.probes.code_values import Spoof
from adjudge.audit.probes.mutations import decimals_of

_TURNS = re.compile(r"bearing|azimuth|heading|angle|direction|longitude|(?:^|_)(?:course|deg)(?:_|$)", re.I)
_BEARINGS = re.compile(r"\b(?:bearings?|azimuths?|headings?)\b", re.I)
_WHOLE_TURN = 360


def likeness_spoofs(leaf: Leaf) -> list[Spoof]:
    """Another first digit in a number of several, for whoever compares digits by their likeness."""
    right = write_number(leaf.number) if leaf.kind == "number" else ""
    match = re.fullmatch(r"(-?)([1-9])([\d.]{3,14})", right)
    if match is None:
        return []
    other = f"{match[1]}{(int(match[2]) + 4) % 9 + 1}{match[3]}"
    number = int(other) if isinstance(leaf.number, int) else float(other)
    return [Spoof("first-digit", "another first digit", leaf.with_number(number), Cause.TOLERANCE)]


def turn_spoofs(leaf: Leaf, instruction: str) -> list[Spoof]:
    """The opposite direction, of a number that is one by its name, or where the task asks for bearings."""
    asked = 0 <= leaf.number < _WHOLE_TURN and _BEARINGS.search(instruction)
    if leaf.kind != "number" or not (asked or _TURNS.search(leaf.name)):
        return []
    half = _WHOLE_TURN / 2
    turned = leaf.number - half if leaf.number >= half else leaf.number + half
    other = leaf.with_number(round(turned, max(0, decimals_of(float(leaf.number)))))
    return [Spoof("opposite-direction", "the opposite direction", other, Cause.SIGN)]
