"""Cut a long text in its middle, and say so."""

from __future__ import annotations

from adjudge.errors import printable


def clip(text: str, longest: int) -> str:
    """The text, or its beginning and end and how much is missing; control characters spelled out."""
    if len(text) > longest:
        half = longest // 2
        text = f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"
    return printable(text, keep_newlines=True)
