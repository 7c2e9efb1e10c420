"""Text that nobody vouches for, made safe to print and short enough to show.

No escape sequence reaches a terminal or a page.
"""

from __future__ import annotations


def printable(text: str, *, keep_newlines: bool = False) -> str:
    """Every control, format and surrogate character as its escape; the rest unchanged.

    Also stops bidirectional overrides, which can make a line read as something it is not.
    """
    plain = text.replace("\n", "").replace("\t", "") if keep_newlines else text
    if plain.isprintable():  # nearly always, and a hundred times as fast
        return text
    kept = "\n\t" if keep_newlines else ""
    return "".join(
        c if c.isprintable() or c in kept else c.encode("unicode_escape").decode("ascii") for c in text
    )


def clip(text: str, longest: int) -> str:
    """The text, or its beginning and end and how much is missing; control characters spelled out."""
    if len(text) > longest:
        half = longest // 2
        text = f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"
    return printable(text, keep_newlines=True)
