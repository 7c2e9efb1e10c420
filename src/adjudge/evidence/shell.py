"""Read a shell script as the list of commands it may start, without running any of it.

This is no shell: it knows quotes, comments, here-documents, redirections, pipes, lists, `if`, loops, `case`,
functions and command substitutions well enough to say which command stands on which line, whether it runs
in any case, what becomes of its error stream, and what is done if it fails. What it cannot read (`eval`, a
command in a variable) it leaves out. It never raises, whatever the text holds, and reads at most `_MOST`.
"""

from __future__ import annotations

from itertools import pairwise

from msgspec import Struct, field
from msgspec.structs import replace

from adjudge._lazy import late_pattern
from adjudge.evidence.shell_words import Token, cut

_MOST = 200_000
_DEEPEST = 6
_ASSIGNMENT = late_pattern(r"[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=")
_CONDITIONS = frozenset({"if", "elif", "while", "until"})
_NO_COMMAND = frozenset({"!", "time", "in", "coproc"})
_QUESTIONS = frozenset({"[", "[[", "test", "command", "which", "type", "hash"})
_SHOW_ALL = frozenset({"tee", "cat", "ts"})
"""Programs at the end of a pipe that print all they read."""


class Command(Struct, frozen=True):
    """One simple command of a script, with what surrounds it."""

    words: tuple[str, ...]
    """Without quotes; `$name` and `$(…)` stand as they were written."""
    line: int
    quiet: bool = False
    """Does its error stream go where nobody looks: `/dev/null`, a variable, a file?"""
    conditional: bool = False
    """Does it stand in a branch, a loop, a function, or behind `||` or a question, so that it may not run?"""
    tested: bool = False
    """Is it the condition of an `if` or a loop?"""
    otherwise: tuple[str, ...] | None = None
    """The command after `||`; None if there is none."""
    captured: bool = False
    """Does its output go into a variable or an argument: `$(…)`?"""
    chained: bool = False
    """Does `&&` follow it, so that what comes after runs only if it worked?"""
    text: str | None = None
    """What a here-document gives it to read."""

    @property
    def name(self) -> str:
        return self.words[0] if self.words else ""


def read_script(text: str, *, first_line: int = 1, depth: int = 0) -> list[Command]:
    """The commands of a script in their order; an unreadable rest is left out."""
    reading = _Reading(depth)
    try:
        tokens = cut(text[:_MOST].replace("\r\n", "\n"), first_line)
        for place, token in enumerate(tokens):
            reading.take(token, following=tokens[place + 1].text if place + 1 < len(tokens) else "")
        reading.finish("\n")
    except (IndexError, RecursionError):
        pass
    return reading.linked()


class _Open(Struct):
    """The simple command that is being read."""

    words: list[str] = field(default_factory=list)
    line: int = 0
    quiet: bool = False
    text: str | None = None
    output: str | None = None
    merged: bool = False
    """Does the error stream go wherever the output goes (`2>&1`)?"""
    assigns: bool = False
    """Does it begin with `name=value`?"""


