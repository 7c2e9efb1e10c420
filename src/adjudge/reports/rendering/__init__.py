"""From data to text: terminal, Markdown, HTML.

Every renderer is called `render_NOUN`, is a pure function, and returns the whole text, which ends in a
newline. None reads a ledger or computes a number. Those of `terminal` take one more argument: the `Terminal`
to write for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge._lazy import late_names

if TYPE_CHECKING:
    from adjudge.reports.rendering import html, markdown, terminal

__all__ = ["html", "markdown", "terminal"]

__getattr__, __dir__ = late_names(
    __name__, {"html": ("html",), "markdown": ("markdown",), "terminal": ("terminal",)}
)
