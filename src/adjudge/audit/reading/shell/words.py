"""The words of shell scripts: where one ends, and what stands in it.

A word keeps its quotes: whether a value is quoted decides whether the shell takes it for a pattern, for
several words, or for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

_CLOSES = {"(": ")", "{": "}"}
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]|[?$#@*!-]")
_EXPANDS = re.compile(r"\$[\w({?#@*!'-]")
_ASSIGNS = re.compile(r"\w+(\[[^\]]*\])?\+?=")
_ESCAPED = re.compile(r"\\(.)", re.S)


class NotShellError(ValueError):
    """A quote or a bracket that nothing closes."""


class Kind(Enum):
    """What a piece of a word is."""

    TEXT = "text"
    VARIABLE = "variable"
    COMMAND = "command"
    SUM = "sum"


class Piece(NamedTuple):
    """Its `text` is plain, or the inside of `${...}`, `$(...)` or `$((...))`."""

    kind: Kind
    text: str
    quote: str
    """`'`, `"`, or nothing."""

    @property
    def name(self) -> str:
        """The variable's name, without the marks around it."""
        match = _NAME.match(self.text.lstrip("!#") or self.text)
        return match[0] if match else ""


def past_brackets(text: str, start: int) -> int:
    """The index behind the bracket that closes the one at `start`; quotes are passed over."""
    opens, closes, depth, at = text[start], _CLOSES[text[start]], 0, start
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif char in "'\"`":
            at = past_quote(text, at) - 1
        elif char == opens:
            depth += 1
        elif char == closes:
            depth -= 1
            if not depth:
                return at + 1
        elif char == "#" and opens == "(" and text[at - 1 : at] in (" ", "\n", "\t"):
            at = end_of_line(text, at) - 1
        at += 1
    raise NotShellError(text[start : start + 40])


def end_of_line(text: str, at: int) -> int:
    """The index of the end of the line that this index is in."""
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def past_quote(text: str, start: int) -> int:
    """The index behind the quote that closes the one at `start`."""
    quote, at = text[start], start + 1
    while at < len(text) and text[at] != quote:
        if quote != "'" and text[at] == "\\":
            at += 1
        elif quote == '"' and text[at : at + 2] in ("$(", "${"):
            at = past_brackets(text, at + 1) - 1
        elif quote == '"' and text[at] == "`":
            at = past_quote(text, at) - 1
        at += 1
    if at >= len(text):
        raise NotShellError(text[start : start + 40])
    return at + 1


def past_word(text: str, start: int, ends: str = " \t\n;&|<>()") -> int:
    """The index behind the word that begins at `start`."""
    at = start
    while at < len(text) and text[at] not in ends:
        if text[at] == "\\":
            at += 2
        elif text[at] in "'\"`":
            at = past_quote(text, at)
        elif text[at : at + 2] in ("$(", "${"):
            at = past_brackets(text, at + 1)
        else:
            at += 1
        if text[at : at + 1] == "(" and _ASSIGNS.fullmatch(text, start, at):
            at = past_brackets(text, at)
    return min(at, len(text))


def pieces(word: str, quote: str = "") -> Iterator[Piece]:
    """What a word is put together from, in order; a piece of plain text has its escapes taken away."""
    at = plain = 0
    while at < len(word):
        char = word[at]
        special = char in "\"'" and not quote
        found = special or char in "`\\" or _EXPANDS.match(word, at) or word[at : at + 2] == "<("
        if not found:
            at += 1
            continue
        if char == "\\":
            at += 2
            continue
        if plain < at:
            yield Piece(Kind.TEXT, _ESCAPED.sub(r"\1", word[plain:at]), quote)
        if special:
            end = past_quote(word, at)
            inside = word[at + 1 : end - 1]
            yield from [Piece(Kind.TEXT, inside, "'")] if char == "'" else pieces(inside, '"')
            if char == '"' and not inside:
                yield Piece(Kind.TEXT, "", '"')
        else:
            end, piece = _expansion(word, at, quote)
            yield piece
        at = plain = end
    if plain < len(word):
        yield Piece(Kind.TEXT, _ESCAPED.sub(r"\1", word[plain:]), quote)


def _expansion(word: str, at: int, quote: str) -> tuple[int, Piece]:
    if word[at] == "`":
        end = past_quote(word, at)
        return end, Piece(Kind.COMMAND, word[at + 1 : end - 1], quote)
    after = word[at + 1]
    if after == "'":
        end = past_quote(word, at + 1)
        return end, Piece(Kind.TEXT, word[at + 2 : end - 1], "'")
    if after in "({":
        end = past_brackets(word, at + 1)
        inside = word[at + 2 : end - 1]
        if after == "(" and inside.startswith("(") and inside.endswith(")"):
            return end, Piece(Kind.SUM, inside[1:-1], quote)
        return end, Piece(Kind.COMMAND if after == "(" else Kind.VARIABLE, inside, quote)
    match = _NAME.match(word, at + 1)
    end = match.end() if match else at + 2
    return end, Piece(Kind.VARIABLE, word[at + 1 : end], quote)


def plain(word: str) -> str:
    """A word without its quotes; variables as `${name}`, commands as nothing."""
    return "".join(
        piece.text if piece.kind is Kind.TEXT else f"${{{piece.text}}}" if piece.kind is Kind.VARIABLE else ""
        for piece in pieces(word)
    )


def test_words(text: str) -> list[str]:
    """The words of `[[ ... ]]`; brackets of a pattern stay inside of their word."""
    words, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        end = past_word(text, at, " \t\n")
        words.append(text[at:end])
        at = end
    return words
