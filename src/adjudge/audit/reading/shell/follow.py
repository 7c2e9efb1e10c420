"""Follow the answer through a script, until nothing new is found to hold anything of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from adjudge.audit.reading.shell.filters import OutputLevel
from adjudge.audit.reading.shell.held import Held
from adjudge.audit.reading.shell.syntax import ShellBlock, ShellCommand, Step
from adjudge.audit.reading.shell.walk import CommandUse, walk
from adjudge.audit.reading.shell.words import Kind, pieces

_ROUNDS = 6
_REFUSES_LETTERS = re.compile(r"\[[!^](?:-?0-9|\[:digit:\])|\+\(\[0-9")
_DIGITS = re.compile(r"\[(?:0-9|:digit:)|\\d")
_ALLOWS = re.compile(r"\.\*|\.\+|\[\^")
_OPERATORS = ("=", "==", "!=", "=~", "<", ">")
_NAMELESS = re.compile(r"\$\{\d?\}")
_SAYS = ("echo", "printf", "cat")
_COPIES = ("cp", "mv", "install", "ln")


def follow(steps: Sequence[Step], path: PurePosixPath) -> tuple[Held, list[CommandUse]]:
    """What holds something of the answer, and every command; what is looked at first counts as a number."""
    held = Held(path)
    for use in (uses := _until_settled(held, steps)):
        _learn_checks(held, use, uses)
    held.forget()
    return held, _until_settled(held, steps)


def _until_settled(held: Held, steps: Sequence[Step]) -> list[CommandUse]:
    uses: list[CommandUse] = []
    for _ in range(_ROUNDS):
        before = held.state()
        uses = walk(held, steps)
        for use in uses:
            _learn(held, use.command, use.scope, use.piped)
            for block in (place.block for place in use.around if place.block is not None):
                _learn_block(held, block, use.scope)
        if held.state() == before:
            break
    return uses


def _learn_block(held: Held, block: ShellBlock, scope: str) -> None:
    if block.kind == "for":
        held.loops[block.heads[0]] = block.heads[2:]
        level = max((held.level(word, scope) for word in block.heads[2:]), default=OutputLevel.NONE)
        held.holds(block.heads[0], min(level, OutputLevel.WORD))
    if block.kind == "case" and any(_REFUSES_LETTERS.search(p) for part in block.patterns for p in part):
        held.checked |= set(_names(block.heads[0]))


def _learn(held: Held, command: ShellCommand, scope: str, piped: OutputLevel) -> None:
    for name, value in command.assigned:
        if value.startswith("(") and value.endswith(")"):
            inner = f'"{value[1:-1]}"' if '"' not in value else value[1:-1]
            held.holds(name, held.level(inner, scope))
            continue
        held.holds(name, held.level(value, scope))
        if value not in held.values.setdefault(name, []):
            held.values[name].append(value)
    words, name = command.words, command.name
    if name in ("read", "mapfile", "readarray"):
        _learn_read(held, command, scope, piped)
    elif name in held.functions:
        given = held.given.setdefault(name, {})
        for number, word in enumerate(words[1:], 1):
            level, file = given.get(str(number), (OutputLevel.NONE, False))
            given[str(number)] = (max(level, held.level(word, scope)), file or held.is_file(word, scope))
    elif name == "cd" and len(words) == 2:
        held.at_work = held.at_work or held.expand(words[1]) == str(held.path.parent)
    _learn_files(held, command, scope, piped)


def _learn_files(held: Held, command: ShellCommand, scope: str, piped: OutputLevel) -> None:
    """Files that a command fills with text of the answer."""
    words, name = command.words, command.name
    level = held.gives(command, scope, piped)
    targets = [t for o, t in command.redirects if o.lstrip("1") in (">", ">>", ">|", "&>")]
    targets += [word for word in words[1:] if name == "tee" and not word.startswith("-")]
    if name in _COPIES and any(held.is_file(word, scope) for word in words[1:-1]):
        level, targets = OutputLevel.TEXT, words[-1:]
    for target in targets:
        known = held.expand(target)
        apart = known.startswith(("/dev/", "/logs/")) or _NAMELESS.search(known)
        if level >= OutputLevel.WORD and not apart:
            held.files.add(known)


def _learn_read(held: Held, command: ShellCommand, scope: str, piped: OutputLevel) -> None:
    level = held.incoming(command, scope, piped)
    words = [word for word in command.words[1:] if re.fullmatch(r"[A-Za-z_]\w*", word)]
    parts = len(words) > 1 and not any(name == "IFS" for name, _ in command.assigned)
    for number, name in enumerate(words or ["REPLY" if command.name == "read" else "MAPFILE"]):
        held.holds(name, min(level, OutputLevel.WORD) if parts and number < len(words) - 1 else level)


def _learn_checks(held: Held, use: CommandUse, uses: Sequence[CommandUse]) -> None:
    """A value that was held against a pattern of digits is a number, wherever it is used."""
    words, name = use.command.words, use.command.name
    if name == "[[":
        for left, operator, right in triples(words):
            numeric = operator == "=~" and _is_numeric(held.expand(right))
            if numeric or (operator in ("=", "==", "!=") and _REFUSES_LETTERS.search(right)):
                held.checked |= set(_names(left))
    elif name in ("grep", "egrep"):
        patterns = [held.expand(word) for word in words[1:] if not word.startswith("-")][:1]
        whole = any(re.match(r"-\w*x", word) for word in words[1:])
        if any(_is_numeric(f"^{pattern}$" if whole else pattern) for pattern in patterns):
            said = set(_said_into(use, uses))
            of_file = any(held.is_file(word, use.scope) for word in words[1:])
            held.file_checked = held.file_checked or of_file or (use.piped > OutputLevel.NONE and not said)
            held.checked |= said


def _said_into(use: CommandUse, uses: Sequence[CommandUse]) -> Iterator[str]:
    """The variables that were said into a command: `echo "$got" | grep`, `grep <<< "$got"`."""
    for operator, target in use.command.redirects:
        if operator == "<<<":
            yield from _names(target)
    for other in uses:
        if use.command in other.step.stages and other.command.name in _SAYS:
            yield from (name for word in other.command.words[1:] for name in _names(word))


def _names(word: str) -> list[str]:
    return [piece.name for piece in pieces(word) if piece.kind is Kind.VARIABLE]


def triples(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """(left, operator, right) of each comparison in `[ ... ]` and `[[ ... ]]`."""
    for at in range(1, len(words) - 1):
        if words[at] in _OPERATORS or re.fullmatch(r"-(?:eq|ne|lt|le|gt|ge)", words[at]):
            yield words[at - 1], words[at], words[at + 1]


def _is_numeric(pattern: str) -> bool:
    whole = pattern.startswith("^") and pattern.endswith("$")
    return whole and bool(_DIGITS.search(pattern)) and not _ALLOWS.search(pattern)
