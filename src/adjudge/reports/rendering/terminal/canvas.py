"""What the terminal can show, and text laid out in its cells.

A `Terminal` is a value: rendering takes one and returns text, so that every width, encoding and colour can be
tested without a terminal. Text that nobody vouches for passes through `Terminal.safe` first.
"""

from __future__ import annotations

import functools
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from typing import ParamSpec, TextIO

from msgspec import Struct

from adjudge.errors import printable

P = ParamSpec("P")
NARROWEST = 40
UNBOUNDED = 10_000
"""The width of a file or a pipe: no line of a table is cut for its sake."""
_COLOURS = {"green": "32", "yellow": "33", "red": "31", "dim": "2", "bold": "1"}


class Terminal(Struct, frozen=True):
    """How wide, in which encoding, and whether colours are wanted."""

    width: int = 80
    encoding: str = "utf-8"
    colour: bool = False

    @property
    def unicode(self) -> bool:
        """Can it show more than ASCII?"""
        return self.encoding.lower().replace("-", "").startswith("utf")

    def safe(self, text: str, *, keep_newlines: bool = False) -> str:
        """Text that cannot steer the terminal and that its encoding can carry."""
        text = printable(text, keep_newlines=keep_newlines)
        return text.encode(self.encoding, "backslashreplace").decode(self.encoding)

    def paint(self, text: str, *colours: str) -> str:
        """The text in colour, where colours are wanted."""
        if not self.colour or not text:
            return text
        return f"\x1b[{';'.join(_COLOURS[c] for c in colours)}m{text}\x1b[0m"

    @property
    def ellipsis(self) -> str:
        return "…" if self.unicode else "..."


def terminal_of(stream: TextIO | None = None) -> Terminal:
    """The terminal behind a stream (stdout), by the usual conventions: NO_COLOR, COLUMNS, TERM, …."""
    stream = stream or sys.stdout
    tty = stream.isatty()
    colour = tty and os.environ.get("TERM") != "dumb"
    if os.environ.get("FORCE_COLOR"):
        colour = True
    if os.environ.get("NO_COLOR"):
        colour = False
    return Terminal(max(_width(stream), NARROWEST), stream.encoding or "ascii", colour)


def _width(stream: TextIO) -> int:
    """COLUMNS, else the terminal's own width; a file or a pipe has none that a table would be cut for."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    if not stream.isatty():
        return UNBOUNDED
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):  # a terminal that does not tell, or only looks like one
        return 80


def joined(lines: Callable[P, Iterator[str]]) -> Callable[P, str]:
    """A renderer from a function that yields lines: the whole text, ending in a newline; "" for no lines."""

    @functools.wraps(lines)
    def render(*args: P.args, **kwargs: P.kwargs) -> str:
        return "".join(f"{line.rstrip()}\n" for line in lines(*args, **kwargs))

    return render


def cells(text: str) -> int:
    """How many columns a text takes: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def pad(text: str, width: int) -> str:
    """The text followed by blanks up to a width."""
    return text + " " * max(width - cells(text), 0)


def cut(text: str, width: int, ellipsis: str = "…") -> str:
    """The text, or as much of its beginning as fits with an ellipsis."""
    if cells(text) <= width:
        return text
    kept = ""
    for character in text:
        if cells(kept + character) > width - cells(ellipsis):
            break
        kept += character
    return kept + ellipsis


def wrap(text: str, width: int) -> list[str]:
    """The text in lines of at most `width` cells, broken between words where possible; [""] for no text.

    A number and its percent sign stay together.
    """
    lines: list[str] = []
    line = ""
    for glued in re.sub(r"(?<=\d)\s+(?=%)", "\0", text).split():
        word = glued.replace("\0", " ")
        if line and cells(line) + 1 + cells(word) <= width:
            line += f" {word}"
            continue
        if line:
            lines.append(line)
        line = word
        while cells(line) > width:
            head = cut(line, width, "")
            head = head or line[0]  # a wide character in a column too narrow for it
            lines.append(head)
            line = line[len(head) :]
    return [*lines, line] if line or not lines else lines
