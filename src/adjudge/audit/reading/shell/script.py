"""One shell script, with what its rules ask again and again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from adjudge.audit.causes import Cause
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.filters import OutputLevel
from adjudge.audit.reading.shell.follow import follow, triples
from adjudge.audit.reading.shell.syntax import ShellBlock, ShellCommand, Step
from adjudge.audit.reading.shell.walk import CommandUse
from adjudge.contracts import Severity

_LONGEST = 160
_SCORE = re.compile(
    r"score|reward|credit|points?|mark|earned|hits|correct|pass|ok$|good|right|^[rns]$|status|result", re.I
)
_FAILS = re.compile(
    r"err|fail|problem|miss|bad|wrong|issue|mismatch|violation|diff|die|abort|refuse|zero|reject", re.I
)
_NOTHING = re.compile(r"""["']?(?:0(?:\.0+)?|false|no|fail(?:ed)?)["']?""", re.I)
_NO_REWARD = re.compile(r"""^\W*(?:"?(?:reward|score)\\?"?\W*)?0(?:\.0+)?\b(?!\.)""", re.I)
_REWARD = re.compile(r"""^\W*(?:"?(?:reward|score)\\?"?\W*)?1(?:\.0+)?\b(?!\.)""", re.I)
COMPARERS = ("diff", "cmp", "comm", "[", "[[", "test", "((", "expr", "case", "join", "bc")


class Script:
    """A script, the answer's way through it, and the words of the task."""

    def __init__(
        self, file: str, text: str, steps: Sequence[Step], path: PurePosixPath, instruction: str
    ) -> None:
        self.file = file
        self.text = text
        self.steps = steps
        self.instruction = instruction
        self.suffix = path.suffix
        self.held, self.uses = follow(steps, path)

    def remark(
        self, use: CommandUse, cause: Cause, title: str, advice: str, severity: Severity = Severity.MEDIUM
    ) -> Remark:
        """A remark on a command."""
        return self.remark_at(use.command.line, use.command.text, cause, title, advice, severity)

    def remark_at(
        self,
        line: int,
        text: str,
        cause: Cause,
        title: str,
        advice: str,
        severity: Severity = Severity.MEDIUM,
    ) -> Remark:
        """A remark on a line."""
        code = " ".join(text.split())
        code = code if len(code) <= _LONGEST else f"{code[: _LONGEST - 1]}…"
        return Remark(cause, severity, self.file, line, code, title, advice)

    def line(self, number: int) -> str:
        """The text of a line."""
        lines = self.text.split("\n")
        return lines[number - 1] if number <= len(lines) else ""

    def told(self, pattern: str) -> bool:
        """Does the task's instruction speak of this?"""
        return re.search(pattern, self.instruction, re.I) is not None

    def speaks(self, pattern: str) -> bool:
        """Does the script anywhere speak of this?"""
        return re.search(pattern, self.text) is not None

    def named(self, *names: str) -> Iterator[CommandUse]:
        """Every use of a command of one of these names."""
        return (use for use in self.uses if use.command.name in names)

    def level(self, word: str, use: CommandUse) -> OutputLevel:
        """How free the answer's text in this word is."""
        return self.held.level(word, use.scope)

    def is_file(self, word: str, use: CommandUse) -> bool:
        """Does this word name the output?"""
        return self.held.is_file(word, use.scope)

    def reads(self, use: CommandUse) -> OutputLevel:
        """What of the answer a command reads."""
        return self.held.incoming(use.command, use.scope, use.piped)

    def comparisons(self) -> Iterator[tuple[CommandUse, str, str, str]]:
        """(where, left, operator, right) of each `[ ... ]`, `test` and `[[ ... ]]`."""
        for use in self.named("[", "[[", "test"):
            for left, operator, right in triples(use.command.words):
                yield use, left, operator, right

    def blocks(self) -> Iterator[tuple[ShellBlock, CommandUse]]:
        """Every block in which there is a command, with the first of its commands."""
        seen: set[int] = set()
        for use in self.uses:
            for place in use.around:
                if place.block is not None and id(place.block) not in seen:
                    seen.add(id(place.block))
                    yield place.block, use

    def loops(self) -> Iterator[tuple[ShellBlock, CommandUse]]:
        """Each `while read` over the answer's lines."""
        for block, use in self.blocks():
            first = use.command.name == "read" and use.around[-1].block is block
            if block.kind == "while" and first and use.piped > OutputLevel.NUMBER:
                yield block, use

    def counts(self) -> bool:
        """Is the number of the answer's lines looked at anywhere?"""
        if re.search(r"\bNR\b|\bFNR\b|\$\{#\w+\[[@*]\]\}", self.text):
            return True
        for use in self.uses:
            words = use.command.words
            if use.command.name == "wc" and self.reads(use):
                return True
            if (
                use.command.name in ("grep", "egrep")
                and self.reads(use)
                and any(re.match(r"-\w*c", w) for w in words)
            ):
                return True
        return False

    def compares(self, *without: CommandUse) -> bool:
        """Is the answer held against anything whole: diff, cmp, comm, join, or a test of texts?"""
        for use in self.named("diff", "cmp", "comm", "join", "paste"):
            if use not in without and self.reads(use):
                return True
        return False


def outcome(use: CommandUse) -> str:
    """What the success of a command's pipeline leads to: `pays`, `refuses` or nothing known."""
    place = use.around[-1]
    step = use.step
    found = _followed(place.steps, place.at)
    if not found and place.role == "condition" and place.block is not None and place.block.kind == "if":
        bodies = place.block.bodies
        then, other = bodies[place.part], bodies[place.part + 1 :]
        found = _of(then) or {"pays": "refuses", "refuses": "pays"}.get(_of(other[0]) if other else "", "")
        joined = [s.joined for s in place.steps[place.at + 1 :]]
        found = "" if found == "refuses" and "&&" in joined and _FAILS.search(str(then)) is None else found
    turned = {"pays": "refuses", "refuses": "pays"}
    return turned.get(found, "") if step.negated else found


def _followed(steps: Sequence[Step], index: int) -> str:
    """What `&&` and `||` behind a step lead to."""
    rest = list(steps[index + 1 :])
    chain: list[Step] = []
    while rest and rest[0].joined in ("&&", "||"):
        chain.append(rest.pop(0))
    for step in chain:
        found = _of([step])
        if found:
            return found if step.joined == "&&" else {"pays": "refuses", "refuses": "pays"}[found]
    return ""


def _of(steps: Sequence[Step]) -> str:
    found = list(commands(steps))
    if any(is_failure(command) for command in found):
        return "refuses"
    return "pays" if any(is_payment(command) for command in found) else ""


def commands(steps: Sequence[Step]) -> Iterator[ShellCommand]:
    """Every command in these steps and their blocks, but not inside of `$(...)`."""
    for step in steps:
        for stage in step.stages:
            if isinstance(stage, ShellCommand):
                yield stage
            else:
                for part in (*stage.conditions, *stage.bodies):
                    yield from commands(part)


def is_failure(command: ShellCommand) -> bool:
    """A score that is set to nothing, a fault that is noted, an end with an error."""
    for name, value in command.assigned:
        if _FAILS.search(name):
            return not _NOTHING.fullmatch(value) and value not in ('""', "", "()")
        if _SCORE.search(name):
            return bool(_NOTHING.fullmatch(value))
    words, name = command.words, command.name
    if name == "((":
        changed = re.search(r"(\w+)\s*(?:\+\+|\+=|=(?!=))", words[1])
        return bool(changed and _FAILS.search(changed[1]))
    if name in ("exit", "return"):
        return len(words) > 1 and words[1] != "0"
    if name in ("echo", "printf"):
        return _is_said(command, _NO_REWARD)
    return name == "false" or bool(_FAILS.search(name) and name != "diff")


def is_payment(command: ShellCommand) -> bool:
    """A score that is raised or set, or a result that is right."""
    for name, value in command.assigned:
        if _SCORE.search(name) and not _FAILS.search(name):
            return not _NOTHING.fullmatch(value) and bool(
                re.match(r"""["']?(?:\$\(\(|[\d.]|true|yes|pass)""", value)
            )
        if not _FAILS.search(name) and re.match(r"""["']?\$\(\(\s*\$?\w+\s*\+""", value):
            return True
    words, name = command.words, command.name
    if name == "((":
        changed = re.search(r"(\w+)\s*(?:\+\+|\+=|=(?!=))", words[1])
        return bool(changed and not _FAILS.search(changed[1]))
    if name == "return":
        return words[1:] == ["0"]
    if name in ("echo", "printf"):
        return _is_said(command, _REWARD)
    return bool(re.match(r"pass|award|credit|ok$|good", name))


def _is_said(command: ShellCommand, pattern: re.Pattern[str]) -> bool:
    """Is this number written somewhere, as a reward is?"""
    said = " ".join(word for word in command.words[1:] if not word.startswith("-"))
    return bool(pattern.search(said.replace("'%s\\n'", "").strip()))
