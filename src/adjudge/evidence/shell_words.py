"""Cut a shell script into words, operators, redirections and here-documents."""

from __future__ import annotations

import re

from msgspec import Struct

from adjudge._lazy import late_pattern

_OPERATORS = (";;&", "&&", "||", ";;", ";&", "|&", ";", "|", "&", "(", ")", "\n")
_REDIRECTION = late_pattern(r"(?P<fd>\d*|&)(?P<op><<<|<<-?|>>|>\||>&|<&|<>|>|<)")
_NAMES_A_LIST = late_pattern(r"[A-Za-z_]\w*\+?=")
_SUBSTITUTION = ("$(", "<(", ">(", "${")


class Token(Struct):
    """One piece: `kind` is `word`, `op`, `redirect` or `here`."""

    kind: str
    text: str
    """A word without its quotes, an operator, the target of a redirection, or a here-document's body."""
    line: int
    raw: str = ""
    """A word as it was written, or a redirection's sign: `2>>`."""
    inner: tuple[str, ...] = ()
    """The scripts in the command substitutions of a word."""


def cut(text: str, line: int) -> list[Token]:
    """The tokens of a script. `line` is the number of its first line."""
    reader = _Reader(text, line)
    while reader.at < len(text):
        reader.step()
    return reader.tokens


class _Reader:
    """A place in a script, and what was found before it."""

    def __init__(self, text: str, line: int) -> None:
        self.text = text
        self.at = 0
        self.line = line
        self.tokens: list[Token] = []
        self.waiting: list[tuple[Token, str, bool]] = []
        """Here-documents whose body starts after this line: token, end mark, tabs taken off."""

    def step(self) -> None:
        text, at = self.text, self.at
        if text[at] in " \t":
            self.at += 1
        elif text.startswith("\\\n", at):
            self._move(at + 2)
        elif text[at] == "#" and (at == 0 or text[at - 1] in " \t\n;(&|"):
            end = text.find("\n", at)
            self.at = len(text) if end < 0 else end
        elif (match := _REDIRECTION.match(text, at)) and not text.startswith(("<(", ">("), at):
            self._redirection(match)
        elif (operator := next((o for o in _OPERATORS if text.startswith(o, at)), None)) is not None:
            self.tokens.append(Token("op", operator, self.line))
            self._move(at + len(operator))
            if operator == "\n":
                self._here_documents()
        else:
            self.tokens.append(self._word())

    def _move(self, to: int) -> None:
        self.line += self.text.count("\n", self.at, to)
        self.at = to

    def _redirection(self, match: re.Match[str]) -> None:
        self.at = match.end()
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1
        word = self._word()
        if match["op"] in ("<<", "<<-"):
            token = Token("here", "", word.line)
            self.waiting.append((token, word.text, match["op"] == "<<-"))
        elif match["op"] == "<<<":
            token = Token("here", word.text, word.line)
        else:
            token = Token("redirect", word.text, word.line, f"{match['fd']}{match['op']}", word.inner)
        self.tokens.append(token)

    def _here_documents(self) -> None:
        for token, mark, dash in self.waiting:
            rows: list[str] = []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                row = self.text[self.at : end]
                self._move(min(end + 1, len(self.text)))
                if (row.lstrip("\t") if dash else row) == mark:
                    break
                rows.append(row)
            token.text = "\n".join(rows)
        self.waiting = []

    def _word(self) -> Token:
        """One word with its quotes taken off, and the command substitutions in it."""
        text, start, begin = self.text, self.at, self.line
        plain: list[str] = []
        inner: list[str] = []
        while self.at < len(text):
            at, char = self.at, text[self.at]
            substitutes = char == "`" or text.startswith(_SUBSTITUTION, at)
            if char == "(" and _NAMES_A_LIST.fullmatch(text, start, at):
                inner += self._list()
                break
            if char in " \t\n;&|()<>" and not substitutes:
                break
            if char == "\\":
                plain.append(text[at + 1 : at + 2].strip("\n"))
                self._move(min(at + 2, len(text)))
            elif char in "'\"":
                end = text.find("'", at + 1) if char == "'" else _closing_quote(text, at + 1, inner)
                end = len(text) if end < 0 else end
                plain.append(text[at + 1 : end])
                self._move(min(end + 1, len(text)))
            elif substitutes:
                end = _substitution(text, at, inner)
                plain.append(text[at:end])
                self._move(end)
            else:
                plain.append(char)
                self.at += 1
        if self.at == start:  # a lone character that starts nothing
            self.at += 1
        return Token("word", "".join(plain), begin, text[start : self.at], tuple(inner))

    def _list(self) -> list[str]:
        """Past the `(…)` of an array, which may go over many lines; its items are no commands."""
        inner: list[str] = []
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != ")":
            if self.text[self.at].isspace():
                self._move(self.at + 1)
            elif self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                inner += self._word().inner
        self.at = min(self.at + 1, len(self.text))
        return inner


def _closing_quote(text: str, at: int, inner: list[str]) -> int:
    while at < len(text) and text[at] != '"':
        if text[at] == "\\":
            at += 2
        elif text[at] == "`" or text.startswith("$(", at):
            at = _substitution(text, at, inner)
        else:
            at += 1
    return min(at, len(text))


def _substitution(text: str, at: int, inner: list[str]) -> int:
    """Past `$(…)`, `<(…)`, `${…}` or a pair of backticks; what is run in it goes to `inner`."""
    if text[at] == "`":
        end = text.find("`", at + 1)
        end = len(text) if end < 0 else end
        inner.append(text[at + 1 : end])
        return min(end + 1, len(text))
    opened, closed = ("{", "}") if text[at + 1] == "{" else ("(", ")")
    depth, place, quote = 0, at + 1, ""
    while place < len(text):
        char = text[place]
        if char == "\\":
            place += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == opened:
            depth += 1
        elif char == closed:
            depth -= 1
            if depth == 0:
                break
        place += 1
    body = text[at + 2 : place]
    if opened == "(" and not body.startswith("("):  # `$((…))` is arithmetic
        inner.append(body)
    return min(place + 1, len(text))
