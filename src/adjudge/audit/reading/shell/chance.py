"""Where a shell script leaves its reward to chance or to the clock."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.script import Script
from adjudge.audit.reading.shell.walk import CommandUse
from adjudge.audit.reading.shell.words import Kind, pieces

_SAYS_NOW = re.compile(r"localtime|gmtime|time\.time|datetime\.(?:now|today)|date\.today|strftime|systime\(")


def read_chance(script: Script) -> Iterator[Remark]:
    """Both rules."""
    yield from _drawn(script)
    yield from _clock(script)


def _drawn(script: Script) -> Iterator[Remark]:
    """`$RANDOM`, shuf, `sort -R`."""
    seeded = script.speaks(r"(?m)^\s*RANDOM=|--random-source|\bsrand\(\d")
    for use in script.uses:
        command = use.command
        words = (*command.words, *(value for _, value in command.assigned))
        drawn = command.name == "shuf" or (
            command.name == "sort" and any(re.match(r"-\w*R|--random-sort", w) for w in words)
        )
        for word in words:
            named = "/" in word or "tmp" in word or "-" in word.lstrip("-").replace("$((", "")[:12]
            held = any(
                (p.kind is Kind.VARIABLE and p.text.startswith("RANDOM"))
                or (p.kind is Kind.SUM and "RANDOM" in p.text)
                for p in pieces(word)
            )
            drawn = drawn or (held and not named)
        if drawn and not seeded:
            yield script.remark(
                use,
                Cause.RANDOM,
                "what is looked at is drawn by lot, so that the same answer may earn another reward",
                "Look at all of it, or draw with a fixed seed (shuf --random-source).",
            )
            return


def _clock(script: Script) -> Iterator[Remark]:
    """`if [ $(date +%Y) -gt 2030 ]`; how long something takes is no such question."""
    if len([u for u in script.named("date") if "%s" in u.command.text]) > 1:
        return
    kept: set[str] = set()
    for use in script.uses:
        for name, value in use.command.assigned:
            if _holds_time(value):
                kept.add(name)
    for use in script.uses:
        if use.command.name not in ("[", "[[", "test", "((", "grep") and not _passed_on(use, kept):
            continue
        text = use.command.text
        named = any(re.search(rf"\$\{{?{name}\b", text) for name in kept)
        if named or "EPOCHSECONDS" in text or any(map(_holds_time, use.command.words)):
            yield script.remark(
                use,
                Cause.CLOCK,
                "the date or the time of the run decides",
                "Put the moment that counts into the task, and compare with it.",
            )
            return


def _passed_on(use: CommandUse, kept: set[str]) -> bool:
    """`awk -v year="$year"`."""
    words = use.command.words
    return use.command.name in ("awk", "gawk", "mawk") and any(
        re.search(rf"\$\{{?{name}\b", w) for name in kept for w in words
    )


def _asks_time(text: str) -> bool:
    """`date +%Y`, also in other languages; not the date of a file or of a text."""
    command = text.strip()
    if re.match(r"(?:/usr/bin/|/bin/)?date\b", command):
        return not re.search(r"\s(?:-d|--date|-r|--reference)", command)
    return bool(re.match(r"(?:perl|python3?|awk|gawk|node)\b", command) and _SAYS_NOW.search(command))


def _holds_time(word: str) -> bool:
    return any(
        (piece.kind is Kind.COMMAND and _asks_time(piece.text))
        or (piece.kind is Kind.SUM and any(map(_asks_time, re.findall(r"\$\(([^()]*)\)", piece.text))))
        for piece in pieces(word)
    )