class _Reading:
    """What was found so far, and the blocks that are open: `if` while its condition is read, then `then`."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.found: list[Command] = []
        self.blocks: list[str] = []
        self.current = _Open()
        self.behind = ""
        self.links: list[tuple[int, str]] = []
        self.merged: set[int] = set()
        self.all_quiet = False

    @property
    def block(self) -> str:
        return self.blocks[-1] if self.blocks else ""

    def take(self, token: Token, *, following: str) -> None:
        if token.kind == "op":
            self._operator(token.text, following)
        elif token.kind == "here":
            self.current.text = token.text
        elif token.kind == "redirect":
            self._redirect(token)
        else:
            self._word(token)

    def finish(self, operator: str) -> None:
        """The end of a simple command."""
        current, self.current = self.current, _Open()
        if current.words and self.block not in ("case", "for"):
            branch = any(block not in _CONDITIONS and block != "group" for block in self.blocks)
            asked = bool(self.found) and self.found[-1].name in _QUESTIONS
            if current.merged and operator == "|":
                self.merged.add(len(self.found))
            self.links.append((len(self.found), operator))
            self.found.append(
                Command(
                    tuple(current.words),
                    current.line,
                    quiet=current.quiet or self.all_quiet or (current.merged and self.depth > 0),
                    conditional=branch or self.behind == "||" or (self.behind == "&&" and asked),
                    tested=self.block in _CONDITIONS,
                    captured=self.depth > 0,
                    text=current.text,
                )
            )
        elif current.assigns and self.links and self.behind in ("||", "&&"):
            self._assigned(operator)
        self.behind = operator

    def _assigned(self, operator: str) -> None:
        """`command || status=$?` only keeps what became of the command; what follows is no alternative."""
        place = self.links[-1][0]
        if self.behind == "||":
            self.found[place] = replace(self.found[place], otherwise=(":",))
        else:
            self.found[place] = replace(self.found[place], chained=True)
        self.links[-1] = (place, operator if operator in ("||", "&&") else "\n")

    def _operator(self, operator: str, following: str) -> None:
        if operator == "(" and self.current.words and following == ")" and self.block != "case":
            self.current = _Open()  # name ( ) { … }: what a function does runs only when it is called
            self.blocks.append("function")
        elif operator == ")" and self.block == "case":
            self.current = _Open()
            self.blocks.append("branch")
        elif operator in (";;", ";&", ";;&"):
            self.finish("\n")
            if self.block == "branch":
                self.blocks.pop()
        else:
            self.finish(operator)

    def _word(self, token: Token) -> None:
        for part in token.inner if self.depth < _DEEPEST else ():
            nested = read_script(part, first_line=token.line, depth=self.depth + 1)
            branch = any(block not in _CONDITIONS for block in self.blocks)
            self.found += [replace(c, conditional=c.conditional or branch) for c in nested]
        if not self.current.words:
            if _ASSIGNMENT.match(token.raw):
                self.current.assigns = True
                return
            if self._keyword(token.text) or token.text in _NO_COMMAND:
                return
            self.current.line = token.line
        self.current.words.append(token.text)

    def _keyword(self, word: str) -> bool:
        """Follow the keywords that open and close blocks; True if the word is one of them."""
        if word in ("if", "while", "until", "case", "function"):
            self.blocks.append(word)
        elif word in ("for", "select"):
            self.blocks.append("for")
        elif word in ("elif", "else"):
            self.blocks[-1:] = [word]
        elif word in ("then", "do"):
            if self.block in (*_CONDITIONS, "for"):
                self.blocks[-1] = word
            else:
                self.blocks.append(word)
        elif word == "{":
            self.blocks.append("body" if self.block == "function" else "group")
        elif word in ("fi", "done", "esac", "}"):
            self._close(word)
        else:
            return False
        return True

    def _close(self, word: str) -> None:
        while self.block == "branch":
            self.blocks.pop()
        if word == "}" and self.block not in ("body", "group"):
            return
        del self.blocks[-2 if self.block == "body" else -1 :]

    def _redirect(self, token: Token) -> None:
        current = self.current
        if token.raw in (">", "1>", ">>", "1>>", ">|"):
            current.output = token.text
        elif token.raw in ("2>", "2>>", "&>", "&>>") or (token.raw == ">&" and token.text not in ("1", "2")):
            current.quiet = True
        elif token.raw == "2>&" and token.text == "1":
            current.merged = current.output is None
            current.quiet = current.quiet or current.output is not None
        if current.words == ["exec"] and current.quiet:
            self.all_quiet = True

    def linked(self) -> list[Command]:
        """The commands, each with what comes after `||` and whether a pipe shows its errors."""
        for (place, operator), (following, _) in pairwise(self.links):
            before, after = self.found[place], self.found[following]
            if operator == "||" and before.otherwise is None:
                self.found[place] = replace(before, otherwise=after.words)
            elif operator == "&&":
                self.found[place] = replace(before, chained=True)
            elif place in self.merged and after.name not in _SHOW_ALL:
                self.found[place] = replace(before, quiet=True)
        return self.found
