"""How a shell script compares texts: patterns from the answer, words inside of it, case folded away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from adjudge.audit.causes import Cause
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.code import first_word
from adjudge.audit.reading.shell.held import PROGRAMS, Level, Use
from adjudge.audit.reading.shell.script import Script, outcome
from adjudge.audit.reading.shell.words import Kind, Piece, pieces, plain
from adjudge.contracts import Severity

_GREPS = ("grep", "egrep", "fgrep")
_WITH_VALUE = ("-m", "-A", "-B", "-C", "-e", "-f", "--max-count")
_IS_PATTERN = r"regex|regular expression|\bpattern|\bglob\b|wildcard"
_PROSE = r"\breport\b|summary|sentence|describe|explain|explanation|\bnotes?\b|essay|prose|paragraph|in words|memo\b"
_CASE = r"(?<!not )\bcase[- ]sensitive\b|\bcase matters\b|\bcase counts\b|\bin (?:upper|lower) ?case\b|\bin capitals\b"
_UNITS = re.compile(r"\bm(W|Pa|Hz|Wh|J|V|A)\b.*\bM\1\b|\bM(W|Pa|Hz|Wh|J|V|A)\b.*\bm\2\b", re.S)
_RUNS_TESTS = re.compile(r"unittest|pytest|\btests?/|check_|test_")
_VERDICT = re.compile(r"\^?\W*(?:OK|passed|pass|success|all tests passed|correct|done)\W*", re.I)
_AS_TEXT = "Compare with ==, with quotes on both sides, or use grep -Fx."


def read_texts(script: Script) -> Iterator[Remark]:
    """Every rule about texts, in turn."""
    for rule in (_globs, _cases, _patterns_in_grep, _cut_by_pattern, _words_in_grep, _words_in_test):
        yield from rule(script)
    for rule in (_points, _says_itself, _blanks, _case_folded):
        yield from rule(script)


def _unquoted(script: Script, word: str, use: Use) -> bool:
    """Does a part without quotes hold text of the answer?"""
    return any(
        not piece.quote and script.held.of_piece(piece, use.scope) > Level.NUMBER for piece in pieces(word)
    )


def _globs(script: Script) -> Iterator[Remark]:
    """`[[ $want == $got ]]`: an answer of `*` equals everything."""
    if script.told(_IS_PATTERN):
        return
    for use, left, operator, right in script.comparisons():
        if use.command.name != "[[" or script.level(left, use):
            continue
        pattern = operator in ("=", "==", "!=") and _unquoted(script, right, use)
        if pattern or (operator == "=~" and _unquoted(script, right, use)):
            yield script.remark(
                use, Cause.PATTERN, "the answer is taken for a pattern, and * matches anything", _AS_TEXT
            )
        elif (operator == "=~" or _is_inside(right)) and script.level(right, use) > Level.NUMBER:
            yield _part_of_reference(script, use)


def _part_of_reference(script: Script, use: Use) -> Remark:
    return script.remark(
        use,
        Cause.WORD_INSIDE,
        "an answer passes if it is any part of the reference, and an empty one always is",
        "Compare the whole of both.",
    )


def _is_inside(word: str) -> bool:
    """`*"$x"*`."""
    held = list(pieces(word))
    ends = [held[0], held[-1]] if len(held) > 1 else []
    return bool(ends) and all(p.kind is Kind.TEXT and not p.quote and "*" in p.text for p in ends)


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


def _options(words: Sequence[str]) -> str:
    """The letters of all short options, long ones as letters."""
    long = {"--fixed-strings": "F", "--line-regexp": "x", "--word-regexp": "w", "--quiet": "q", "--count": "c"}
    return "".join(long.get(w, w[1:] if not w.startswith("--") else "") for w in words if w.startswith("-"))


def _pattern(words: Sequence[str]) -> str | None:
    """The pattern that grep is given; None if it comes from a file."""
    for at, word in enumerate(words[:-1]):
        if re.fullmatch(r"-\w*e", word):
            return words[at + 1]
        if re.fullmatch(r"-\w*f", word):
            return None
    return first_word(words[1:], _WITH_VALUE)


def _patterns_in_grep(script: Script) -> Iterator[Remark]:
    """`grep "$got" ref` and `grep -f OUT ref`."""
    for use in script.named(*_GREPS):
        words, letters = use.command.words, _options(use.command.words)
        fixed = "F" in letters or use.command.name == "fgrep"
        listed = [words[n + 1] for n, w in enumerate(words[:-1]) if re.fullmatch(r"-\w*f", w)]
        from_file = any(
            script.is_file(w, use) or (w == "-" and use.piped > Level.NUMBER) for w in listed
        )
        pattern = _pattern(words)
        from_word = pattern is not None and script.level(pattern, use) > Level.NUMBER
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


def _searches_answer(script: Script, use: Use, pattern: str | None) -> bool:
    """Is the answer also what is searched?"""
    files = [w for w in use.command.words[2:] if w != pattern and not w.startswith("-")]
    if use.piped and not files:
        return use.piped > Level.NUMBER and pattern is not None
    places = [w for n, w in enumerate(use.command.words) if n > 1 and use.command.words[n - 1] not in ("-f", "-e")]
    listed = any(re.fullmatch(r"-\w*f", w) for w in use.command.words)
    return not listed and any(script.is_file(w, use) for w in places if w != pattern)


def _cut_by_pattern(script: Script) -> Iterator[Remark]:
    """`${want#$got}` and `expr "$want" : "$got"`."""
    for use in script.uses:
        words = (*use.command.words, *(value for _, value in use.command.assigned))
        for piece in (p for word in words for p in pieces(word)):
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
        if at and script.level(words[at + 1], use) > Level.NUMBER:
            yield script.remark(use, Cause.PATTERN, "expr takes the answer for a pattern", _AS_TEXT)


def _decides(use: Use) -> bool:
    """Is it asked whether anything was found, not what?"""
    quiet = "q" in _options(use.command.words) or any(t == "/dev/null" for o, t in use.command.redirects if ">" in o and "2" not in o)
    return quiet and use.stage == len(use.step.stages) - 1


def _words_in_grep(script: Script) -> Iterator[Remark]:
    """`grep -q word OUT` also finds `crossword`, and a list of all words."""
    several = sum(1 for use in script.named(*_GREPS) if _decides(use)) > 2
    prose = several or script.suffix in (".md", *PROGRAMS) or script.told(_PROSE)
    for use in script.named(*_GREPS):
        letters, pattern = _options(use.command.words), _pattern(use.command.words)
        if pattern is None or not _decides(use) or "v" in letters or script.level(pattern, use):
            continue
        if not script.reads(use) > Level.NUMBER or outcome(use) == "refuses" or set("xw") & set(letters):
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
        if use.command.name != "[[" or script.level(left, use) < Level.WORD or script.level(right, use):
            continue
        if outcome(use) == "refuses" or (operator == "!=" and outcome(use) == "pays") or operator == "!=":
            continue
        inside = operator in ("=", "==") and _is_inside(right) and _has_word(pieces(right))
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
        folds = name == "tr" and any(re.search(r"A-Z|:upper:", w) for w in words) and any(re.search(r"a-z|:lower:", w) for w in words)
        folds = folds or (name in (*_GREPS, "diff") and "i" in _options(words))
        folds = folds or any(re.fullmatch(r"\w+(?:,,|\^\^)", p.text) for w in words for p in pieces(w) if p.kind is Kind.VARIABLE)
        if folds and script.reads(use) > Level.NUMBER:
            yield script.remark(
                use,
                Cause.SCALE if units else Cause.TOLERANCE,
                "upper and lower case are made one, and the task tells them apart",
                "Compare the text as it was written.",
            )
            return


def _points(script: Script) -> Iterator[Remark]:
    """`grep -x 12.4`: the point is any character."""
    for use in script.named("grep", "egrep"):
        letters, pattern = _options(use.command.words), _pattern(use.command.words)
        if pattern is None or "F" in letters or not script.reads(use) > Level.NUMBER or outcome(use) == "refuses":
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
    for use in script.named(*_GREPS):
        pattern = _pattern(use.command.words)
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
    for use in script.named(*_GREPS):
        pattern = _pattern(use.command.words)
        said = plain(pattern) if pattern is not None else ""
        if script.reads(use) > Level.NUMBER and _decides(use) and re.search(mark, said) and outcome(use) != "refuses":
            yield script.remark(
                use,
                Cause.LAYOUT,
                "the blanks around a value have to be just these, and the format does not care",
                "Parse the file (jq, Python's tomllib), and compare the value.",
            )
            return
