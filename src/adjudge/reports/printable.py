"""Make text that nobody vouches for safe to print: no escape sequence reaches a terminal."""

from __future__ import annotations


def printable(text: str, *, keep_newlines: bool = False) -> str:
    """Every control, format and surrogate character as its escape; the rest unchanged.

    Also stops bidirectional overrides, which can make a line read as something it is not.
    """
    kept = "\n\t" if keep_newlines else ""
    return "".join(
        c if c.isprintable() or c in kept else c.encode("unicode_escape").decode("ascii") for c in text
    )
