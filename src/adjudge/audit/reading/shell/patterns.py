"""Where a shell script takes the answer for a pattern, or for a part of the reference."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.filters import OutputLevel
from adjudge.audit.reading.shell.greps import GREPS, is_inside, options, pattern_of
from adjudge.audit.reading.shell.script import Script, outcome
from adjudge.audit.reading.shell.walk import CommandUse
from adjudge.audit.reading.shell.words import Kind, pieces

_IS_PATTERN = r"regex|regular expression|\bpattern|\bglob\b|wildcard"
_AS_TEXT = "Compare with ==, with quotes on both sides, or use grep -Fx."


def read_patterns(script: Script) -> Iterator[Remark]:
    """Every rule about the answer as a pattern, in turn."""
    if script.told(_IS_PATTERN):
        return
    for rule in (_globs, _cases, _patterns_in_grep, _cut_by_pattern):
        yield from rule(script)


def _globs(script: Script) -> Iterator[Remark]:
    """`[[ $want == $got ]]`: an answer of `*` equals everything."""
    for use, left, operator, right in script.comparisons():
        if use.command.name != "[[" or script.level(left, use):
            continue
        pattern = operator in ("=", "==", "!=") and _unquoted(script, right, use)
        if pattern or (operator == "=~" and _unquoted(script, right, use)):
            yield script.remark(
                use, Cause.PATTERN, "the answer is taken for a pattern, and * matches anything", _AS_TEXT
            )
        elif (operator == "=~" or is_inside(right)) and script.level(right, use) > OutputLevel.NUMBER:
            yield _part_of_reference(script, use)


def _part_of_reference(script: Script, use: CommandUse) -> Remark:
    return script.remark(
        use,
        Cause.WORD_INSIDE,
        "an answer passes if it is any part of the reference, and an empty one always is",
        "Compare the whole of both.",
    )


def _cases(script: Script) -> Iterator[Remark]:
    """`case $want in $got)`."""
    for block, use in script.blocks():
        if block.kind != "case" or script.level(block.heads[0], use):
            continue
        for patterns in block.patterns:
            if any(_unquoted(script, word, use) for word in patterns):
                yield script.remark_at(
                    block.line,
                    f"case {block.heads[0]} in {' | '.join(patterns)})",
                    Cause.PATTERN,
                    "the answer is taken for a pattern, and * matches anything",
                    _AS_TEXT,
                )


def _cut_by_pattern(script: Script) -> Iterator[Remark]:
    """`${want#$got}` and `expr "$want" : "$got"`."""
    for use in script.uses:
        held = (*use.command.words, *(value for _, value in use.command.assigned))
        for piece in (p for word in held for p in pieces(word)):
            match = re.fullmatch(r"(\w+)(?:##?|%%?|//?)(.*)", piece.text, re.S)
            if piece.kind is not Kind.VARIABLE or match is None or script.held.of_name(match[1], use.scope):
                continue
            if _unquoted(script, match[2], use):
                yield script.remark(
                    use, Cause.PATTERN, "the answer is taken for a pattern that cuts the reference", _AS_TEXT
                )
    for use in script.named("expr"):
        words = use.command.words
        at = words.index(":") if ":" in words[:-1] else 0
        if at and script.level(words[at + 1], use) > OutputLevel.NUMBER:
            yield script.remark(use, Cause.PATTERN, "expr takes the answer for a pattern", _AS_TEXT)


def _patterns_in_grep(script: Script) -> Iterator[Remark]:
    """`grep "$got" ref` and `grep -f OUT ref`."""
    for use in script.named(*GREPS):
        words, letters = use.command.words, options(use.command.words)
        fixed = "F" in letters or use.command.name == "fgrep"
        listed = [words[n + 1] for n, w in enumerate(words[:-1]) if re.fullmatch(r"-\w*f", w)]
        from_file = any(
            script.is_file(w, use) or (w == "-" and use.piped > OutputLevel.NUMBER) for w in listed
        )
        pattern = pattern_of(words)
        from_word = pattern is not None and script.level(pattern, use) > OutputLevel.NUMBER
        if not (from_file or from_word) or _searches_answer(script, use, pattern):
            continue
        if not fixed:
            yield script.remark(
                use,
                Cause.PATTERN,
                "grep takes what the agent wrote for patterns, and .* matches every line",
                "Use grep -F -x, so that whole lines are compared as they are.",
            )
        elif "x" not in letters and outcome(use) != "refuses":
            yield _part_of_reference(script, use)


def _searches_answer(script: Script, use: CommandUse, pattern: str | None) -> bool:
    """Is the answer also what is searched?"""
    files = [w for w in use.command.words[2:] if w != pattern and not w.startswith("-")]
    if use.piped and not files:
        return use.piped > OutputLevel.NUMBER and pattern is not None
    places = [
        w for n, w in enumerate(use.command.words) if n > 1 and use.command.words[n - 1] not in ("-f", "-e")
    ]
    listed = any(re.fullmatch(r"-\w*f", w) for w in use.command.words)
    return not listed and any(script.is_file(w, use) for w in places if w != pattern)


def _unquoted(script: Script, word: str, use: CommandUse) -> bool:
    """Does a part without quotes hold text of the answer?"""
    return any(
        not piece.quote and script.held.of_piece(piece, use.scope) > OutputLevel.NUMBER
        for piece in pieces(word)
    )
