"""A shell script as steps: pipelines of commands, joined by `&&`, `||` or a line's end.

Enough of the grammar to know what decides about what; a script that is beyond it is passed over as a whole.
`evidence.shell` lists the commands that a script may start, without quotes and blocks. Here both are the
point: `$got` and `"$got"` are two things, and so are what an `if` asks and what it then does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from adjudge.audit.reading.shell.tokens import CONTINUED, ShellToken, tokens
from adjudge.audit.reading.shell.words import NotShellError, test_words

_REDIRECT = re.compile(r"\d*(?:[<>]|&>)")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=(.*)", re.S)
_ENDS = frozenset({"then", "do", "done", "fi", "elif", "else", "esac", "}", ")", ";;", ";&", ";;&"})
_DEEPEST = 40
_DECLARES = ("local", "declare", "export", "readonly", "typeset")
_WRAPPERS = frozenset({"timeout", "exec", "command", "builtin", "env", "nice", "stdbuf", "sudo", "nohup"})


@dataclass(eq=False)
class ShellCommand:
    """A simple command, or `[[ ... ]]` and `(( ... ))` as commands of those names."""

    words: list[str]
    assigned: list[tuple[str, str]]
    redirects: list[tuple[str, str]]
    line: int
    text: str = ""

    @property
    def name(self) -> str:
        """Without its folder and its backslash; empty if it only assigns."""
        return self.words[0].strip("\"'\\").rpartition("/")[2] if self.words else ""


@dataclass(eq=False)
class ShellBlock:
    """if, while, until, for, case, group, subshell or function."""

    kind: str
    line: int
    heads: list[str] = field(default_factory=list)
    """The name and words of a for, the word of a case, the name of a function."""
    conditions: list[list[Step]] = field(default_factory=list)
    patterns: list[list[str]] = field(default_factory=list)
    bodies: list[list[Step]] = field(default_factory=list)
    redirects: list[tuple[str, str]] = field(default_factory=list)


@dataclass(eq=False)
class Step:
    """A pipeline, and how it is joined to the step before: `&&`, `||` or `;`."""

    joined: str
    negated: bool
    stages: list[ShellCommand | ShellBlock]
    line: int


def parse(script: str, line: int = 1) -> list[Step]:
    """The steps of a script whose first line has this number; NotShellError if it cannot be read."""
    script = script.replace("\r\n", "\n")
    try:
        reader = _Grammar(list(tokens(script, line)), script)
        steps = reader.steps()
    except (IndexError, RecursionError) as error:
        raise NotShellError(script[:40]) from error
    if reader.at < len(reader.tokens):
        raise NotShellError(reader.tokens[reader.at].text)
    return steps


class _Grammar:
    def __init__(self, tokens: list[ShellToken], script: str) -> None:
        self.script = script
        self.bodies = [token for token in tokens if token.kind in ("here", "quoted")]
        self.tokens = [token for token in tokens if token.kind not in ("here", "quoted")]
        self.at = 0
        self.deep = 0

    def text(self) -> str:
        """The token at hand; nothing at the end."""
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def lines(self) -> None:
        while self.text() in ("\n", ";", "&") and self.at < len(self.tokens):
            self.at += 1

    def expect(self, text: str) -> None:
        self.lines()
        if self.text() != text:
            raise NotShellError(f"{text} expected, found {self.text()!r}")
        self.at += 1

    def steps(self) -> list[Step]:
        found: list[Step] = []
        self.deep += 1
        if self.deep > _DEEPEST:
            raise NotShellError("too deep")
        joined = ";"
        self.lines()
        while self.at < len(self.tokens) and self.text() not in _ENDS:
            found.append(self.step(joined))
            joined = ";"
            if self.text() in ("&&", "||"):
                joined = self.text()
                self.at += 1
            self.lines()
        self.deep -= 1
        return found

    def step(self, joined: str) -> Step:
        negated, line = False, self.tokens[self.at].line
        while self.text() in ("!", "time"):
            negated ^= self.text() == "!"
            self.at += 1
        stages = [self.command()]
        while self.text() in ("|", "|&"):
            self.at += 1
            self.lines()
            stages.append(self.command())
        return Step(joined, negated, stages, line)

    def command(self) -> ShellCommand | ShellBlock:
        token = self.tokens[self.at]
        kind = token.text if token.kind in ("word", "operator") else ""
        read = {
            "if": self._if,
            "while": self._while,
            "until": self._while,
            "for": self._for,
            "case": self._case,
        }
        if kind in read:
            block = read[kind]()
        elif kind in ("{", "("):
            self.at += 1
            block = ShellBlock("group" if kind == "{" else "subshell", token.line, bodies=[self.steps()])
            self.expect("}" if kind == "{" else ")")
        elif kind == "function" or (self.at + 2 < len(self.tokens) and self.tokens[self.at + 1].text == "("):
            return self._function()
        else:
            return self._simple()
        block.redirects = self._redirects()
        return block

    def _function(self) -> ShellBlock:
        line = self.tokens[self.at].line
        self.at += self.text() == "function"
        name = self.text()
        self.at += 1
        if self.text() == "(":
            self.at += 1
            self.expect(")")
        self.lines()
        return ShellBlock("function", line, [name], bodies=[[Step(";", False, [self.command()], line)]])

    def _if(self) -> ShellBlock:
        block = ShellBlock("if", self.tokens[self.at].line)
        while self.text() in ("if", "elif"):
            self.at += 1
            block.conditions.append(self.steps())
            self.expect("then")
            block.bodies.append(self.steps())
        if self.text() == "else":
            self.at += 1
            block.bodies.append(self.steps())
        self.expect("fi")
        return block

    def _while(self) -> ShellBlock:
        block = ShellBlock(self.text(), self.tokens[self.at].line)
        self.at += 1
        block.conditions.append(self.steps())
        self.expect("do")
        block.bodies.append(self.steps())
        self.expect("done")
        return block

    def _for(self) -> ShellBlock:
        block = ShellBlock("for", self.tokens[self.at].line)
        self.at += 1
        while self.tokens[self.at].text not in (";", "\n", "do"):
            block.heads.append(self.text())
            self.at += 1
        self.expect("do")
        block.bodies.append(self.steps())
        self.expect("done")
        return block

    def _case(self) -> ShellBlock:
        block = ShellBlock("case", self.tokens[self.at].line, [self.tokens[self.at + 1].text])
        self.at += 2
        self.expect("in")
        self.lines()
        while self.tokens[self.at].text != "esac":
            self.at += self.text() == "("
            patterns = []
            while self.tokens[self.at].text != ")":
                patterns += [self.text()] if self.text() != "|" else []
                self.at += 1
            self.at += 1
            block.patterns.append(patterns)
            block.bodies.append(self.steps())
            self.at += self.text() in (";;", ";&", ";;&")
            self.lines()
        self.at += 1
        return block

    def _redirects(self) -> list[tuple[str, str]]:
        found = []
        while (
            self.at < len(self.tokens)
            and self.tokens[self.at].kind == "operator"
            and _REDIRECT.match(self.text())
        ):
            operator, target = self.text(), self.tokens[self.at + 1].text
            if operator.lstrip("0123456789") in ("<<", "<<-"):
                body = self.bodies.pop(0)
                operator, target = ("<<'", body.text) if body.kind == "quoted" else ("<<", body.text)
            found.append((operator, target))
            self.at += 2
        return found

    def _simple(self) -> ShellCommand:
        first = self.tokens[self.at]
        made = ShellCommand([], [], [], first.line)
        if first.kind in ("test", "sum"):
            self.at += 1
            made.words = (
                test_words(first.text.replace(CONTINUED, "  "))
                if first.kind == "test"
                else ["((", first.text]
            )
            made.redirects = self._redirects()
        while self.at < len(self.tokens):
            made.redirects += self._redirects()
            token = self.tokens[self.at] if self.at < len(self.tokens) else None
            if token is None or token.kind == "operator":
                break
            match = None if made.words and made.name not in _DECLARES else _ASSIGNED.fullmatch(token.text)
            if match:
                made.assigned.append((match[1], match[2]))
            if not match or made.words:
                made.words.append(token.text)
            self.at += 1
        if not (made.words or made.assigned or made.redirects):
            raise NotShellError(self.text())
        last = self.tokens[self.at - 1]
        made.text = self.script[first.at : last.at + len(last.text)]
        made.words = _unwrapped(made.words)
        return made


def _unwrapped(words: list[str]) -> list[str]:
    """`timeout 5 python3 x` is about `python3 x`."""
    while len(words) > 1 and words[0].rpartition("/")[2] in _WRAPPERS:
        at = 1
        while at < len(words) - 1 and (words[at][0] in "-$0123456789" or _ASSIGNED.fullmatch(words[at])):
            at += 1
        words = words[at:]
    return words
