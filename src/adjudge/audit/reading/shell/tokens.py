"""A shell script as tokens: words with their quotes, operators, tests, sums and here-documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from adjudge.audit.reading.shell.words import NotShellError, past_brackets, past_word

_OPERATOR = re.compile(
    r"\d*(?:<<<|<<-|<<|&>>|&>|>>|>\||<>|<&|>&|<(?!\()|>(?!\())|;;&|;;|;&|&&|\|\||\|&|[;&|()\n]"
)
CONTINUED, _MARK = "\\\n", " \x00"
"""A line that goes on in the next one is a blank between words; the mark is as long, so places stay."""
_BEFORE_SUM = frozenset(
    {"\n", ";", "&&", "||", "|", "!", "if", "elif", "while", "until", "then", "do", "else", "for", "{", "("}
)


@dataclass(frozen=True)
class ShellToken:
    """`kind` is word, operator, test (`[[ ... ]]`) or sum (`(( ... ))`)."""

    kind: str
    text: str
    line: int
    at: int


def tokens(text: str, line: int) -> Iterator[ShellToken]:
    """The tokens of a text whose first line has this number; a here-document follows the end of its line."""
    at, waiting, before = 0, [], "\n"
    text = text.replace(CONTINUED, _MARK)
    while at < len(text):
        if text[at] in " \t\r\x00":
            line += text[at] == "\x00"
            at += 1
            continue
        if text[at] == "#":
            at = text.find("\n", at) if "\n" in text[at:] else len(text)
            continue
        start = at
        match = _OPERATOR.match(text, at)
        if text.startswith("((", at) and before in _BEFORE_SUM:
            at = past_brackets(text, at)
            token = ShellToken("sum", text[start + 2 : at - 2], line, start)
        elif match:
            at = match.end()
            token = ShellToken("operator", match[0], line, start)
            if token.text.lstrip("0123456789") in ("<<", "<<-"):
                waiting.append((token, at))
        elif re.match(r"\[\[\s", text[at:]):
            end = re.search(r"\s\]\](?![^\s;&|)])", text[at:])
            if end is None:
                raise NotShellError(text[at : at + 40])
            at += end.end()
            token = ShellToken("test", text[start:at], line, start)
        else:
            at = past_brackets(text, at + 1) if text[at : at + 2] in ("<(", ">(") else past_word(text, at)
            if at == start:
                raise NotShellError(text[at : at + 40])
            token = ShellToken("word", text[start:at], line, start)
        yield replace(token, text=token.text.replace(_MARK, CONTINUED))
        before = token.text
        line += text[start:at].count("\n") + text[start:at].count("\x00")
        if token.text == "\n" and waiting:
            for _, behind in waiting:
                at, lines, here = _here(text, behind, at)
                yield here
                line += lines
            waiting = []


def _here(text: str, behind: int, at: int) -> tuple[int, int, ShellToken]:
    """(index behind it, its lines, itself) of the here-document whose end is the word after `behind`."""
    start = behind + len(text[behind:]) - len(text[behind:].lstrip(" \t"))
    word = text[start : past_word(text, start)]
    match = re.compile(rf"^[\t]*{re.escape(word.strip(chr(34) + chr(39) + chr(92)))}[ \t]*$", re.M).search(
        text, at
    )
    if match is None:
        raise NotShellError(word)
    end = min(match.end() + 1, len(text))
    body = text[at : match.start()].replace(_MARK, CONTINUED)
    kind = "quoted" if word[:1] in "'\"\\" else "here"
    return end, text[at:end].count("\n"), ShellToken(kind, body, 0, at)
