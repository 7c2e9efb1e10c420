"""Programs that know what an instruction shows, and nothing else. Pure: texts in and out.

Calls with their results are known by function and arguments; an input beside its output is known as what is
read, as the words of a command line, and as the one argument of a function whose name is told.
"""

from __future__ import annotations

import ast
import re
import shlex
from typing import Any

from msgspec import Struct

from adjudge._python import NO_PYTHON
from adjudge.audit.documents import pairs_shown

_MOST_EXAMPLES = 20
_CALL = re.compile(
    r"(?:>>>[ ]*)?`?\b(?P<name>[A-Za-z_]\w*)\((?P<given>[^()`\n]{0,80})\)`?"
    r"\s*(?:#\s*)?(?:(?:->|→|=>|={1,3}|is|returns?|gives?|yields?|should (?:be|return|give))\s*|\n)"
    r"`?(?P<due>[^`\n;]{1,80}?)`?(?=\n|;|`|\.\s|\.?$|, | and |\Z)",
)
"""`square(3)` is `9`, and the same as a line of code, of a session or of a table."""


def remembering_program(suffix: str, instruction: str, names: list[str]) -> bytes | None:
    """A program that knows what the instruction shows; None if that is nothing, or in another language."""
    pairs = pairs_shown(instruction)
    if suffix == ".sh" and pairs:
        cases = "".join(
            f"  {shlex.quote(given)}) printf '%s\\n' {shlex.quote(due)};;\n" for given, due in pairs
        )
        return f'case "${{*:-$(cat)}}" in\n{cases}esac\n'.encode()
    examples = _examples_shown(instruction)
    if suffix != ".py" or not (examples or pairs):
        return None
    lines = [
        f"KNOWN = {[(e.function, e.given, e.due) for e in examples]!r}",
        f"PAIRS = {dict(pairs)!r}",
        _PLAIN,
        *(_FUNCTION % (name, name) for name in dict.fromkeys([*(e.function for e in examples), *names])),
    ]
    return "".join([*(f"{line}\n" for line in lines), _MAIN if pairs else ""]).encode()


_PLAIN = """
def plain(text):
    import ast
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
"""
_FUNCTION = """
def %s(*args, name=%r):
    known = [due for shown, given, due in KNOWN if shown == name and given == args]
    for given, due in PAIRS.items():
        if " ".join(map(str, args)) == given or repr(args[0] if len(args) == 1 else args) == given:
            known.append(plain(due))
    return known[0] if known else None
"""
_MAIN = """
if __name__ == "__main__":
    import sys
    words = " ".join(sys.argv[1:])
    text = words if words in PAIRS else sys.stdin.read().strip()
    if text in PAIRS:
        print(PAIRS[text])
"""


class _Example(Struct, frozen=True):
    """One call that an instruction shows, with what it gives."""

    function: str
    given: tuple[Any, ...]
    due: Any


def _examples_shown(instruction: str) -> list[_Example]:
    """The calls with their results that an instruction shows, as far as both are plain values."""
    found = []
    for match in _CALL.finditer(instruction):
        try:
            given, due = (
                ast.literal_eval(f"({match['given']},)" if match["given"].strip() else "()"),
                match["due"],
            )
            found.append(_Example(match["name"], given, ast.literal_eval(due.strip())))
        except NO_PYTHON:
            continue
    return found[:_MOST_EXAMPLES]
