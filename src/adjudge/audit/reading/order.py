"""Whether a task asks for an order."""

from __future__ import annotations

import re

_ANY_ORDER = (
    r"any order|order (?:does|is|of .{0,40}) not|order.{0,20}(?:irrelevant|free)|unordered|in no particular"
)
_DIRECTION = r"(?:ascending|descending|alphabetical|chronological|increasing|decreasing|numerical)"
_ORDER = (
    rf"\bsorted\b|\bin (?:the )?{_DIRECTION} |\border(?:ed)? by\b|\branked\b|\bin the order\b"
    r"|\bsort(?:ed)? (?:by|in|the)\b|\bordered\b|\b(?:ascending|descending|alphabetical)\b"
)


def asks_for_order(instruction: str) -> bool:
    """Does the instruction name an order, and not say that any will do?"""
    return bool(re.search(_ORDER, instruction, re.I)) and not re.search(_ANY_ORDER, instruction, re.I)
