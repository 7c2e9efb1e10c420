"""How a shell script compares numbers: without their sign, cut, summed, from one side, past an error."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.audit.causes import Cause
from adjudge.audit.reading.remark import Remark
from adjudge.audit.reading.shell.filters import OutputLevel
from adjudge.audit.reading.shell.greps import first_word
from adjudge.audit.reading.shell.script import Script, outcome
from adjudge.audit.reading.shell.syntax import ShellCommand
from adjudge.audit.reading.shell.walk import CommandUse
from adjudge.audit.reading.shell.words import Kind, pieces, plain

_AWKS = ("awk", "gawk", "mawk")
_ALL_BUT_SIGN = "all"
_NO_SIGN = r"\babsolute|magnitude|unsigned|either sign"
_HYPHENS = r"\bdates?\b|\bisbn\b|\bphone|\buuid\b|hyphen|\biso\b|yyyy|\bdash"
_WHOLE = r"\bwhole\b|\binteger|\bround|nearest|\bcount\b|how many|number of"
_VERSIONS = r"version|\bhost|\bdomain|\bip\b|address|file ?name|extension"
_ORDERING = re.compile(r"-(?:ne|lt|le|gt|ge)")
_ABS = re.compile(
    r"\babs\b|sqrt|\*\*|\^ ?2|<=? *0|\bd *= *-|= *-\w|> *-|-\w+ *[<=]|\* *d\b|\? *-|sub\(/\^?-", re.I
)
_ONE_SIDED = re.compile(
    r"(?<![\w.$])\(?\s*([$\w][\w\[\]\"$]*)\s*-\s*([$\w][\w.\[\]\"$]*)\s*\)?\s*(?:/\s*[$\w.]+\s*)?<=?\s*([\w.]+)"
)
_SUM = re.compile(r"(\w+)\s*\+=\s*\$")
_PASSES_ON = ("cat", "tr", "sed", "cut", "tail", "wc", "test", "[", "[[", "paste", "rm")
_OWN_TEST = re.compile(r"\$\w+\s*(?:[!=<>]=|<|>|!?~)|[!=]=\s*\$\w+|\[\$\w+\]|\$\w+ in \w+")


def read_numbers(script: Script) -> Iterator[Remark]:
    """Every rule about numbers, in turn."""
    for rule in (_without_sign, _cut, _rounded, _one_sided, _summed, _past_errors):
        yield from rule(script)


def _without_sign(script: Script) -> Iterator[Remark]:
    """`tr -dc 0-9` makes 5 of -5, and 42 of 4.2."""
    if script.told(_NO_SIGN):
        return
    for use in script.uses:
        words = [script.held.expand(word) for word in use.command.words]
        kept = _kept(words) if script.reads(use) > OutputLevel.NUMBER else None
        kept = kept if kept is not None else _kept_of_variable(script, use)
        if kept is None or "-" in kept.replace("0-9", "").replace("a-z", "").replace("A-Z", ""):
            continue
        letters = re.search("[a-zA-Z]", re.sub(r"\[:digit:\]|\[:space:\]|\\\\[nrt]", "", kept))
        if script.told(_HYPHENS) or (letters and kept != _ALL_BUT_SIGN):
            continue
        whole = "." not in kept and kept != _ALL_BUT_SIGN
        yield script.remark(
            use,
            Cause.SCALE if whole and not script.told(_WHOLE) else Cause.SIGN,
            "what is no digit is thrown away, so that -5 is 5" + (" and 4.2 is 42" if whole else ""),
            "Take the number as it was written, and refuse what is none: ^-?[0-9]+([.][0-9]+)?$.",
        )
        return


def _kept(words: list[str]) -> str | None:
    """The characters that `tr -dc` or `sed s/[^...]//g` leaves, if it is made for numbers."""
    name = words[0].rpartition("/")[2] if words else ""
    if name == "tr":
        options = "".join(word[1:] for word in words[1:] if word.startswith("-") and word != "-")
        rest = [word for word in words[1:] if not word.startswith("-") or word == "-"]
        if set("d") & set(options) and set("cC") & set(options):
            return rest[0] if rest and ("0-9" in rest[0] or "digit" in rest[0]) else None
        if words[1:] in (["-d", "-"], ["-d", "--", "-"], ["-d", "+-"], ["-d", " -"]):
            return _ALL_BUT_SIGN
    if name == "sed":
        for word in words[1:]:
            if match := re.search(r"s(.)\[\^(\[:digit:\][^\]]*|[^\]]*0-9[^\]]*)\][*+]?\1\1g", word):
                return match[2]
            if re.search(r"s(.)\^?-\1\1", word):
                return _ALL_BUT_SIGN
    return None


def _kept_of_variable(script: Script, use: CommandUse) -> str | None:
    for word in (*use.command.words, *(value for _, value in use.command.assigned)):
        for piece in pieces(word):
            if (
                piece.kind is not Kind.VARIABLE
                or script.held.of_name(piece.name, use.scope) < OutputLevel.WORD
            ):
                continue
            if match := re.fullmatch(r"\w+//\[[\^!](\[:digit:\][^\]]*|[^\]]*0-9[^\]]*)\]/?", piece.text):
                return match[1]
            if re.fullmatch(r"\w+(?:#|//?)\\?-/?", piece.text):
                return _ALL_BUT_SIGN
    return None


def _cut(script: Script) -> Iterator[Remark]:
    """`${got%.*}` and `cut -d. -f1` make 5 of 5.9."""
    if script.told(_VERSIONS) or not script.speaks(r"-(?:eq|ne|lt|le|gt|ge)\b|\(\("):
        return
    for use in script.uses:
        for word in (*use.command.words, *(value for _, value in use.command.assigned)):
            for piece in pieces(word):
                cuts = re.fullmatch(r"(\w+)%%?(?:\.\*|\[\.,?\]\*)", piece.text)
                if piece.kind is Kind.VARIABLE and cuts and script.held.of_name(cuts[1], use.scope):
                    yield _coarse(script, use)
                    return
        words = [script.held.expand(word) for word in use.command.words]
        if (
            use.command.name == "cut"
            and script.reads(use)
            and re.search(r"-d ?\. .*-f ?1\b", " ".join(words))
        ):
            yield _coarse(script, use)
            return


def _coarse(script: Script, use: CommandUse) -> Remark:
    return script.remark(
        use,
        Cause.TOLERANCE,
        "a number of the answer is cut to a whole one before it is compared",
        "Compare the number as it was given, with a stated tolerance.",
    )


def _rounded(script: Script) -> Iterator[Remark]:
    """`printf %.0f "$got"`."""
    if script.told(_WHOLE):
        return
    for use in script.named("printf"):
        words = use.command.words
        first = first_word(words[1:], ("-v",)) or ""
        if re.search(r"%\.0f|%d", first) and any(script.level(word, use) for word in words[2:]):
            yield _coarse(script, use)
            return


def _programs(script: Script) -> Iterator[tuple[CommandUse, str]]:
    """Each program of awk or bc that the answer goes into, through its input or a variable."""
    for use in script.named(*_AWKS):
        program = first_word(use.command.words[1:], ("-F", "-v", "-f"))
        if program is not None and script.reads(use):
            yield use, re.sub(r"#[^\n]*", "", plain(program))
    for use in script.named("bc"):
        said = [target for operator, target in use.command.redirects if operator == "<<<"]
        before = use.step.stages[use.stage - 1] if use.stage else None
        said += (
            before.words[1:] if isinstance(before, ShellCommand) and before.name in ("echo", "printf") else []
        )
        if any(script.level(word, use) for word in said):
            yield use, re.sub(r"[{}]", "", " ".join(map(plain, said)))


def _one_sided(script: Script) -> Iterator[Remark]:
    """`got - want < 0.1` in awk is true of every small number."""
    for use, program in _programs(script):
        match = _ONE_SIDED.search(program)
        if match is None or _ABS.search(program.replace(match[0], "")) or match[3] == "0":
            continue
        if re.search(r"\bfor\b|\bexit *\(? *1\b|\b(?:bad|fail|err)\w*\s*(?:=|\+)", program):
            continue
        yield script.remark(
            use,
            Cause.BOUND,
            "a difference is compared without its size, so that any number on one side passes",
            "Compare the size of the difference: d = got - want; if (d < 0) d = -d.",
        )


def _summed(script: Script) -> Iterator[Remark]:
    """Only the sum of a column is compared."""
    summing = []
    others = 0
    for use in script.uses:
        reads = script.reads(use) > OutputLevel.NUMBER
        if not reads or use.command.name in _PASSES_ON:
            continue
        program = next((p for u, p in _programs(script) if u is use), "")
        sums = bool(_SUM.search(program)) and "END" in program
        joined = re.search(r"paste -s\w* *-?d? ?[\"']?\+", script.text)
        sums = sums or (use.command.name == "bc" and joined is not None)
        if sums and not _OWN_TEST.search(program.split("END")[0].replace("NR", "")):
            summing.append(use)
        elif use.command.name not in ("echo", "printf"):
            others += 1
    if summing and not others:
        yield script.remark(
            summing[0],
            Cause.CANCELS,
            "only a sum of the answer's lines is compared, so that errors cancel out",
            "Compare each line with its own reference.",
        )


def _past_errors(script: Script) -> Iterator[Remark]:
    """`[ "$got" -ne 5 ] && reward=0`: of a text that is no number it is an error, and refuses nothing."""
    for use, left, operator, right in script.comparisons():
        if use.command.name == "[[" or not _ORDERING.fullmatch(operator) or outcome(use) != "refuses":
            continue
        if use.step.negated or max(script.level(left, use), script.level(right, use)) < OutputLevel.WORD:
            continue
        yield script.remark(
            use,
            Cause.PASSES_BROKEN,
            "of a text that is no number this test is an error, which refuses nothing",
            "Ask for what is right ([ ... -eq ... ] || fail), or look first that it is a number.",
        )
