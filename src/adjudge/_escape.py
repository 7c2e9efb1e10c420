"""JSON whose text cannot steer a terminal: every character that does not print is spelled as `\\u….`.

JSON may carry such characters raw, and what reads it makes no difference between the two spellings. A
terminal does: an escape sequence runs there, and a bidirectional override makes a line read as another.
"""

from __future__ import annotations

_LAID_OUT = "\n\t"


def prints_as_it_is(text: str) -> bool:
    """Does the text hold nothing but characters that print, line ends and tabs?"""
    return text.replace("\n", "").replace("\t", "").isprintable()


def escape_json(text: str) -> str:
    """The same JSON, in characters that print. Only strings can hold others, so that all are escapes there.

    A lone surrogate, which no file can hold, is spelled like the rest.
    """
    if prints_as_it_is(text):  # nearly always, and a hundred times as fast
        return text
    return "".join(c if c.isprintable() or c in _LAID_OUT else _escape(c) for c in text)


def _escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[n : n + 4]}" for n in range(0, len(units), 4))
