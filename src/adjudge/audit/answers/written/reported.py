"""Values in a report: below the headings that an instruction shows, with as many words as one asks for. Pure.

A verifier of a report may count words and look for headings before it reads the block of values at its end.
"""

from __future__ import annotations

import json
import re
from typing import Any

_HEADING = re.compile(r"(?:^|`)[ \t]*(#{1,4} [^\n`#<>{}]{2,60}?)[ \t]*(?:`|$)", re.M)
_MOST_HEADINGS = 12
_WORDS = """
The given data were read first and checked for gaps. Then each value was worked out as the task describes, in
the units that it asks for, and compared with what the other values say. The method is plain: what is known is
put into the relation that holds, and the result is rounded only at the end. No assumption beyond those of the
task was made, and nothing was left out. The values below follow from this in the order of the task, and each
of them can be checked by hand with the numbers that were given at the beginning of this work.
""".strip()


def report(value: Any, instruction: str) -> bytes:
    """A report with these values in a block at its end."""
    headings = list(dict.fromkeys(_HEADING.findall(instruction)))[:_MOST_HEADINGS]
    parts = [part for heading in headings or ["# Report"] for part in (heading, _WORDS)]
    return "\n\n".join([*parts, f"```json\n{json.dumps(value, indent=2)}\n```"]).encode()
