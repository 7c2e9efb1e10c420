"""How a shell script compares texts: patterns from the answer, words inside of it, case folded away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.filters import OutputLevel
from adjudge.audit.reading.shell.greps import GREPS, is_inside, options, pattern_of
from adjudge.audit.reading.shell.held import PROGRAMS
from adjudge.audit.reading.shell.script import Script, commands, is_failure, is_payment, outcome
from adjudge.audit.reading.shell.walk import CommandUse
from adjudge.audit.reading.shell.words import Kind, Piece, pieces, plain
from adjudge.contracts import Severity

_PROSE = (
    r"\breport\b|summary|sentence|describe|explain|explanation|\bnotes?\b|essay|prose"
    r"|paragraph|in words|memo\b"
)
_CASE = (
    r"(?<!not )\bcase[- ]sensitive\b|\bcase matters\b|\bcase counts\b"
    r"|\bin (?:upper|lower) ?case\b|\bin capitals\b"
)
_UNITS = re.compile(r"\bm(W|Pa|Hz|Wh|J|V|A)\b.*\bM\1\b|\bM(W|Pa|Hz|Wh|J|V|A)\b.*\bm\2\b", re.S)
_RUNS_TESTS = re.compile(r"unittest|pytest|\btests?/|check_|test_")
_VERDICT = re.compile(r"\^?\W*(?:OK|passed|pass|success|all tests passed|correct|done)\W*", re.I)


def read_texts(script: Script) -> Iterator[Remark]:
    """Every rule about texts, in turn."""
    for rule in (
        _words_in_grep,
        _words_in_test,
        _words_in_case,
        _points,
        _says_itself,
        _blanks,
        _case_folded,
    ):
        yield from rule(script)


def _decides(use: CommandUse) -> bool:
    """Is it asked whether anything was found, not what?"""
    quiet = "q" in options(use.command.words) or any(
        t == "/dev/null" for o, t in use.command.redirects if ">" in o and "2" not in o
    )
    return quiet and use.stage == len(use.step.stages) - 1


def _words_in_grep(script: Script) -> Iterator[Remark]:
    """`grep -q word OUT` also finds `crossword`, and a list of all words."""
    several = sum(1 for use in script.named(*GREPS) if _decides(use)) > 2
    prose = several or script.suffix in (".md", *PROGRAMS) or script.told(_PROSE)
    for use in script.named(*GREPS):
        letters, pattern = options(use.command.words), pattern_of(use.command.words)
        if pattern is None or not _decides(use) or "v" in letters or script.level(pattern, use):
            continue
        if (
            not script.reads(use) > OutputLevel.NUMBER
            or outcome(use) == "refuses"
            or set("xw") & set(letters)
        ):
            continue
        if use.command.words[-1] == pattern and not use.piped and not use.command.redirects:
            continue
        if _is_open(script, pattern, "F" in letters):
            yield script.remark(
                use,
                Cause.WORD_INSIDE,
                "a word is looked for anywhere in the answer, also inside of longer ones and among others",
                "Use grep -Fx for a whole line, or read the value and compare it.",
                Severity.LOW if prose else Severity.MEDIUM,
            )


def _is_open(script: Script, pattern: str, fixed: bool) -> bool:
    """Does a pattern ask for a word or a value that may go on behind it, or begin before it?"""
    held = list(pieces(pattern))
    text = plain(pattern)
    if text.startswith("^") and text.endswith("$") and not fixed:
        return False
    if any(piece.kind is Kind.VARIABLE for piece in held):
        marks = [script.held.expand(pattern)]
        text = marks[0]
        if text.startswith("^") and text.endswith("$") and not fixed:
            return False
        text = re.sub(r"\$\{\w+\}", "word", text)
    bare = text if fixed else re.sub(r"\\[bB<>]", "\b", text)
    if not re.search(r"\w{2,}", re.sub(r"\[[^\]]*\]|\\\w", "", bare)):
        return False
    last, first = re.search(r"[\w%]$", bare), re.match(r"\w", bare)
    single = re.fullmatch(r"[\w. -]+", bare.strip("^$"))
    return bool(last or (first and single))


def _words_in_test(script: Script) -> Iterator[Remark]:
    """`[[ $got == *"$want"* ]]` and `[[ $got =~ $want ]]`."""
    if script.speaks("BASH_REMATCH"):
        return
    for use, left, operator, right in script.comparisons():
        if use.command.name != "[[" or script.level(left, use) < OutputLevel.WORD or script.level(right, use):
            continue
        if outcome(use) == "refuses" or (operator == "!=" and outcome(use) == "pays") or operator == "!=":
            continue
        inside = operator in ("=", "==") and is_inside(right) and _has_word(pieces(right))
        known = script.held.expand(right)
        loose = operator == "=~" and not (known.startswith("^") and known.endswith("$"))
        if inside or (loose and _is_open(script, right, fixed=False) and not re.search(r"\[|\\d", known)):
            yield script.remark(
                use,
                Cause.WORD_INSIDE,
                "the right word is looked for anywhere in the answer, also inside of another one",
                "Compare the whole of both.",
            )


def _has_word(held: Iterator[Piece]) -> bool:
    return any(piece.kind is Kind.VARIABLE or re.search(r"\w{2,}", piece.text) for piece in held)


def _case_folded(script: Script) -> Iterator[Remark]:
    """`tr A-Z a-z` where the task says that case matters, or has units that differ by it."""
    units = _UNITS.search(script.instruction) is not None
    if not units and not script.told(_CASE):
        return
    for use in script.uses:
        words, name = use.command.words, use.command.name
        folds = (
            name == "tr"
            and any(re.search(r"A-Z|:upper:", w) for w in words)
            and any(re.search(r"a-z|:lower:", w) for w in words)
        )
        folds = folds or (name in (*GREPS, "diff") and "i" in options(words))
        folds = folds or any(
            re.fullmatch(r"\w+(?:,,|\^\^)", p.text)
            for w in words
            for p in pieces(w)
            if p.kind is Kind.VARIABLE
        )
        if folds and script.reads(use) > OutputLevel.NUMBER:
            yield script.remark(
                use,
                Cause.SCALE if units else Cause.CLAMPED,
                "upper and lower case are made one, and the task tells them apart",
                "Compare the text as it was written.",
            )
            return


def _points(script: Script) -> Iterator[Remark]:
    """`grep -x 12.4`: the point is any character."""
    for use in script.named("grep", "egrep"):
        letters, pattern = options(use.command.words), pattern_of(use.command.words)
        if (
            pattern is None
            or "F" in letters
            or not script.reads(use) > OutputLevel.NUMBER
            or outcome(use) == "refuses"
        ):
            continue
        texts = [script.held.expand(pattern)]
        for piece in pieces(pattern):
            if piece.kind is Kind.VARIABLE and piece.text == piece.name:
                texts += [script.held.expand(word) for word in script.held.loops.get(piece.name, ())]
        whole = "x" in letters or (texts[0].startswith("^") and texts[0].endswith("$"))
        if _decides(use) and any(re.search(r"\d\.\d", text) for text in texts):
            yield script.remark(
                use,
                Cause.WORD_INSIDE,
                "the point of a number is any character in a pattern, so that 12.4 is found in 1204",
                "Use grep -F -x, or write [.] for the point.",
                Severity.MEDIUM if whole else Severity.LOW,
            )
            return


def _says_itself(script: Script) -> Iterator[Remark]:
    """`python3 OUT | grep -q OK`: a program that says so has not done anything yet."""
    if script.suffix not in PROGRAMS:
        return
    logs = {
        script.held.expand(target)
        for other in script.uses
        for operator, target in other.command.redirects
        if _RUNS_TESTS.search(other.command.text) and ">" in operator and "&" not in target
    }
    for use in script.named(*GREPS):
        pattern = pattern_of(use.command.words)
        verdict = pattern is not None and _VERDICT.fullmatch(plain(pattern))
        of_log = any(script.held.expand(word) in logs for word in use.command.words[1:])
        if verdict and _decides(use) and (of_log or use.piped) and outcome(use) != "refuses":
            yield script.remark(
                use,
                Cause.HOLLOW,
                "a verdict is looked for in what the agent's program prints, and the program may print it",
                "Compare its results with references, and take the exit code of tests of your own.",
            )


def _blanks(script: Script) -> Iterator[Remark]:
    """`grep '"total": 42' x.json`: the same values without the blank are refused."""
    if script.suffix not in (".json", ".toml", ".ini") or script.told(r"\bexactly\b|byte|verbatim"):
        return
    mark = r"\"[:=] ?[\"\w\[]" if script.suffix == ".json" else r"\w ?= ?[\"\w\[]"
    for use in script.named(*GREPS):
        pattern = pattern_of(use.command.words)
        said = plain(pattern) if pattern is not None else ""
        if (
            script.reads(use) > OutputLevel.NUMBER
            and _decides(use)
            and re.search(mark, said)
            and outcome(use) != "refuses"
        ):
            yield script.remark(
                use,
                Cause.LAYOUT,
                "the blanks around a value have to be just these, and the format does not care",
                "Parse the file (jq, Python's tomllib), and compare the value.",
            )
            return


def _words_in_case(script: Script) -> Iterator[Remark]:
    """`case $got in *compliant*)`."""
    for block, use in script.blocks():
        if block.kind != "case" or script.level(block.heads[0], use) < OutputLevel.WORD:
            continue
        for patterns, body in zip(block.patterns, block.bodies, strict=True):
            words = [word for word in patterns if is_inside(word) and _has_word(pieces(word))]
            found = list(commands(body))
            if words and any(map(is_payment, found)) and not any(map(is_failure, found)):
                yield script.remark_at(
                    block.line,
                    f"case {block.heads[0]} in {' | '.join(patterns)})",
                    Cause.WORD_INSIDE,
                    "the right word is looked for anywhere in the answer, also inside of another one",
                    "Compare the whole of both.",
                )
