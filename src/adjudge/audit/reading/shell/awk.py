"""Where an awk program looks for words inside of the answer, or takes the answer for a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.filters import OutputLevel
from adjudge.audit.reading.shell.greps import first_word
from adjudge.audit.reading.shell.script import Script
from adjudge.audit.reading.shell.walk import CommandUse
from adjudge.audit.reading.shell.words import plain
from adjudge.contracts import Severity

_AWKS = ("awk", "gawk", "mawk")
_FOUND = re.compile(
    r"(?:^|[\s{};&|(])(?:\$\w+\s*~\s*)?(?<![!\w])/((?:[^/\n\\]|\\.)+)/\s*\)?\s*(?:\{([^{}]*)\}|([^{};\n]*))"
)
_COUNTS = re.compile(r"(\w+)\s*(?:\+\+|\+=\s*1|=\s*1\b)|\+\+\s*(\w+)|\bexit\s*\(?\s*0\b")
_INDEX = re.compile(r"(?:if\s*\(|&&|\|\||^|[;{(])\s*index\(\s*(\$\w+|\w+)\s*,\s*(\"[^\"]+\"|\w+)\)")
_FAILS = re.compile(r"bad|err|fail|wrong|miss|junk|not", re.I)
_TITLE = "a word is looked for anywhere in the answer, also inside of another one"
_ADVICE = 'Compare the whole field: $2 == "up".'


def read_awk(script: Script) -> Iterator[Remark]:
    """Both rules."""
    for use in script.named(*_AWKS):
        words = use.command.words
        program = first_word(words[1:], ("-F", "-v", "-f"))
        if program is None or not script.reads(use) > OutputLevel.NUMBER:
            continue
        text = re.sub(r"#[^\n]*", "", plain(program))
        given = [words[n + 1] for n, word in enumerate(words[:-1]) if word == "-v"]
        named = {
            word.partition("=")[0]
            for word in given
            if script.level(word.partition("=")[2], use) > OutputLevel.NUMBER
        }
        read = (
            use.piped > OutputLevel.NUMBER
            or any(script.is_file(word, use) for word in words)
            or bool([t for o, t in use.command.redirects if o == "<" and script.is_file(t, use)])
        )
        yield from _words(script, use, text, read=read, named=named)
        yield from _patterns(script, use, text, named)


def _words(script: Script, use: CommandUse, text: str, *, read: bool, named: set[str]) -> Iterator[Remark]:
    """`/compliant/ { ok = 1 }` and `index($0, "compliant")`."""
    severity = Severity.LOW if script.suffix == ".md" else Severity.MEDIUM
    for match in _FOUND.finditer(text) if read else ():
        pattern, action = match[1], match[2] or match[3] or ""
        counted = _COUNTS.search(action)
        name = (counted[1] or counted[2] or "") if counted else ""
        word = re.search(r"\w{2,}", re.sub(r"\[[^\]]*\]|\\.", "", pattern))
        whole = pattern.startswith("^") and pattern.endswith("$")
        if (
            counted
            and word
            and not whole
            and "$" not in action
            and not _FAILS.search(name)
            and "[" not in pattern
        ):
            yield script.remark(use, Cause.WORD_INSIDE, _TITLE, _ADVICE, severity)
            return
    for match in _INDEX.finditer(text):
        of_answer = (match[1].startswith("$") and read) or match[1] in named
        refused = re.match(r"[^;{]*\{?[^;}]*(?:bad|err|fail|wrong|exit 1|next)", text[match.end() :])
        if of_answer and not refused:
            yield script.remark(use, Cause.WORD_INSIDE, _TITLE, _ADVICE, severity)
            return


def _patterns(script: Script, use: CommandUse, text: str, named: set[str]) -> Iterator[Remark]:
    """`$1 ~ got`, where `got` is the answer."""
    match = re.search(r"!?~\s*(\w+)", text)
    if match and match[1] in named:
        yield script.remark(
            use,
            Cause.PATTERN,
            "awk takes the answer for a pattern, and .* matches everything",
            "Compare with ==.",
        )
